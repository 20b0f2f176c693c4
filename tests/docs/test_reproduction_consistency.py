"""Chapter 4 of the thesis on one's own dialogues: every command of the page, with raters who answer in the browser."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from support.paths import DOCS
from support.rating_studies import answer_as

PAGE = (DOCS / "reproduction-consistency.md").read_text(encoding="utf-8")
WALK = PAGE[PAGE.index("## Chapter 4") : PAGE.index("## The detector")]

PETS = ("dogs", "cats", "birds", "snakes", "mice", "frogs", "goats", "hens", "geese", "ponies")
CITIES = ("Leeds", "Paris", "Rome", "Oslo", "Berlin", "Madrid", "Tokyo", "Dublin", "Athens", "Vienna")

BOTS = """
from dialeval import Response

DENIED = ("No, I never had any.", "I have none of those.")
TOLD = ("Yes, as I told you before.", "They are all well, thank you.")


class Mine:
    name, denies = "mine", (0, 1)

    def generate(self, contexts, *, n=1, seed=0):
        return [[self.says(context, place) for place in range(n)] for context in contexts]

    def says(self, context, place):
        number = sum(map(ord, context[0].text))
        texts = DENIED if number % 4 in self.denies else TOLD
        return Response(f"{texts[number % 2]} {context[-1].text.rstrip('?')} is all I can say.", -1.0 - place)


class Other(Mine):
    name, denies = "other", (2,)
"""

SMALLER = {
    "my-bot": "bots.py:Mine",
    "other-bot": "bots.py:Other",
    "100": "12",
    "30": "12",
    "21": "4",
}
"""What the test has in place of the page's systems and numbers."""
QUICK = {
    ("consistency", "probe"): ["--system", "tiny"],
    ("consistency", "evaluate"): ["--epochs", "1"],
    ("train", "generator"): ["--epochs", "1", "--held-out", "0"],
    ("train", "contradiction"): ["--epochs", "1", "--rank", "2", "--validation", "0.3"],
}


def commands():
    """The commands of the walk in order; those that serve a study are in blocks of their own."""
    for kind, block in re.findall(r"^```(sh|console)\n(.*?)^```", WALK, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            yield shlex.split(line.removeprefix("$ "))[1:], kind == "console"


def write_talks(path):
    rows = []
    for n, (pets, city) in enumerate(zip(PETS, CITIES, strict=True)):
        said = [
            f"Hello number {n}!",
            f"I have {n + 2} {pets}.",
            f"Do you like {pets}?",
            f"I love them. I live in {city}.",
            f"What are your {pets} called?",
        ]
        messages = [{"role": "AB"[place % 2], "content": text} for place, text in enumerate(said)]
        rows.append({"id": f"d{n}", "messages": messages})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def judge(rater, text):
    """Denials contradict; of some of the others the last rater says so, too."""
    denied = text.startswith(("No, I never", "I have none"))
    return int(denied or (rater in ("cem", "rater-3") and len(text) % 3 == 0))


@pytest.mark.slow
def test_the_walk_from_dialogues_to_the_tables_of_chapter_4(dialeval, minilm, tmp_path):
    pytest.importorskip("torch")
    from support import tiny_models

    words = tiny_models.tokenizer()
    tiny_models.save(tmp_path / "tiny", tiny_models.llama(words), words)
    write_talks(tmp_path / "talks.jsonl")
    (tmp_path / "bots.py").write_text(BOTS, encoding="utf-8")
    printed = {}
    for command, serves in commands():
        if serves:
            assert command[:2] == ["annotate", "serve"]
            answer_as(tmp_path / command[2], judge)
            continue
        if command[:2] == ["train", "generator"]:  # what is trained is a model
            command = ["tiny" if part == "my-bot" else part for part in command]
        own = [SMALLER.get(part, part) for part in command] + QUICK.get(tuple(command[:2]), [])
        done = dialeval(*own)
        assert done.code == 0, (own, done.err)
        printed.setdefault(tuple(command[:2]), []).append(" ".join(done.out.split()))

    probes, answers = read(tmp_path / "probes.jsonl"), read(tmp_path / "answers.jsonl")
    assert {(row["distance"], row["draw"]) for row in probes} == {
        (n, d) for n in (1, 3) for d in ("top", "random")
    }
    assert len(answers) == 2 * len(probes)
    labelled = read(tmp_path / "labelled.jsonl")
    tested = {row["item"] for row in read(tmp_path / "ratings/key.jsonl") if row["role"] == "qualification"}
    assert {row["id"] for row in labelled} == {row["id"] for row in probes} - tested
    for row in labelled:
        votes = sum(judge(rater, row["response"]) for rater in ("rater-1", "rater-2", "rater-3"))
        wanted = {0: "consistent", 1: "ambiguous", 3: "contradiction"}[votes]
        assert (row["votes"], row["label"]) == (votes, wanted)
    assert {row["label"] for row in labelled} == {"contradiction", "consistent", "ambiguous"}

    (table_4_3,) = printed["consistency", "label"][1:]
    for distance in (1, 3):
        own = [row for row in labelled if row["distance"] == distance]
        contradicted = {row["id"] for row in own if row["label"] == "contradiction"}
        contexts = len({row["id"] for row in own})
        assert f"{len(contradicted)} of {contexts} contexts contradicted" in table_4_3
    first, second = printed["consistency", "analyse"]
    top = [row for row in labelled if row["draw"] == "top"]
    assert f"{sum(row['votes'] >= 3 for row in top)} / {len(top)}" in first, "table 4.2"
    assert '"how often"' in first
    assert "Two detectors" in second
    (table_4_4,) = printed["consistency", "evaluate"]
    assert "mine" in table_4_4
    assert "other" in table_4_4
    later = {row["id"] for row in read(tmp_path / "later.jsonl")}
    lessons = {row["id"] for row in read(tmp_path / "lessons.jsonl")}
    assert later, "nothing to compare before and after by"
    assert lessons
    assert not lessons & later
    for made in ("analysis/analysis.html", "compared/analysis.html", "detected/report.html", "careful-bot"):
        assert (tmp_path / made).exists(), made


def test_the_walk_has_all_steps():
    verbs = [" ".join(command[:2]) for command, _ in commands()]
    assert verbs == [
        *("consistency probe", "consistency collect"),
        *("annotate init", "annotate serve", "annotate export", "consistency label"),
        *("annotate init", "annotate serve", "annotate export", "consistency label"),
        *("consistency analyse", "consistency evaluate", "train contradiction"),
        *("consistency analyse", "consistency detect"),
        *("consistency questions", "train generator"),
    ]
