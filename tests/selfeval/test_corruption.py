from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from dialeval.data.types import Context, Dialogue, Response, Turn, alternating
from dialeval.selfeval.corruption import (
    GENERIC,
    content_words,
    contradict,
    drop_sentences,
    drop_words,
    fill_in_wrong_context,
    material_of,
    negate,
    repeat_turn,
    repeat_words,
    reply_generically,
    shuffle_turns,
    shuffle_words,
    swap_content,
    swap_pronouns,
    swap_turns,
    swap_words,
)

TURNS = (
    "Do you like dogs? I always wanted one.",
    "Yes, I have a big dog. He is called Rex.",
    "He must be happy with you.",
    "He is. Shall we walk him together?",
)
texts = st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=9).map(" ".join)


@given(text=texts, seed=st.integers(0, 999))
def test_words_are_dropped_but_never_all(text: str, seed: int) -> None:
    words, left = text.split(), drop_words(text, random.Random(seed)).split()
    assert not Counter(left) - Counter(words)
    assert len(left) == 1 if len(words) == 1 else 1 <= len(left) < len(words)


@given(text=texts, seed=st.integers(0, 999))
def test_repeating_adds_words_that_stand_there_already(text: str, seed: int) -> None:
    words, more = text.split(), repeat_words(text, random.Random(seed)).split()
    assert len(more) > len(words)
    assert set(more) == set(words)


@given(text=texts, seed=st.integers(0, 999))
def test_shuffling_and_swapping_keep_the_words(text: str, seed: int) -> None:
    for spoil in (shuffle_words, swap_words):
        assert Counter(spoil(text, random.Random(seed)).split()) == Counter(text.split())
    if len(set(text.split())) > 1:
        assert shuffle_words(text, random.Random(seed)) != text


@given(seed=st.integers(0, 999))
def test_turns_are_exchanged_within_one_speaker(seed: int) -> None:
    swapped = swap_turns(TURNS, random.Random(seed))
    moved = [place for place, (a, b) in enumerate(zip(TURNS, swapped, strict=True)) if a != b]
    assert len(moved) == 2
    assert (moved[1] - moved[0]) % 2 == 0
    assert Counter(shuffle_turns(TURNS, random.Random(seed))) == Counter(TURNS)


def test_a_dialogue_without_another_order_stays() -> None:
    assert shuffle_turns(["a", "a"], random.Random(0)) == ("a", "a")
    assert swap_turns(["a", "b"], random.Random(0)) == ("a", "b")


def test_the_last_turn_is_repeated_or_says_nothing() -> None:
    assert repeat_turn(TURNS, random.Random(1))[-1] in TURNS[:-1]
    assert reply_generically(TURNS, random.Random(1))[-1] in GENERIC
    assert repeat_turn(TURNS, random.Random(1))[:-1] == TURNS[:-1]


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("I like dogs.", "I hate dogs."),
        ("She is here.", "She is not here."),
        ("She is not here.", "She is here."),
        ("Good!", "bad!"),
        ("Hello there", None),
    ],
)
def test_negation(text: str, negated: str | None) -> None:
    assert negate(text, random.Random(0)) == negated


def test_a_contradiction_is_added_to_a_later_turn_of_its_speaker() -> None:
    spoilt = contradict(TURNS, random.Random(2))
    [(place, turn)] = [(n, turn) for n, turn in enumerate(spoilt) if turn != TURNS[n]]
    assert turn.startswith(TURNS[place] + " ")
    negations = {negate(TURNS[place - 2], random.Random(seed)) for seed in range(9)}
    assert turn.removeprefix(TURNS[place] + " ") in negations


def test_pronouns_become_content_words_of_the_dialogue() -> None:
    spoilt = swap_pronouns(TURNS, random.Random(0), share=1.0)
    assert "you" not in spoilt[0].split()
    assert set(content_words(spoilt)) == set(content_words(TURNS))


def test_content_words_are_exchanged_in_one_turn_of_four() -> None:
    spoilt = swap_content(TURNS, random.Random(0), of_words=1.0)
    changed = [n for n, turn in enumerate(spoilt) if turn != TURNS[n]]
    assert len(changed) == 1
    assert not Counter(content_words(spoilt)) - Counter(content_words(TURNS) * 9)


def test_questions_are_dropped_first() -> None:
    spoilt = drop_sentences(("Do you like dogs? I always wanted one.", "Yes."), random.Random(0))
    assert spoilt == ("I always wanted one.", "Yes.")


class Says:
    """A system that says one thing to each context, and remembers what it was asked."""

    name = "says"

    def __init__(self, *texts: str) -> None:
        self.texts, self.asked = texts, list[Context]()

    def generate(
        self, contexts: Sequence[Context], *, n: int = 1, seed: int = 0
    ) -> list[tuple[Response, ...]]:
        self.asked += contexts
        return [(Response(text),) for text in self.texts[: len(contexts)]]


def test_a_response_is_ended_as_another_dialogue_would_go_on() -> None:
    wrong = [alternating([text]) for text in ("Where is the station?", "Hi.", "Is it hot?")]
    model = Says("It is on the left side of the street", "")
    responses = ["I like green tea most of all", "Too short", "It was ten degrees here"]
    first, second, third = fill_in_wrong_context(responses, wrong, model, seed=0)  # type: ignore[arg-type]
    assert first is not None
    # Of seven words the first three or four stay, and as many follow as are gone.
    assert first.startswith("I like green")
    assert first.split()[-1] in {"the", "on"}
    assert len(first.split()) == 7
    # Too short to keep a beginning of, and a model that adds nothing.
    assert (second, third) == (None, None)
    assert model.asked == [wrong[0], wrong[2]]


def test_instructions_and_results_of_tools_are_not_learnt_from() -> None:
    said = tuple(Turn(role, text) for role, text in zip(("user", "assistant") * 2, TURNS, strict=True))
    logged = (Turn("system", "Be kind."), *said[:1], Turn("tool", "{}"), Turn("assistant", ""), *said[1:])
    assert material_of([Dialogue("1", logged)]).dialogues == (TURNS,)
