"""Gates: on the ends of intervals, on differences, on equivalence, and on scores alone."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from dialeval import compare, score
from dialeval.core import Estimate, Resampling
from dialeval.errors import BadStudy
from dialeval.evaluation.compare import Comparison
from dialeval.study import Gate, check_gates, load_study, parse_gate, run_study, write_run
from dialeval.study.gates import ScoreAtGate
from dialeval.study.report.text import missed_gate
from dialeval.study.sides import compare_sides, open_sides

NEW = ScoreAtGate("rouge_l", "new", Estimate(0.31, 0.28, 0.34, 3))
OLD = ScoreAtGate("rouge_l", "old", Estimate(0.29, 0.26, 0.32, 3))


def difference(**fields: object) -> Comparison:
    """old minus new is -0.02, from -0.05 to 0.01."""
    given = {
        **{"measure": "rouge_l", "a": "old", "b": "new", "difference": Estimate(-0.02, -0.05, 0.01, 3)},
        **{
            "p_bootstrap": None,
            "p_permutation": 0.2,
            "p_mcnemar": None,
            "p_adjusted": 0.2,
            "significant": False,
        },
        **{"better": None, "effect_size": 0.1, "wins": 1, "ties": 1, "losses": 1, "unpaired": 0},
        **{"more_items": None, "largest": 0.05},
    }
    return Comparison(**{**given, **fields})


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("rouge_l >= 0.3", Gate("rouge_l", ">=", 0.3)),
        ("selection_accuracy >= 0.4", Gate("selection_accuracy", ">=", 0.4)),
        ("new: bleu( order = 2 ) < 1e-3", Gate("bleu(order=2)", "<", 0.001, "new")),
        ("new - old: rouge_l >= -0.02", Gate("rouge_l", ">=", -0.02, "new", "old")),
        ("gpt-4 - gpt-3: rouge_l > 0", Gate("rouge_l", ">", 0.0, "gpt-4", "gpt-3")),
        ("a - b - c: rouge_l > 0", Gate("rouge_l", ">", 0.0, "a - b", "c")),
        ("b - c: rouge_l > 0", Gate("rouge_l", ">", 0.0, "b - c")),
        ("point(rouge_l) >= 0.3", Gate("rouge_l", ">=", 0.3, point=True)),
        ("new - old: point(bleu(order=2)) >= 0", Gate("bleu(order=2)", ">=", 0.0, "new", "old", point=True)),
    ],
)
def test_gates_as_people_write_them(text: str, gate: Gate) -> None:
    assert parse_gate(text, ["a - b", "c", "b - c"]) == gate
    assert parse_gate(str(gate), ["a - b", "c", "b - c"]) == gate


def test_equivalence_has_no_threshold() -> None:
    gate = parse_gate("new = old: bleu( order=2 )")
    assert (gate.measure, gate.system, gate.other, gate.judged_by) == (
        "bleu(order=2)",
        "new",
        "old",
        "equivalence",
    )
    assert str(gate) == "new = old: bleu(order=2)"
    assert math.isnan(gate.threshold)


@pytest.mark.parametrize(
    "text", ["rouge_l", "rouge_l = 0.3", "rouge_l >= 0.3 %", "new = old", ">= 3", "a = b: c > 2"]
)
def test_what_is_no_gate_is_refused_with_examples(text: str) -> None:
    with pytest.raises(ValueError, match="is not a gate such as"):
        parse_gate(text)


@pytest.mark.parametrize(
    ("text", "passed", "number"),
    [
        ("new: rouge_l >= 0.28", True, 0.28),
        ("new: rouge_l >= 0.3", False, 0.28),  # the score is above, but its interval is not
        ("new: rouge_l <= 0.34", True, 0.34),
        ("new: rouge_l < 0.34", False, 0.34),
        ("new: point(rouge_l) >= 0.3", True, 0.31),
        ("new - old: rouge_l >= -0.02", True, -0.01),
        ("new - old: rouge_l > 0", False, -0.01),
        ("new - old: rouge_l <= 0.05", True, 0.05),
        ("old - new: rouge_l >= -0.05", True, -0.05),
        ("new - old: point(rouge_l) > 0", True, 0.02),
    ],
)
def test_ends_of_intervals_decide(text: str, passed: bool, number: float) -> None:
    (outcome,) = check_gates([parse_gate(text)], [NEW, OLD], [difference()])
    assert outcome.passed is passed
    assert outcome.number == pytest.approx(number)


def test_equivalence_is_what_the_comparison_shows() -> None:
    gate = parse_gate("new = old: rouge_l")
    (undecided,) = check_gates([gate], [NEW, OLD], [difference()])
    assert (undecided.passed, undecided.other, undecided.number) == (False, "old", 0.05)
    assert missed_gate(undecided) == (
        "gate not met: new = old: rouge_l (new - old has 0.02, and may differ by as much as 0.05)"
    )
    (shown,) = check_gates([gate], [NEW, OLD], [difference(verdict="equivalent")])
    assert shown.passed


def test_what_is_undefined_never_passes_and_says_why() -> None:
    still = ScoreAtGate(
        "rouge_l", "new", Estimate(0.5, None, None, 3, "a single item or dialogue shows no spread")
    )
    none = ScoreAtGate("rouge_l", "old", Estimate(None, None, None, 0))
    gates = [parse_gate("rouge_l >= 0"), parse_gate("rouge_l <= 1"), parse_gate("point(rouge_l) >= 0")]
    outcomes = list(check_gates(gates, [still, none]))
    assert [outcome.passed for outcome in outcomes] == [False, False, False, False, True, False]
    assert missed_gate(outcomes[0]) == (
        "gate not met: rouge_l >= 0 (new has 0.5, but no interval: a single item or dialogue shows no spread; "
        "point(rouge_l) judges the score alone)"
    )
    assert missed_gate(outcomes[1]) == "gate not met: rouge_l >= 0 (old has no score)"
    (untested,) = check_gates([parse_gate("new - old: rouge_l >= -1")], [still, none], [])
    assert (untested.passed, untested.reason) == (False, "they could not be compared")


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("length >= 3", True),
        ("length >= 5", True),
        ("length > 5", False),
        ("length <= 5", True),
        ("length < 5", False),
    ],
)
def test_a_score_that_is_the_same_on_all_items_is_judged_itself(text: str, passed: bool) -> None:
    result = score(["a b c d e", "f g h i j", "k l m n o"], metrics=["length"], system="new")["length"]
    assert (result.estimate.bounds, result.absence) == (None, "constant")
    (outcome,) = check_gates([parse_gate(text)], [ScoreAtGate.of("length", "new", result)])
    assert (outcome.passed, outcome.judged_by, outcome.number, outcome.code) == (
        passed,
        "point",
        5,
        "constant",
    )
    assert outcome.finding == "new has 5 on all 3 items: nothing varies, so it is judged itself"


def test_so_is_a_difference_that_is_the_same_on_all_items() -> None:
    said = {"new": ["a b c", "d e f", "g h i j"], "old": ["k l", "m n", "o p q"]}
    new, old = (score(texts, metrics=["length"], system=name)["length"] for name, texts in said.items())
    found = replace(compare(new, old), measure="length")
    assert found.absence == "constant"
    gates = [parse_gate(f"new - old: length >= {least}") for least in (0, 1, 1.5)]
    outcomes = list(check_gates(gates, [], [found]))
    assert [outcome.passed for outcome in outcomes] == [True, True, False]
    assert outcomes[-1].finding == "new - old has 1 on all 3 items: nothing varies, so it is judged itself"
    (back,) = check_gates([parse_gate("old - new: length >= -1")], [], [found])
    assert back.passed


def test_a_single_item_or_silence_passes_no_gate_on_a_constant_measure() -> None:
    (alone,) = score(["a b c d e"], metrics=["length"], system="new").values()
    (outcome,) = check_gates([parse_gate("length >= 3")], [ScoreAtGate.of("length", "new", alone)])
    assert not outcome.passed
    (mute,) = score(["a b", "a b", None], metrics=["length"], system="new").values()
    (outcome,) = check_gates([parse_gate("length >= 0")], [ScoreAtGate.of("length", "new", mute)])
    assert (outcome.passed, outcome.code) == (False, "unanswered")


@pytest.mark.parametrize(
    ("gate", "problem"),
    [
        ("new - good: rouge_l > 0", "gates[0]: There is no system in this study called 'new'"),
        ("good - poo: rouge_l > 0", "Did you mean 'poor'"),
        ("good = poor: rouge_l", "gates[0]: equivalence needs a margin, as in margin: {rouge_l: 0.02}"),
        ("good: point(rogue_l) > 0", "Did you mean 'rouge_l'"),
    ],
)
def test_a_study_knows_its_systems_measures_and_margins(study_folder: Path, gate: str, problem: str) -> None:
    path = study_folder / "study.yaml"
    path.write_text(path.read_text() + f"gates: ['{gate}']\n")
    with pytest.raises(BadStudy) as refused:
        load_study(path)
    assert problem in str(refused.value)


def test_a_study_gates_differences_and_equivalence(study_folder: Path) -> None:
    path = study_folder / "study.yaml"
    gates = ["good - poor: length > 0", "poor - good: length > 0", "good = poor: length"]
    path.write_text(path.read_text() + f"gates: {gates}\nmargin: {{length: 0.001}}\n".replace("'", '"'))
    done = run_study(load_study(path))
    assert [(gate.passed, gate.judged_by) for gate in done.gates] == [
        (True, "low"),
        (False, "low"),
        (False, "equivalence"),
    ]


NO_OP = """\
name: pull-request
data: prompts.jsonl
systems:
  - {name: main, kind: transcript, path: main.jsonl}
  - {name: pr, kind: transcript, path: pr.jsonl}
measures: [rouge_l, bleu(order=4), distinct(n=2), self_bleu, length, "short.py:short"]
margin: {rouge_l: 0.02, "distinct(n=2)": 0.02, short: 0.02}
gates:
  - "pr - main: rouge_l >= -0.02"
  - "pr = main: rouge_l"
  - "pr - main: bleu(order=4) >= 0"
  - "pr - main: distinct(n=2) >= -0.02"
  - "pr = main: distinct(n=2)"
  - "pr - main: self_bleu <= 0.001"
  - "pr - main: short >= -0.001"
  - "pr = main: short"
"""


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.mark.parametrize(("dialogues", "silent"), [(False, 0), (True, 0), (False, 3)])
def test_a_pull_request_that_changes_no_answer_passes(tmp_path: Path, dialogues: bool, silent: int) -> None:
    """Nothing varied, so there was no interval, and every gate on the difference failed."""
    (tmp_path / "study.yaml").write_text(NO_OP, encoding="utf-8")
    (tmp_path / "short.py").write_text("def short(response):\n    return len(response.split()) < 5\n")
    ids = [f"d{at // 4}/{at % 4}" if dialogues else f"i{at}" for at in range(48)]
    prompts = [
        {
            "id": item,
            "context": [{"role": "user", "content": f"platform {at}?"}],
            "references": [f"number {at} is on the left"],
        }
        for at, item in enumerate(ids)
    ]
    _write(tmp_path / "prompts.jsonl", prompts)
    for name in ("main", "pr"):
        answers = [f"number {at} is over there" if at % 3 else f"to the left of {at}" for at in range(48)]
        said = [None] * silent + [answer + " " * (name == "pr") for answer in answers[silent:]]
        rows = [{"id": item, "system": name, "response": text} for item, text in zip(ids, said, strict=True)]
        _write(tmp_path / f"{name}.jsonl", rows)
    study = load_study(tmp_path / "study.yaml")
    done = run_study(study)
    write_run(done, tmp_path / "run")
    assert [gate.gate for gate in done.gates if not gate.passed] == []
    assert {(*c.difference.bounds, c.verdict) for c in done.compared} == {(0.0, 0.0, "equivalent")}
    assert {gate.number for gate in done.gates} == {0.0}
    for one, other in (("pr", "main"), ("main", "pr")):
        sides = open_sides(f"{tmp_path / 'run'}:{one}", f"{tmp_path / 'run'}:{other}")
        found = compare_sides(*sides, Resampling(resamples=199))
        assert [pair.measure for pair in found if not pair.identical] == []


def test_a_system_that_a_measure_fails_on_passes_no_gate(tmp_path: Path) -> None:
    """The gates passed over it, and the verdict said that every gate had passed."""
    own = "def tame(response):\n    if 'boom' in response:\n        raise ZeroDivisionError\n    return 1.0\n"
    (tmp_path / "own.py").write_text(own, encoding="utf-8")
    _write(
        tmp_path / "prompts.jsonl",
        [{"id": f"i{at}", "context": [{"role": "user", "content": "which?"}]} for at in range(8)],
    )
    for name, text in (("calm", "fine"), ("wild", "boom")):
        _write(tmp_path / f"{name}.jsonl", [{"id": f"i{at}", "response": text} for at in range(8)])
    study = {
        "data": "prompts.jsonl",
        "systems": [
            {"name": name, "kind": "transcript", "path": f"{name}.jsonl"} for name in ("calm", "wild")
        ],
        "measures": ["own.py:tame"],
        "gates": ["tame >= 0.5", "wild: tame >= 0.5"],
    }
    (tmp_path / "study.yaml").write_text(json.dumps(study), encoding="utf-8")
    outcomes = run_study(load_study(tmp_path / "study.yaml")).gates
    assert [(o.system, o.passed, o.reason) for o in outcomes if not o.passed] == [
        ("wild", False, "it failed"),
        ("wild", False, "it failed"),
    ]
    assert [o.system for o in outcomes if o.passed] == ["calm"]


@pytest.mark.parametrize(
    ("measure", "missing", "silent"),
    [
        ("distinct(n=2)", "auto", range(3)),
        ("distinct(n=2)", "auto", range(3, 6)),
        ("rouge_l", "shared", range(3)),
    ],
)
def test_silence_of_a_pull_request_fails_its_gates_though_all_else_is_the_same(
    tmp_path: Path, measure: str, missing: str, silent: range
) -> None:
    """The items that both were compared on had the same answers, so the gate passed as that of a no-op."""
    names = ("main", "pr", "other") if missing == "shared" else ("main", "pr")
    study = {
        "data": "prompts.jsonl",
        "systems": [{"name": name, "kind": "transcript", "path": f"{name}.jsonl"} for name in names],
        "measures": [measure],
        "missing": missing,
        "margin": {measure: 0.05},
        "gates": [f"pr - main: {measure} >= -0.02", f"pr = main: {measure}"],
        "trials": 99,
    }
    (tmp_path / "study.yaml").write_text(json.dumps(study), encoding="utf-8")
    said = {f"i{at}": f"number {at} is over there" for at in range(48)}
    _write(
        tmp_path / "prompts.jsonl",
        [
            {"id": item, "context": [{"role": "user", "content": "which?"}], "references": [text]}
            for item, text in said.items()
        ],
    )
    quiet = {"main": range(3) if silent.start else range(0), "pr": silent, "other": range(3)}
    for name in names:
        places = quiet[name]
        none = None if name == "other" else ""
        lines = [
            {"id": item, "response": none if at in places else text}
            for at, (item, text) in enumerate(said.items())
        ]
        _write(tmp_path / f"{name}.jsonl", lines)
    outcomes = run_study(load_study(tmp_path / "study.yaml")).gates
    assert [(outcome.passed, outcome.code) for outcome in outcomes] == [(False, "unanswered")] * 2
