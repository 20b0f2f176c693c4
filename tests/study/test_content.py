from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from dialeval.data.types import Example, Response, Turn
from dialeval.study.content import MOST_CHARACTERS, MOST_TURNS, choose, shown
from dialeval.study.document import Place, Values


def make(numbers: np.ndarray, reasons: dict[Place, str] | None = None) -> Values:
    names = [
        tuple(f"{kind}{n}" for n in range(size)) for kind, size in zip("msi", numbers.shape, strict=True)
    ]
    return Values(*names, numbers, reasons or {})


def test_few_items_are_all_chosen() -> None:
    assert choose(make(np.zeros((1, 2, 5)))) == (0, 1, 2, 3, 4)
    assert choose(make(np.zeros((0, 0, 0)))) == ()


def test_extremes_are_chosen_among_many() -> None:
    numbers = np.full((1, 2, 10_000), 0.5)
    numbers[0, 0, 1234], numbers[0, 1, 4321] = 0.9, 0.1
    numbers[0, :, 7777] = np.nan
    values = make(numbers, {Place(0, 0, 7777): "no words"})
    chosen = choose(values)
    assert len(chosen) == 500
    assert {1234, 4321, 7777, 0, 9999} <= set(chosen)
    assert np.diff(chosen).max() < 100  # and the rest of the data is seen too


def test_many_systems_mean_fewer_items() -> None:
    assert len(choose(make(np.zeros((1, 50, 2_000))))) == 100


@given(
    st.integers(1, 3), st.integers(1, 3), st.integers(0, 60), st.integers(2, 30), st.integers(0, 2**32 - 1)
)
def test_any_choice_is_sorted_distinct_and_as_large_as_allowed(
    m: int, s: int, i: int, most: int, seed: int
) -> None:
    numbers = np.random.default_rng(seed).normal(size=(m, s, i))
    numbers[numbers > 1] = np.nan
    chosen = choose(make(numbers), most=most)
    assert list(chosen) == sorted(set(chosen))
    assert len(chosen) == min(most, i)


def test_an_item_is_shown_with_all_that_is_known_of_it() -> None:
    values = make(np.array([[[0.25, 1.0], [np.nan, np.nan]]]), {Place(0, 1, 0): "no answer"})
    context = (Turn("user", "Hi", "Ada"), Turn("assistant", "Hello"))
    examples = [
        Example("i0", "s0", context, Response("Yes"), ("No",)),
        Example("other", "s0", (), Response("?")),
    ]
    first, second = shown(values, (0, 1), examples)
    assert (first.item, first.responses, first.references) == ("i0", ("Yes", None), ("No",))
    assert [(said.role, said.who) for said in first.context] == [("user", "Ada"), ("assistant", "assistant")]
    assert first.values == ((0.25, None),)
    assert first.reasons == ((None, "no answer"),)
    assert (second.context, second.responses, second.reasons) == ((), (None, None), ((None, None),))


def test_measures_that_explain_themselves_say_what_they_found() -> None:
    values = Values(("rouge_l", "facts"), ("a", "b"), ("1",), np.array([[[0.8], [1.0]], [[0.0], [1.0]]]), {})
    examples = [
        Example("1", "a", (), Response("It is $7."), ("It is $5.",)),
        Example("1", "b", (), Response("It is $5."), ("It is $5.",)),
    ]
    (item,) = shown(values, (0,), examples)
    assert item.evidence == ((None, None), ("contradicted: $5 (said: $7)", None))
    assert shown(values, (0,), examples[1:])[0].evidence == ()


def test_long_texts_and_long_contexts_are_cut_and_say_so() -> None:
    turns = tuple(Turn("user", str(n)) for n in range(MOST_TURNS + 7))
    example = Example("i0", "s0", turns, Response("x" * (MOST_CHARACTERS + 1200)))
    (item,) = shown(make(np.zeros((1, 1, 1))), (0,), [example])
    assert item.earlier == 7
    assert item.context[-1].text == str(MOST_TURNS + 6)
    assert item.responses[0] is not None
    assert item.responses[0].endswith("… [1,200 more characters in examples.jsonl]")
