"""Slot error rate as a metric: each definition by hand, aliases, and what has no value."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dialeval.catalogue import build
from dialeval.data.types import Example, Response
from dialeval.errors import BadInput, Unsuitable
from dialeval.evaluation.runner import evaluate
from dialeval.nlg.acts.notations import parse_act
from dialeval.nlg.slots.lexicon import build_lexicon, read_aliases
from dialeval.nlg.slots.metric import COUNTERS, Counts, SlotErrorRate
from dialeval.nlg.subjects import act_turn


def example(item: str, act: str, response: str, *references: str) -> Example:
    return Example(item, "s", (act_turn(act),), Response(response), references)


EXAMPLES = [
    example(
        "1", "inform(name=Aromi;food=thai;kidsallowed=yes)", "Aromi allows kids", "Aromi: thai, for kids"
    ),
    example("2", "inform(name=Cocum;food=greek)", "Cocum has thai food. Cocum!", "Cocum"),
    example("3", "goodbye()", "bye", "bye"),
    Example("4", "s", (), Response("hello")),
]


@pytest.mark.parametrize(
    ("profile", "act", "text", "counts"),
    [
        # needed, missing, wrong, added, repeated
        (
            "dialeval",
            "inform(name=aa;food=thai;kidsallowed=no)",
            "aa has greek. aa aa is for kids",
            Counts(3, 0, 2, 0, 1),
        ),
        # Wen 2015: kidsallowed cannot be delexicalised; thai is missing; aa is said twice too often; greek is wrong for
        # thai, so it is no further error.
        (
            "wen2015",
            "inform(name=aa;food=thai;kidsallowed=no)",
            "aa has greek. aa aa is for kids",
            Counts(2, 1, 0, 0, 2),
        ),
        ("wen2015", "inform(name=aa)", "aa has greek food", Counts(1, 0, 0, 1, 0)),
        # RNNLG: the keyword is there, whatever is said of it; values of other slots are not looked for.
        (
            "rnnlg",
            "inform(name=aa;food=thai;kidsallowed=no)",
            "aa has greek. aa aa is for kids",
            Counts(3, 1, 0, 0, 2),
        ),
        ("rnnlg", "inform(name=aa)", "aa has greek food for kids", Counts(1, 0, 0, 1, 0)),
        ("rnnlg", "inform(name=aa;food=dontcare)", "aa", Counts(2, 1, 0, 0, 0)),
        # Of a list that is not said wholly, no part is taken from another slot; one that is takes all of its parts.
        ("wen2015", "inform(food='thai and greek';area=thai)", "thai food", Counts(2, 1, 0, 0, 0)),
        ("rnnlg", "inform(food='thai and greek';area=thai)", "thai food", Counts(2, 1, 0, 0, 0)),
        ("rnnlg", "inform(food='thai and greek';area=thai)", "greek or thai", Counts(2, 1, 0, 0, 0)),
    ],
)
def test_each_definition_by_hand(profile: str, act: str, text: str, counts: Counts) -> None:
    known = ["inform(food=thai;kidsallowed=yes)", "inform(food=greek)", act]
    lexicon = build_lexicon(map(parse_act, known))
    assert COUNTERS[profile](lexicon, parse_act(act), text) == counts  # type: ignore[index]


def test_the_corpus_score_pools_slots() -> None:
    result = evaluate(SlotErrorRate(), EXAMPLES)
    # Item 1 lacks one of three slots; item 2 says a wrong one of two.
    assert result.score == pytest.approx(2 / 5)
    assert [judgement.value for judgement in result.judgements] == [pytest.approx(1 / 3), 0.5, None, None]
    assert result.reasons == {2: "the act has no slot with a value to check", 3: "no act"}
    parts = {
        part: evaluate(SlotErrorRate(part=part), EXAMPLES).score for part in ("missing", "wrong", "added")
    }  # type: ignore[arg-type]
    assert parts == {"missing": pytest.approx(0.2), "wrong": pytest.approx(0.2), "added": 0.0}


def test_references_are_judged_in_place_of_the_response() -> None:
    assert evaluate(SlotErrorRate(of="references"), EXAMPLES).score == pytest.approx(1 / 5)


def test_rnnlg_skips_select_and_suggest() -> None:
    metric = SlotErrorRate(profile="rnnlg")
    assert metric.unscorable(example("1", "?select(food=a;food=b)", "x")) is not None
    assert SlotErrorRate().unscorable(example("1", "?select(food=a;food=b)", "x")) is None
    assert SlotErrorRate(profile="wen2015").unscorable(example("1", "inform(kids=yes)", "x")) is not None


def test_an_act_that_does_not_parse_is_a_reason() -> None:
    assert "does not parse" in (SlotErrorRate().unscorable(example("1", "inform(name='x'", "x")) or "")


def test_it_must_see_the_corpus_first() -> None:
    with pytest.raises(Unsuitable, match="evaluate"):
        SlotErrorRate().statistics(EXAMPLES)


def test_order_and_batches_change_nothing() -> None:
    fitted, turned = SlotErrorRate().fit(EXAMPLES), SlotErrorRate().fit(EXAMPLES[::-1])
    assert fitted.lexicon.digest == turned.lexicon.digest
    rows = fitted.statistics(EXAMPLES)
    np.testing.assert_array_equal(rows, turned.statistics(EXAMPLES[::-1])[::-1])
    np.testing.assert_array_equal(rows, np.concatenate([fitted.statistics([each]) for each in EXAMPLES]))


def test_the_digest_moves_with_the_words_of_the_texts() -> None:
    act = parse_act("inform(hasrooftopgarden=yes)")
    split, whole = (build_lexicon([act], [(act, text)]) for text in ("a rooftop garden", "a terrace"))
    assert split.keywords["hasrooftopgarden"] != whole.keywords["hasrooftopgarden"]
    assert (split.common, split.unsaid) == (whole.common, whole.unsaid)
    assert split.digest != whole.digest
    again = build_lexicon([act], [(act, "a garden: rooftop")])
    assert again.digest == split.digest  # other texts, the same tables


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", json.dumps({"food": {"thai": ["siamese"]}, "kidsallowed": {"no": "quiet evenings"}})),
        ("a.yaml", "food:\n  thai: [siamese]\nkidsallowed:\n  no: quiet evenings\n"),
        ("a.tsv", "# slot, value, phrase\nfood\tthai\tsiamese\nkidsallowed\tno\tquiet evenings\n"),
    ],
)
def test_aliases_add_words(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    examples = [example("1", "inform(food=thai;kidsallowed=no)", "Siamese food and quiet evenings")]
    assert evaluate(SlotErrorRate(), examples).score == 1
    metric = build(f"slot_error_rate(aliases={str(path)!r})")
    assert evaluate(metric, examples).score == 0
    assert "alias_table=none" not in str(metric.signature)


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.tsv", "food\tthai\n", "2 cells"),
        ("a.json", "{", "Expecting"),
        ("a.yaml", "food: [thai]\n", "list"),
    ],
)
def test_bad_aliases_are_explained(tmp_path: Path, name: str, text: str, found: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        read_aliases(path)
    assert found in caught.value.found
    with pytest.raises(BadInput, match="no such file"):
        SlotErrorRate(aliases=str(tmp_path / "absent.json"))
