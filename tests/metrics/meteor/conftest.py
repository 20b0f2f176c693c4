"""The real METEOR under Java, started once a session, and real texts to compare with it."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from dialeval.core import Floats
from dialeval.data.types import Example, Response
from dialeval.errors import ResourceUnavailable
from dialeval.resources import obtain


class Jar:
    """METEOR's own process, spoken to as nlg-eval and pycocoevalcap do."""

    def __init__(self, folder: Path) -> None:
        command = ["java", "-Xmx2G", "-jar", "meteor-1.5.jar", "-", "-", "-stdio", "-l", "en", "-norm"]
        self._process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def ask(self, lines: Sequence[str], answers: int) -> list[str]:
        """The answers to lines that are sent at once; none may be longer than a pipe holds."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self._process.stdin.flush()
        return [self._process.stdout.readline().decode().strip() for _ in range(answers)]

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """The 23 numbers of each example's best reference."""
        rows = []
        for start in range(0, len(examples), 20):
            batch = examples[start : start + 20]
            lines = [" ||| ".join(("SCORE", *e.references, e.response.text)) for e in batch]
            rows += self.ask(lines, len(lines))
        return np.array([row.split() for row in rows], np.float64)

    def evaluate(self, rows: Floats) -> tuple[list[float], float]:
        """The score of each row and of all."""
        parts = [" ".join(map(str, row)) for row in rows.tolist()]
        *scores, score = self.ask([" ||| ".join(("EVAL", *parts))], len(parts) + 1)
        return [float(each) for each in scores], float(score)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


@pytest.fixture(scope="session")
def meteor_folder() -> Path:
    """Where the jar and its paraphrases are, or skip."""
    try:
        return obtain("meteor-1.5")
    except ResourceUnavailable as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def jar(meteor_folder: Path) -> Iterator[Jar]:
    """The real METEOR, or skip."""
    if shutil.which("java") is None:
        pytest.skip("there is no java on this machine, and METEOR's jar is the oracle")
    jar = Jar(meteor_folder)
    yield jar
    jar.close()


@pytest.fixture(scope="session")
def real_examples(shared_data: Path) -> list[Example]:
    """Real responses with real references, some with several, in an order that mixes five corpora."""
    corpora = [
        list(corpus(shared_data)) for corpus in (_multirefeval, _dailydialog, _grade, _topical_chat, _e2e)
    ]
    order = np.random.default_rng(0).permutation([n for n, corpus in enumerate(corpora) for _ in corpus])
    streams = [iter(corpus) for corpus in corpora]
    return [next(streams[n]) for n in order]


def _example(response: str, *references: str) -> Example:
    # The jar's protocol is made of lines, and of bars between texts.
    texts = [" ".join(text.replace("|", " ").split()) for text in (response, *references)]
    return Example("", "", (), Response(texts[0]), tuple(texts[1:]))


def _multirefeval(data: Path) -> Iterator[Example]:
    for line in (data / "multirefeval" / "multireftest.json").read_text(encoding="utf-8").splitlines():
        turns = json.loads(line)["dialogue"]
        for turn, following in pairwise(turns):
            yield _example(following["text"], *turn["responses"])


def _dailydialog(data: Path) -> Iterator[Example]:
    for line in (data / "dailydialog" / "test.json").read_text(encoding="utf-8").splitlines():
        texts = [turn["text"] for turn in json.loads(line)["dialogue"]]
        for text, other in zip(texts, texts[2:], strict=False):
            yield _example(text, other)


def _grade(data: Path) -> Iterator[Example]:
    for folder in sorted((data / "grade" / "eval_data").glob("*/*")):
        responses = (folder / "human_hyp.txt").read_text(encoding="utf-8").splitlines()
        references = (folder / "human_ref.txt").read_text(encoding="utf-8").splitlines()
        for response, reference in zip(responses, references, strict=True):
            yield _example(response, reference)


def _topical_chat(data: Path) -> Iterator[Example]:
    rows = json.loads((data / "usr-topicalchat" / "topical_chat_result.json").read_text(encoding="utf-8"))
    by_context = defaultdict(list)
    for row in rows:
        by_context[row["source"] + row["context"]].append(row["system_output"])
    for outputs in by_context.values():
        for at, output in enumerate(outputs):
            yield _example(output, *(outputs[:at] + outputs[at + 1 :]))


def _e2e(data: Path) -> Iterator[Example]:
    references = defaultdict(list)
    with (data / "e2e-nlg" / "testset_w_refs.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            references[row["mr"]].append(row["ref"])
    for path in sorted((data / "e2e-nlg" / "system_outputs" / "primary").glob("*.tsv"))[:4]:
        with path.open(encoding="utf-8", newline="") as file:
            for row in list(csv.reader(file, delimiter="\t"))[1:]:
                if references[row[0]]:
                    yield _example(row[1], *references[row[0]])
