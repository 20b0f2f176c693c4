"""One hallway: every verb of an evaluation writes a run, whose study gives the same numbers when ``run`` runs it."""

from __future__ import annotations

import io
import json
import shutil
import sys
from pathlib import Path

import pytest

from support.every_verb import make_inputs

LINES = {
    "score": "score both.jsonl -m rouge_l -m distinct --trials 20",
    "select ask": "select ask questions.jsonl --system careful.jsonl --system tfidf --trials 20",
    "nbest measure": "nbest measure lists.jsonl --trials 20",
    "consistency detect": "consistency detect clashes.jsonl --trials 20",
    "nlg score": "nlg score said.jsonl -m bleu --trials 20",
}
ACTS = [
    {
        "id": str(n),
        "system": system,
        "act": {"act": "inform", "slots": {"name": name, "food": "thai"}},
        "response": f"{name} is {food}",
        "references": [f"{name} is thai"],
    }
    for n, name in enumerate(("ax", "bix", "cux", "dox"))
    for system, food in (("good", "thai"), ("poor", "nice"))
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    make_inputs(tmp_path / "here")
    (tmp_path / "here/said.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ACTS))
    examples = [tmp_path / "here" / f"{name}_examples.jsonl" for name in ("careful", "brief")]
    (tmp_path / "here/both.jsonl").write_text("".join(path.read_text() for path in examples))
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.mark.parametrize("verb", LINES)
def test_a_verb_prints_the_numbers_that_run_prints(dialeval, folder: Path, verb: str) -> None:
    done = dialeval(*LINES[verb].split(), "-o", "out", "--json")
    assert done.code == 0, done.err
    shutil.copy("out/study.yaml", "again.yaml")
    again = dialeval("run", "again.yaml", "-o", "again", "--json")
    assert again.code == 0, again.err
    told, ran = (json.loads(Path(place, "summary.json").read_text()) for place in ("out", "again"))
    assert told["results"]
    for part in ("results", "comparisons", "ranks", "breakdowns"):
        assert told.get(part) == ran.get(part), part
    printed = json.loads(done.out)
    assert printed["comparisons"] == ran["comparisons"]


@pytest.mark.parametrize("verb", LINES)
def test_what_a_verb_writes_is_a_run_for_those_that_read_runs(dialeval, folder: Path, verb: str) -> None:
    assert dialeval(*LINES[verb].split(), "-o", "out").code == 0
    assert dialeval("report", "out").code == 0
    assert dialeval("report", "out", "--markdown").code == 0
    systems = list(
        dict.fromkeys(one["system"] for one in json.loads(Path("out/summary.json").read_text())["results"])
    )
    if len(systems) > 1:
        compared = dialeval("compare", f"out:{systems[0]}", f"out:{systems[1]}", "--json")
        assert compared.code == 0, compared.err


def test_score_prints_the_numbers_that_run_prints(dialeval, folder: Path) -> None:
    """Scores, intervals and counts of the same file under the same measures."""
    rows = json.loads(
        dialeval("score", "careful_examples.jsonl", "-m", "rouge_l", "-m", "length", "--json").out
    )
    Path("one.yaml").write_text(
        "data: careful_examples.jsonl\nmissing: own\nmeasures: [rouge_l, length]\n"
        "systems: [{name: careful, kind: transcript, path: careful_examples.jsonl}]\n"
    )
    ran = json.loads(dialeval("run", "one.yaml", "-o", "one", "--json").out)
    scored = {row["metric"]: (row["score"], row["low"], row["high"], row["n"]) for row in rows["results"]}
    assert scored == {
        one["measure"]: tuple(one["estimate"][key] for key in ("value", "low", "high", "n"))
        for one in ran["results"]
    }


def test_score_writes_a_run_of_responses_with_other_data_and_of_standard_input(
    dialeval, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run folder's scores are those that ``score`` prints where every system answers every item."""
    line = ["score", "careful.jsonl", "--data", "prompts.jsonl", "-m", "rouge_l"]
    printed = json.loads(dialeval(*line, "--json").out)["results"]
    done = dialeval(*line, "-o", "beside", "--per-item", "values.jsonl", "--json")
    assert done.code == 0, done.err
    keys = ("metric", "system", "score", "low", "high", "n", "unscored", "unanswered")
    rows = json.loads(done.out)["results"]
    assert [[row[key] for key in keys] for row in rows] == [[row[key] for key in keys] for row in printed]
    assert len(Path("values.jsonl").read_text().splitlines()) == rows[0]["n"] + rows[0]["unscored"]
    kept = Path("careful_examples.jsonl").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(kept)))
    read = dialeval("score", "-", "-m", "length", "-o", "piped")
    assert read.code == 0, read.err
    assert Path("piped/stdin.jsonl").read_bytes() == kept


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("both.jsonl -m rouge_l --skip-bad -o out", "requires FILE, and cannot be combined with"),
        ("--hyp lines.txt --ref lines.txt -o out", "requires FILE, and cannot be combined with"),
        ("both.jsonl -m rouge_l --per-turn turns.jsonl -o out", "cannot be combined with --per-turn"),
        (
            "talks.jsonl -m quality -m length -o out",
            "--out: quality judge whole dialogues, and length the last turn",
        ),
    ],
)
def test_score_says_what_a_run_folder_cannot_hold(dialeval, folder: Path, given: str, reason: str) -> None:
    done = dialeval("score", *given.split())
    assert (done.code, Path("out").exists()) == (2, False)
    assert reason in done.err
