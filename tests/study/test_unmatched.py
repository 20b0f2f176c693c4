"""Lines that match nothing, measures without a value, and folders of runs in which anything failed."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from dialeval.core import Resampling
from dialeval.errors import UnknownName, Unsuitable
from dialeval.ratings import read_judgements
from dialeval.study import compare_sides, load_run, load_study, open_sides, render, run_study, write_run
from support.command import Outcome

Command = Callable[..., Outcome]


def lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def written(folder: Path, *, wrong: int, references: bool = True, human: str = "") -> Path:
    """A study of ten items: of the ten lines of a.jsonl so many have ids that the data does not."""
    context = [{"role": "user", "content": "where is it"}]
    items = [f"i{n}" for n in range(10)]
    refs = {"references": ["over there"]} if references else {}
    lines(folder / "data.jsonl", [{"id": item, "context": context, **refs} for item in items])
    ids = [f"x{n}" if n < wrong else item for n, item in enumerate(items)]
    lines(
        folder / "a.jsonl",
        [{"id": i, "system": "a", "context": context, "response": "over there"} for i in ids],
    )
    systems = "[{name: a, kind: transcript, path: a.jsonl}, {name: e, kind: echo}]"
    path = folder / "study.yaml"
    path.write_text(f"data: data.jsonl\nsystems: {systems}\nmeasures: [rouge_l, length]\ntrials: 50\n{human}")
    return path


def test_lines_that_match_no_item_are_told_with_examples(dialeval: Command, tmp_path: Path) -> None:
    done = dialeval("run", written(tmp_path, wrong=4), "-o", "out")
    assert done.code == 0
    assert "4 of 10 lines of a.jsonl match no item, such as 'x0', 'x1' and 'x2'" in " ".join(done.out.split())
    manifest = json.loads(Path("out/manifest.json").read_text())
    assert [{**entry, "path": Path(entry["path"]).name} for entry in manifest["unmatched"]] == [
        {"path": "a.jsonl", "lines": 10, "unmatched": 4, "examples": ["x0", "x1", "x2"]}
    ]
    assert "4 of 10 lines of a.jsonl match no item" in Path("out/report.html").read_text()
    a = next(scored for scored in load_run("out").scored if scored.system == "a")
    assert (dict(a.result.reasons), a.result.unanswered) == ({}, 4)
    assert "no line with this id in a.jsonl" in Path("out/examples.jsonl").read_text()


def test_a_file_that_hardly_matches_fails_unless_that_is_meant(dialeval: Command, tmp_path: Path) -> None:
    path = written(tmp_path, wrong=6)
    done = dialeval("run", path, "-o", "out")
    assert done.code == 1
    (failure,) = json.loads(Path("out/summary.json").read_text())["failures"]
    assert (failure["system"], failure["measure"]) == ("a", None)
    assert "6 of 10 lines of a.jsonl match no item" in failure["message"]
    assert "items of the data are such as 'i0', 'i1' and 'i2'" in failure["message"]
    assert "--allow-unmatched" in failure["message"]
    allowed = dialeval("run", path, "-o", "out", "--allow-unmatched")
    assert allowed.code == 0
    assert "# run with --allow-unmatched" in Path("out/study.yaml").read_text()


def test_a_limit_leaves_no_line_unmatched(tmp_path: Path) -> None:
    study = replace(load_study(written(tmp_path, wrong=0)), limit=2)
    assert run_study(study).unmatched == ()


def test_ratings_that_match_nothing_are_counted_and_refused_alike(tmp_path: Path) -> None:
    def rated(items: list[str]) -> None:
        given = {"rater": "ann", "criterion": "good"}
        rows = [
            {"item": item, "system": s, **given, "value": n % 3} for n, item in enumerate(items) for s in "ae"
        ]
        lines(tmp_path / "ratings.jsonl", rows)

    path = written(tmp_path, wrong=0, human="human: ratings.jsonl\n")
    rated([f"i{n}" for n in range(10)] + ["y1", "y2"])
    few = run_study(load_study(path))
    assert [(u.lines, u.unmatched, u.examples) for u in few.unmatched] == [(24, 4, ("item y1", "item y2"))]
    assert few.agreement is not None
    rated(["i0", "i1", "i2"] + [f"y{n}" for n in range(10)])
    most = run_study(load_study(path))
    assert most.agreement is None
    assert "20 of 26 lines of ratings.jsonl match no item" in most.failures[0].message
    allowed = run_study(replace(load_study(path), allow_unmatched=True))
    assert allowed.failures == ()


def test_references_that_match_nothing_are_counted_and_refused_alike(tmp_path: Path) -> None:
    path = written(tmp_path, wrong=0, references=False, human="references: refs.jsonl\n")
    lines(tmp_path / "refs.jsonl", [{"id": f"i{n}", "references": ["there"]} for n in range(4, 14)])
    few = run_study(load_study(path))
    assert [(u.lines, u.unmatched, u.examples) for u in few.unmatched] == [(10, 4, ("i10", "i11", "i12"))]
    lines(tmp_path / "refs.jsonl", [{"id": f"i{n}", "references": ["there"]} for n in range(8, 18)])
    with pytest.raises(Unsuitable, match=r"8 of 10 lines of refs\.jsonl match no item"):
        run_study(load_study(path))
    assert run_study(replace(load_study(path), allow_unmatched=True)).unmatched[0].unmatched == 8


def test_a_measure_without_any_value_is_a_failure(dialeval: Command, tmp_path: Path) -> None:
    done = dialeval("run", written(tmp_path, wrong=0, references=False), "-o", "out")
    assert done.code == 1
    (failure,) = json.loads(Path("out/summary.json").read_text())["failures"]
    assert failure == {
        "system": None,
        "measure": "rouge_l",
        "message": "no item of any system has a value: no references (20 times)",
        "partial": False,
    }


SYSTEMS = {
    "whole": [(n, "over there") for n in range(6)],
    "part": [(0, "over"), (3, "there"), (5, "")],
    "rest": [(1, "it is there"), (2, "no")],
    "silent": [],
    "broken": None,
}


def random_study(folder: Path, systems: list[str], references: list[bool], rule: str) -> Path:
    context = [{"role": "user", "content": "where is it"}]
    rows = [
        {"id": f"d{n // 2}/{n}", "context": context, "references": ["it is over there"] if known else []}
        for n, known in enumerate(references)
    ]
    lines(folder / "data.jsonl", rows)
    for name, said in SYSTEMS.items():
        answers = [
            {"id": f"d{n // 2}/{n}", "system": name, "context": context, "response": text}
            for n, text in said or ()
        ]
        lines(folder / f"{name}.jsonl", answers)
    (folder / "broken.jsonl").write_text('{"id": ')
    kinds = [f"{{name: {name}, kind: transcript, path: {name}.jsonl}}" for name in systems]
    measures = "rouge_l, length, bleu(order=2)" + ("" if rule == "worst" else ", distinct(n=1)")
    (folder / "study.yaml").write_text(
        f"data: data.jsonl\nsystems: [{', '.join(kinds)}]\nmeasures: [{measures}]\ntrials: 20\nmissing: {rule}\n"
    )
    return folder / "study.yaml"


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    systems=st.lists(st.sampled_from(sorted(SYSTEMS)), min_size=1, max_size=4, unique=True),
    references=st.lists(st.booleans(), min_size=6, max_size=6),
    rule=st.sampled_from(["shared", "worst", "own"]),
)
def test_every_folder_that_a_run_writes_can_be_read(
    systems: list[str], references: list[bool], rule: str
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_run(run_study(load_study(random_study(folder, systems, references, rule))), folder / "out")
        render(folder / "out")
        loaded = load_run(folder / "out")
        assert len(read_judgements([str(folder / "out")])) == sum(
            len(scored.result.judgements) for scored in loaded.scored
        )
        copytree(folder / "out", folder / "again")
        pairs = [*((f"out:{a}", f"out:{b}") for a, b in permutations(systems, 2)), ("out", "again")]
        for a, b in pairs:
            with suppress(Unsuitable, UnknownName):  # said in words: no item or measure that both have
                compare_sides(*open_sides(f"{folder}/{a}", f"{folder}/{b}"), Resampling(resamples=20))


def test_a_system_without_a_value_does_not_keep_others_from_being_compared(tmp_path: Path) -> None:
    path = random_study(tmp_path, ["whole", "silent", "broken", "part"], [True] * 6, "shared")
    write_run(run_study(load_study(path)), tmp_path / "out")
    copytree(tmp_path / "out", tmp_path / "again")
    pairs = compare_sides(*open_sides(f"{tmp_path}/out", f"{tmp_path}/again"), Resampling(resamples=20))
    assert {(Path(pair.a).name, Path(pair.b).name) for pair in pairs} == {
        ("out:whole", "again:whole"),
        ("out:part", "again:part"),
    }
    with pytest.raises(Unsuitable, match="share no item with a value from both"):
        compare_sides(
            *open_sides(f"{tmp_path}/out:whole", f"{tmp_path}/out:silent"), Resampling(resamples=20)
        )


def test_a_file_with_half_of_its_ids_wrong_is_refused(tmp_path: Path) -> None:
    half = run_study(load_study(written(tmp_path, wrong=5)))
    assert "5 of 10 lines of a.jsonl match no item" in half.failures[0].message
    assert run_study(load_study(written(tmp_path, wrong=4))).failures == ()


def test_systems_that_share_no_item_under_the_first_measure_get_a_page(tmp_path: Path) -> None:
    known = [False, False, False, True, False, False]
    path = random_study(tmp_path, ["rest", "whole"], known, "shared")
    write_run(run_study(load_study(path)), tmp_path / "out")
    assert render(tmp_path / "out").is_file()
