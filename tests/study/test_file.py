"""A study file says what to do, or which value is wrong and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialeval.errors import BadInput, BadStudy
from dialeval.study import load_study, parse_gate, run_study
from dialeval.study.summary import summarise

GOOD = """
name: two-bots
seed: 7
data: prompts.jsonl
systems:
  - {name: old, kind: transcript, path: old.jsonl}
  - {name: floor, kind: echo}
measures: [bleu(order=2), rouge_l, {name: bleu, order: 4}]
gates: ["old: rouge_l >= 0.2", "bleu(order=2) > .1"]
"""


def load(tmp_path: Path, text: str):
    path = tmp_path / "study.yaml"
    path.write_text(text, encoding="utf-8")
    for name in ("prompts.jsonl", "old.jsonl"):
        (tmp_path / name).touch()
    return load_study(str(path))


def problems(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(BadStudy) as caught:
        load(tmp_path, text)
    return list(caught.value.problems)


def test_a_good_study_has_its_paths_beside_it_and_its_names_resolved(tmp_path):
    study = load(tmp_path, GOOD)
    assert (study.name, study.resampling.seed, study.data) == ("two-bots", 7, tmp_path / "prompts.jsonl")
    assert [system.name for system in study.systems] == ["old", "floor"]
    assert study.systems[0].path == tmp_path / "old.jsonl"
    assert [measure.label for measure in study.measures] == ["bleu(order=2)", "rouge_l", "bleu(order=4)"]
    assert [str(gate) for gate in study.gates] == ["old: rouge_l >= 0.2", "bleu(order=2) > 0.1"]
    assert study.text == GOOD


def test_the_name_defaults_to_the_files(tmp_path):
    assert load(tmp_path, GOOD.replace("name: two-bots", "")).name == "study"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("data: prompts.jsonl", "", "data: required"),
        ("seed: 7", "sead: 7", "sead: unknown key; did you mean 'seed'?"),
        ("seed: 7", "seed: many", "seed: found 'many', expected a whole number"),
        ("seed: 7", "seed: -1", "seed: found -1, expected 0 or more"),
        (
            "kind: echo",
            "kind: ecco",
            "systems[1].kind: There is no kind of system called 'ecco'. Did you mean 'echo'?",
        ),
        (", kind: echo", "", "systems[1].kind: required; known kinds: "),
        ("name: floor", 'name: "\\u200b"', "systems[1].name: found '\\u200b', expected a name"),
        (
            "kind: echo",
            "kind: openai, base_url: http://127.0.0.1:9/v1, model: m, cache: never",
            "systems[1].cache: found 'never', expected none, run or keep, or a folder (./never)",
        ),
        ("kind: echo", "kind: echo, cache: no", "systems[1].cache: found False, expected none, run or keep"),
        (
            "path: old",
            "pth: old",
            "systems[0].pth: unknown key for kind 'transcript'; did you mean 'path' or 'paths'?",
        ),
        ("path: old.jsonl", "path: 3", "systems[0].path: found 3, expected a path"),
        (
            "rouge_l,",
            "rogue_l,",
            "measures[1]: There is no measure called 'rogue_l'. Did you mean 'rouge_l'?",
        ),
        ("order=2),", "oder=2),", "measures[0]: "),
        ("name: floor", "name: old", "systems: the name 'old' occurs 2 times"),
        ("rouge_l,", "bleu(order=2),", "measures: the measure 'bleu(order=2)' occurs 2 times"),
        (
            "old: rouge_l",
            "odl: rouge_l",
            "gates[0]: There is no system in this study called 'odl'. Did you mean 'old'?",
        ),
        ("old.jsonl", "odl.jsonl", "systems[0].path: "),
        ("prompts.jsonl", "promts.jsonl", "data: "),
        (
            "measures: [bleu(order=2), rouge_l, {name: bleu, order: 4}]",
            "measures: []",
            "measures: found an empty list",
        ),
        (">= 0.2", "is good", "gates[0]: 'old: rouge_l is good' is not a gate"),
    ],
)
def test_each_mistake_is_named_with_the_path_to_it(tmp_path, old, new, expected):
    assert old in GOOD
    found = problems(tmp_path, GOOD.replace(old, new, 1))
    assert any(problem.startswith(expected) for problem in found), found


@pytest.mark.parametrize(
    ("old", "where"), [("data: prompts.jsonl", "data"), ("path: old.jsonl", "systems[0].path")]
)
def test_a_path_that_is_too_long_is_no_such_file(tmp_path, old, where):
    key = old.partition(":")[0]
    problem, *_ = problems(tmp_path, GOOD.replace(old, f"{key}: {'x' * 300}"))
    assert problem.startswith(f"{where}: no such file")


def test_all_problems_are_told_at_once(tmp_path):
    bad = GOOD.replace("seed: 7", "sead: x").replace("rouge_l,", "rogue_l,").replace("old.jsonl", "odl.jsonl")
    found = problems(tmp_path, bad)
    assert [one.partition(":")[0] for one in found[:3]] == ["sead", "systems[0].path", "measures[1]"]
    assert (
        len(problems(tmp_path, GOOD.replace("rouge_l,", "rogue_l,").replace("kind: echo", "kind: ecco"))) >= 2
    )


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "just words"])
def test_a_file_without_keys_is_refused(tmp_path, text):
    assert "expected keys such as data, systems, measures" in problems(tmp_path, text)[0]


def test_broken_yaml_names_the_line(tmp_path):
    with pytest.raises(BadInput) as caught:
        load(tmp_path, "name: x\ndata: [1, 2\nsystems: }")
    assert caught.value.line == 3


@pytest.mark.parametrize(
    "make", [lambda p: None, lambda p: p.mkdir(), lambda p: p.write_bytes(b"name: \xff")]
)
def test_an_absent_study_a_folder_and_other_encodings_are_refused(tmp_path, make):
    path = tmp_path / "study.yaml"
    make(path)
    with pytest.raises(BadInput, match=r"study\.yaml: found .+, expected a study file in YAML"):
        load_study(path)


def test_a_study_in_an_old_encoding_is_refused_with_the_command_that_converts_it(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_bytes("name: 自転車のしらべ\ndata: prompts.jsonl\n".encode("cp932"))
    with pytest.raises(BadInput, match=r"It looks like SHIFT_JIS\. .+ iconv -f SHIFT_JIS -t UTF-8"):
        load_study(path)


@pytest.mark.parametrize(
    ("text", "score", "passed"),
    [
        ("rouge_l >= 0.3", 0.3, True),
        ("rouge_l > 0.3", 0.3, False),
        ("rouge_l<=1e-2", 0.01, True),
        ("rouge_l < -.5", -1, True),
        ("rouge_l >= 0", float("nan"), False),
        ("rouge_l <= 0", float("nan"), False),
    ],
)
def test_a_gate_is_met_or_not_and_an_undefined_score_never_meets_one(text, score, passed):
    assert parse_gate(text).met_by(score) is passed


def test_a_gate_prints_as_it_parses():
    for text in ("new: bleu(order=2) >= 0.1", "length < 60"):
        assert str(parse_gate(text)) == text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "data: a.jsonl\nseed: 1\ndata: b.jsonl\n",
            "line 3: found the key 'data' a second time (first in line 1)",
        ),
        (
            "data: a.jsonl\nsystems:\n  - name: x\n    kind: echo\n    name: y\n",
            "line 5: found the key 'name' a second time (first in line 3)",
        ),
        (
            "systems: [{name: x, kind: echo, name: y}]\n",
            "line 1: found the key 'name' a second time (first in line 1)",
        ),
    ],
)
def test_a_key_that_stands_twice_is_refused_with_both_lines(tmp_path, text, found):
    path = tmp_path / "study.yaml"
    path.write_text(text)
    with pytest.raises(BadInput) as bad:
        load_study(path)
    assert f"{path}, {found}, expected each key once. Keep one of the two." == str(bad.value)


def test_merged_keys_may_be_overridden(tmp_path):
    from dialeval.study.schema import parse_yaml

    text = "data: &shared {a: 1}\nmargin: {<<: *shared, a: 2}\n"
    assert parse_yaml(tmp_path, text)["margin"] == {"a": 2}


def test_a_transcript_in_a_sheet_of_several_systems_is_the_one_of_its_name(tmp_path):
    (tmp_path / "sheet.csv").write_text("Frage;Alt;Neu\nWo?;Da.;Hier.\n")
    study = load(
        tmp_path,
        "data: {path: sheet.csv, columns: {context: Frage, 'system:alt': Alt, 'system:neu': Neu}}\n"
        "systems:\n  - {name: alt, kind: transcript, path: sheet.csv}\n"
        "  - {name: mine, kind: transcript, path: sheet.csv, system: neu}\nmeasures: [length]\n",
    )
    assert [system.system for system in study.systems] == ["alt", "neu"]
    summary = summarise(run_study(study))
    assert [summary.score(name, "length").estimate.value for name in ("alt", "mine")] == [1.0, 1.0]
    assert not summary.failures
