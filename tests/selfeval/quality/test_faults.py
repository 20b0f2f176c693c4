"""Plain faults of turns, and whom ``quality`` blames for a dialogue."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.data.types import Dialogue, Example, Response, alternating
from dialeval.encoder.files import EMBEDDED
from dialeval.encoder.model import unit_vectors
from dialeval.selfeval.quality.faults import FAULTS, blame
from dialeval.selfeval.quality.features import Moment, Utterance
from dialeval.selfeval.quality.metric import Quality
from dialeval.selfeval.scorer import worst_turn

SAID = (
    "Hello, I am looking for a flat near the river.",
    "We have two of them. Do you need a balcony?",
    "Yes, and it should be quiet at night.",
)


def moment(response: str, said: tuple[str, ...] = SAID) -> Moment:
    units = unit_vectors({*said, response}, EMBEDDED)
    turns = [
        Utterance(("user", "assistant")[place % 2], text, units[text])
        for place, text in enumerate((*said, response))
    ]
    return Moment(turns[-1], tuple(turns[:-1]))


def found(response: str, said: tuple[str, ...] = SAID) -> list[str]:
    """The faults of the response."""
    return [name for name, fault in FAULTS.items() if fault(moment(response, said))]


@pytest.mark.parametrize(
    ("response", "fault"),
    [
        ("?!", "wordless"),
        ("", "wordless"),
        ("Yes, and it should be quiet at night.", "echo"),
        ("We have two of them. Do you need a balcony?", "repeat"),
        ("I think that the I think that the I think that the I think that the.", "stutter"),
        ("Then I would take the one on the", "unfinished"),
        ("Then I would take the seco", "unfinished"),
        ("you It. the to is quiet balcony a of and.", "disorder"),
        ("Ich kann Ihnen leider nichts anbieten.", "foreign"),
        ("すみません、よく分かりません。", "foreign"),
        ("You are such an idiot.", "rude"),
        ("You really are too slow to understand anything, so leave me in peace.", "rude"),
        ("The garden behind the house costs $300 a month.", "unasked_price"),
    ],
)
def test_a_fault_is_found(response: str, fault: str) -> None:
    assert fault in found(response)


@pytest.mark.parametrize(
    "response",
    [
        "The second one is very quiet.",
        "Souvenirs!",
        "Thank you.",
        "No. I live in the U.S.",
        "Your booking was confirmed.",
        "Juanita & Maude in Albany is great.",
        "Our office is open from 9 a.m. to 5 p.m. on weekdays.",
        "## Location\nThe flat is near the river.\n\n## Balcony\nThe balcony is large.",
        "I watched The Office and The Crown.",
        "Hmm... well... let me think...",
        "no i ride a bus to work. this has happened twice. i need a car.",
        "I am so sorry for wasting your time.",
        "Please leave a message, I am too busy to come to the phone.",
        "That is not a stupid question at all.",
        "The loser of the match was Liverpool.",
        "The clowns at the circus were funny.",
        "Add 2 pounds of beef and 3 cups of water.",
        "\N{THUMBS UP SIGN}",
    ],
)
def test_plain_answers_have_no_fault(response: str) -> None:
    assert found(response) == []


@pytest.mark.parametrize("response", ["Yes, I am", "I wish I could", "My name is Wojciech"])
def test_a_missing_mark_counts_a_quarter(response: str) -> None:
    assert blame(moment(response)) == 0.25


def test_a_translation_is_no_fault() -> None:
    assert found("おやすみなさい。", ("Hello.", "Hello!", "How do you say good night in Japanese?")) == []


def test_repetition_is_found_without_spaces_between_words() -> None:
    said = ("你好吗？今天天气很好。", "我不知道，你问问别人吧。", "那么明天呢？")
    assert found(said[1], said) == ["repeat"]
    assert found(said[2], (said[1], said[0], said[2])) == []
    assert found(said[0], (said[1], said[2], said[0])) == ["echo"]


def test_what_one_said_last_oneself_is_no_echo() -> None:
    units = unit_vectors(SAID, EMBEDDED)
    twice = [Utterance("assistant", SAID[1], units[SAID[1]])] * 2
    assert FAULTS["echo"](Moment(twice[1], (twice[0],))) == 0


def test_an_amount_is_no_fault_once_money_was_talked_of() -> None:
    assert "unasked_price" not in found("It costs $300 a month.", (*SAID[:2], "How much is the rent?"))


def test_short_thanks_may_be_said_again() -> None:
    assert found("Thank you.", ("Here it is.", "Thank you.", "And the key.")) == []


def test_another_language_is_no_fault_if_all_speak_it() -> None:
    said = ("Guten Tag, ich suche eine Wohnung.", "Wir haben zwei davon.", "Ist sie ruhig?")
    assert "foreign" not in found("Ich kann Ihnen leider nichts anbieten.", said)
    assert blame(moment("Ich rufe dich morgen", said)) == 0.25


def talk(third: str) -> Dialogue:
    turns = (*SAID, third, "Can I see it?", "Of course, come on Monday.")
    return Dialogue("d", alternating(turns, last="assistant"), "bot")


def test_the_faulty_turn_is_the_worst_of_its_dialogue() -> None:
    faulty = talk("We have two of them. Do you need a balcony?")
    effects = Quality().turn_effects(faulty)
    assert worst_turn(faulty, effects) == 3


def test_faults_change_effects_and_not_scores() -> None:
    plain, rude = talk("The second one is quiet."), talk("The second one is quiet, you idiot.")
    without = [
        Quality().values([Dialogue("d", one.turns[:3] + one.turns[4:], "bot")])[0]
        - Quality().values([one])[0]
        for one in (plain, rude)
    ]
    effects = [Quality().turn_effects(one)[3] for one in (plain, rude)]
    assert np.subtract(effects, without).tolist() == pytest.approx([0, 1], abs=1e-9)


def test_an_empty_turn_is_blamed() -> None:
    assert worst_turn(talk(""), Quality().turn_effects(talk(""))) == 3


def test_a_response_of_an_example_is_blamed_too() -> None:
    context = alternating(SAID)
    echoing = Example("e", "bot", context, Response(SAID[-1]))
    assert Quality().turn_effects(echoing)[-1] >= 1


def test_the_only_answer_is_blamed_if_nothing_would_be_left_without_it() -> None:
    short = Dialogue("d", alternating(["Hi there.", "You idiot.", "What?"]), "bot")
    assert worst_turn(short, Quality().turn_effects(short)) == 1


def test_a_turn_that_opens_a_dialogue_answers_nothing_and_has_no_fault() -> None:
    opening = alternating(["You idiot.", *SAID], last="user")
    removed = Quality().values([Dialogue("d", opening[1:], "bot")]) - Quality().values(
        [Dialogue("d", opening, "bot")]
    )
    assert Quality().turn_effects(Dialogue("d", opening, "bot"))[0] == pytest.approx(removed[0])
