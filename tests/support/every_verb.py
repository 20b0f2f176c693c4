"""One small use of every verb of the command line, with the files that it needs."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from support.fault_studies import put
from support.paths import TESTS


class Use(NamedTuple):
    """A command line; ``{out}`` stands for the folder that is given to it for its results."""

    line: str
    given: str = ""
    """A folder that is copied there first, such as a run whose page is then built."""
    serves: bool = False
    """Runs until it is stopped."""

    full: str = "No space left on device"
    """How it calls a full disk; SQLite has words of its own."""
    locked: str = "Read-only file system"

    @property
    def writes(self) -> bool:
        return "{out}" in self.line

    def words(self, out: str) -> list[str]:
        return self.line.format(out=out).split()


FULL: Final = "the store cannot be written or read"
LOCKED: Final = FULL
RATED: Final = (
    "annotate init careful_examples.jsonl -o {out}/st --kind likert --criterion overall --overlap 1"
)
USES: Final[Mapping[str, Use]] = {
    "demo": Use("demo --copy {out}/demo"),
    "init": Use("init prompts.jsonl brief.jsonl careful_examples.jsonl -o {out}/study.yaml --force"),
    "run": Use("run clustered.yaml -o {out}/run"),
    "score": Use("score careful_examples.jsonl -m rouge_l -m bleu --trials 20 --per-item {out}/items.jsonl"),
    "merge": Use("merge parts/1 parts/2 -o {out}/merged"),
    "compare": Use("compare careful_examples.jsonl brief_examples.jsonl -m rouge_l --trials 50"),
    "meta": Use("meta runs/first ratings.jsonl --human-criterion overall --trials 20 -o {out}/meta"),
    "report": Use("report {out}/first", "runs/first"),
    "chat": Use("chat echo --with self --openings prompts.jsonl --turns 2 --limit 2 -o {out}/talks.jsonl"),
    "talks judge": Use("talks judge real_talks.jsonl -s scenarios.yaml -o {out}/judged.jsonl"),
    "talks users": Use("talks users runs/talks"),
    "talks correct": Use("talks correct runs/talks real_talks.jsonl"),
    "talks survive": Use("talks survive runs/talks runs/other_user"),
    "scenarios from": Use("scenarios from real_talks.jsonl -o {out}/drafted.yaml"),
    "scenarios check": Use("scenarios check scenarios.yaml"),
    "docs": Use("docs study"),
    "doctor": Use("doctor --sbom {out}/sbom.json"),
    "annotate init": Use(RATED),
    "annotate serve": Use("annotate serve {out}/st --port 0", "st", serves=True, full=FULL, locked=LOCKED),
    "annotate simulate": Use("annotate simulate st --copy {out}/copy --seed 1"),
    "annotate export": Use("annotate export rated -o {out}/people.jsonl"),
    "annotate demo": Use("annotate demo -o {out}/st --port 0", serves=True),
    "annotate tasks": Use("annotate tasks st -o {out}/tasks.csv"),
    "annotate import": Use("annotate import {out}/st score.csv", "st", full=FULL, locked=LOCKED),
    "annotate agreement": Use("annotate agreement ratings.jsonl --criterion overall --trials 20"),
    "annotate means": Use("annotate means ratings.jsonl"),
    "annotate preferences": Use("annotate preferences preferred.csv"),
    "judge escalate": Use(
        "judge escalate judged.jsonl --items rated.jsonl --budget 10 --criterion overall -o {out}/more"
    ),
    "judge steps": Use("judge steps coherence --by judge:smollm2-135m-instruct -o {out}/steps.txt"),
    "judge estimate": Use("judge estimate more rated_by.jsonl"),
    "judge drift": Use("judge drift judged.jsonl judged.jsonl --margin 0.5 -o {out}/drift.json"),
    "consistency probe": Use("consistency probe clashes.jsonl --kind entity -o {out}/probes.jsonl"),
    "consistency collect": Use("consistency collect probes.jsonl --system echo -o {out}/answers.jsonl"),
    "consistency detect": Use("consistency detect clashes.jsonl -o {out}/detected --no-resume"),
    "consistency tasks": Use("consistency tasks answers.jsonl -o {out}/tasks"),
    "consistency label": Use(
        "consistency label answers.jsonl --scores told.csv --key told/key.jsonl -o {out}/labelled.jsonl"
    ),
    "consistency questions": Use("consistency questions mixed.jsonl -o {out}/lessons.jsonl"),
    "consistency analyse": Use("consistency analyse labelled.jsonl -o {out}/analysis"),
    "consistency evaluate": Use("consistency evaluate labelled.jsonl"),
    "data ls": Use("data ls"),
    "data validate": Use("data validate prompts.jsonl"),
    "data convert": Use("data convert careful_examples.jsonl {out}/examples.parquet"),
    "nbest stimuli": Use("nbest stimuli pairs.jsonl -o {out}/stimuli.jsonl"),
    "nbest measure": Use("nbest measure lists.jsonl -o {out}/measured"),
    "nbest sweep": Use(
        "nbest sweep stimuli.jsonl --system bot --beams 1,2 --by detector --trials 20 -o {out}/swept"
    ),
    "nbest answers": Use("nbest answers asked.jsonl"),
    "nbest shares": Use("nbest shares lists.jsonl --scores listed.jsonl --rule right>=0.5 --trials 20"),
    "nlg generate": Use("nlg generate nlg acts.jsonl -o {out}/sentences.jsonl"),
    "nlg score": Use("nlg score sentences.jsonl -m bleu --trials 20"),
    "resources ls": Use("resources ls"),
    "resources verify": Use("resources verify lemminflect"),
    "select build": Use(
        "select build corpus.jsonl --repository lines.txt --vectors static --words vectors.txt --m 2 -o {out}/draft"
    ),
    "select tasks": Use("select tasks draft.jsonl -o {out}/tasks"),
    "select vet": Use("select vet draft.jsonl --scores filled.csv --key fit/key.jsonl -o {out}/vetted"),
    "select label": Use(
        "select label plain.jsonl --scores classes.csv --key classes/key.jsonl -o {out}/labelled"
    ),
    "select stats": Use("select stats questions.jsonl --repository lines.txt --random-trials 5"),
    "select ask": Use("select ask questions.jsonl --system tfidf --trials 20 -o {out}/asked"),
    "selfeval levels": Use("selfeval levels talks.jsonl -m context_cosine"),
    "systems ls": Use("systems ls"),
    "train generator": Use("train generator corpus.jsonl -o {out}/bot --scale tiny --epochs 1"),
    "train contradiction": Use("train contradiction nli.jsonl -o {out}/detector --epochs 1 --batch 8"),
    "train acts": Use("train acts acts.txt -o {out}/acts --epochs 1"),
    "train nlg": Use("train nlg acts.jsonl -o {out}/nlg --epochs 1 --hidden 8"),
    "train quality": Use("train quality rated.jsonl --ratings rated_by.jsonl -o {out}/quality"),
    "train rival": Use("train rival density talks.jsonl -o {out}/density --epochs 1"),
    "train selfeval": Use("train selfeval talks.jsonl -o {out}/scorer --epochs 1"),
    "train yesno": Use("train yesno exchanges.jsonl -o {out}/yesno --epochs 1"),
    "train skip-thought": Use("train skip-thought corpus.jsonl -o {out}/skip --scale tiny --epochs 1"),
}
"""Each verb once."""

MADE: Final = (
    "run clustered.yaml -o runs/first",
    "run talked.yaml -o runs/talks",
    "run talked_by_other.yaml -o runs/other_user",
    "run clustered.yaml -o parts/1 --shard 1/2",
    "run clustered.yaml -o parts/2 --shard 2/2",
    RATED.format(out="."),
    "annotate tasks st -o score.csv",
    "annotate simulate st --copy rated --seed 1",
    "select tasks draft.jsonl --seed 2 -o fit",
    "select tasks questions.jsonl --form error_class --seed 2 -o classes",
    "consistency probe clashes.jsonl --kind entity -o probes.jsonl",
    "consistency collect probes.jsonl --system echo -o answers.jsonl",
    "consistency tasks answers.jsonl -o told",
    "train nlg acts.jsonl -o nlg --model random",
    "nlg generate nlg acts.jsonl -o sentences.jsonl",
    "nbest stimuli pairs.jsonl -o stimuli.jsonl",
    "judge escalate judged.jsonl --budget 10 --criterion overall -o more",
    "train generator corpus.jsonl -o bot --scale tiny --epochs 1",
)
"""Commands that make what others read, in this order."""


def make_everything(folder: Path, command: Callable[..., None]) -> Path:
    """A folder in which each of ``USES`` ends well; ``command`` runs one there."""
    make_inputs(folder)
    make_results(folder, command)
    return folder


SCENARIOS: Final = "".join(f"- {{id: s{n}, goal: A lamp., success: {{contains: lamp}}}}\n" for n in range(3))
GRAPH: Final = (
    'start: {say: I want one., next: {"*": end}}\nend: {say: A LAST., next: {"*": bye}}\nbye: {say: Bye.}\n'
)
TALKED: Final = (
    "talks: {scenarios: scenarios.yaml, user: {graph: NAME_user.yaml}, repeats: 2}\nmeasures: [success, length]\n"
    "systems: [{name: one, kind: echo}, {name: two, kind: echo}]\ntrials: 20\n"
)


def make_inputs(folder: Path) -> None:
    """Write the files that people would have."""
    shutil.copytree(TESTS / "golden" / "study", folder)
    for name, rows in _rows().items():
        put(folder / f"{name}.jsonl", rows)
    (folder / "scenarios.yaml").write_text(SCENARIOS)
    for name, last in (("talked", "lamp"), ("talked_by_other", "sofa")):
        (folder / f"{name}_user.yaml").write_text(GRAPH.replace("LAST", last))
        (folder / f"{name}.yaml").write_text(TALKED.replace("NAME", name))
    (folder / "acts.txt").write_text(
        "".join(f"{n}|A|is it {n} ?|{'qy' if n % 2 else 'sd'}\n" for n in range(12))
    )
    preferred = [f"i{n},r{n % 3},new,old,{'ab'[n % 3 == 0]}" for n in range(12)]
    (folder / "preferred.csv").write_text("\n".join(["item,rater,a,b,choice", *preferred]))


def make_results(folder: Path, command: Callable[..., None]) -> None:
    """Let commands write the files that other commands read."""
    for line in MADE:
        command(line.split())
    _fill(folder / "score.csv", folder / "score.csv", ("3",))
    _fill(folder / "told" / "for_raters" / "tasks.csv", folder / "told.csv", ("1", "1", "0"))
    command(USES["consistency label"].words("."))
    with (folder / "labelled.jsonl").open(encoding="utf-8") as file:
        labelled = list(map(json.loads, file))
    consistent = [
        {**row, "system": "other", "response": "I said so before.", "label": "consistent", "votes": 0}
        for row in labelled
    ]
    put(folder / "mixed.jsonl", [*labelled, *consistent])


def _fill(blank: Path, filled: Path, scores: tuple[str, ...]) -> None:
    """Answer every task of a table, by a rater for each score."""
    with blank.open(encoding="utf-8", newline="") as file:
        rows = [
            row | {"rater": f"r{n}", "score": s} for row in csv.DictReader(file) for n, s in enumerate(scores)
        ]
    with filled.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)


def _talk(item: str, *texts: str) -> dict[str, object]:
    turns = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]
    return {"id": item, "system": "bot", "messages": turns}


def _played() -> list[dict[str, object]]:
    """Talks of people, who reached their goal in one of two."""
    return [
        {**_talk(f"s{n}/1", "A lamp?", "No.", "Bye."), "system": "one", "metadata": {"success": n == 1}}
        for n in range(2)
    ]


def _rows() -> dict[str, list[dict[str, object]]]:
    clash = ("Do you smoke?", "I have never smoked.", "Really?", "I smoke ten cigarettes a day.")
    said = {"yes": "Yes, I do.", "no": "No way.", "ambiguous": "Perhaps."}
    context = [_turn("assistant", "I'm in Texas."), _turn("user", "Are you in Texas?")]
    listed = [{"text": "Yes, I am.", "logprob": -1.5}, {"text": "No, I'm not.", "logprob": -2.5}]
    names = ("ax", "bix", "cux", "dox", "ex", "fox", "gux", "hix", "ix", "jox", "kux", "lix")
    return {
        "clashes": [_talk(f"d{n}", *clash) for n in range(3)],
        "real_talks": _played(),
        "talks": [
            _talk(f"t{n}", *clash, f"Do you like number {n}?", f"Yes, {n} is fine.") for n in range(24)
        ],
        "pairs": [
            {"premise": "we have two dogs", "hypothesis": "We have pets.", "label": "entailment"},
            {"premise": "we have two dogs", "hypothesis": "We have a cat.", "label": "contradiction"},
        ],
        "nli": [
            {"premise": f"I have {n} cats.", "hypothesis": text, "label": label}
            for n in range(2, 12)
            for text, label in (("I have no cats.", "contradiction"), ("I like tea.", "neutral"))
        ],
        "lists": [
            {"id": f"l{n}", "system": "bot", "context": context, "responses": listed, "expected": "yes"}
            for n in range(4)
        ],
        "listed": [
            {"item": f"l{n}", "system": "bot", "rater": "m", "criterion": "right", "value": n % 2}
            for n in range(4)
        ],
        "asked": [{"id": f"a{n}", "question": "Do you smoke?", "answer": "No."} for n in range(3)],
        "exchanges": [
            {
                "id": str(n),
                "question": f"Do you like number {n}?",
                "answer": said[label],
                "label": label,
                "scenario": f"s{n % 6}",
            }
            for n in range(24)
            for label in (list(said)[n % 3],)
        ],
        "acts": [
            {
                "act": {"act": "inform", "slots": {"name": name, "food": "thai"}},
                "references": [f"{name} is thai"],
            }
            for name in names
        ],
        "rated": [
            {
                "id": str(n),
                "system": "bot",
                "context": context[1:],
                "response": ("Yes, in Ohio.", "Oh oh oh.")[n % 2],
            }
            for n in range(25)
        ],
        "judged": [
            {
                "item": str(n),
                "system": "bot",
                "rater": "judge(model='m')",
                "criterion": "judge",
                "value": (4, 2)[n % 2],
            }
            for n in range(25)
        ],
        "rated_by": [
            {
                "item": str(n),
                "system": "bot",
                "rater": rater,
                "criterion": "overall",
                "value": (4, 1)[n % 2] + more,
            }
            for n in range(25)
            for rater, more in (("a", 0), ("b", 1))
        ],
    }


def _turn(role: str, text: str) -> dict[str, str]:
    return {"role": role, "content": text}
