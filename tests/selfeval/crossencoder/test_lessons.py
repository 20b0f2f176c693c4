"""True and false responses made from dialogues."""

from __future__ import annotations

from collections import Counter
from statistics import fmean

import pytest

from dialeval.data.types import Dialogue, Turn
from dialeval.selfeval.corruption import material_of
from dialeval.selfeval.crossencoder.lessons import Lesson, lessons_of

TALKS = {
    "films": [
        "Seen any films?",
        "Yes, a thriller at the Odeon.",
        "Was it good?",
        "Slow, but the end was great.",
    ],
    "cooking": ["What is for dinner?", "Soup with leeks.", "Again?", "The market had nothing else."],
    "travel": [
        "Where is the station?",
        "Behind the church.",
        "Is it far?",
        "Ten minutes on foot, by the river.",
    ],
    "thrillers": ["A good book?", "A thriller about the Odeon.", "Who wrote it?", "I forgot the name."],
}
MATERIAL = material_of(
    Dialogue(name, tuple(Turn("AB"[place % 2], text) for place, text in enumerate(texts)))
    for name, texts in TALKS.items()
)
LESSONS = list(lessons_of(MATERIAL, 200, seed=0))
OWN = {text: name for name, texts in TALKS.items() for text in texts}


def of_kind(kind: str) -> list[Lesson]:
    return [lesson for lesson in LESSONS if lesson.kind == kind]


def test_each_response_comes_once_as_it_was_given() -> None:
    true = of_kind("true")
    assert len(true) == 200
    for lesson in true:
        own = TALKS[OWN[lesson.response]]
        place = own.index(lesson.response)
        assert lesson.context == tuple(own[max(place - 2, 0) : place])
        assert (lesson.fits, lesson.formed) == (True, True)


@pytest.mark.parametrize("kind", ["stranger", "near_stranger", "elsewhere"])
def test_what_does_not_fit_is_well_formed(kind: str) -> None:
    found = of_kind(kind)
    assert found
    assert all((lesson.fits, lesson.formed) == (False, True) for lesson in found)
    assert all(lesson.response in OWN for lesson in found)


@pytest.mark.parametrize("kind", ["spoilt", "cut_off", "said_again", "generic"])
def test_of_what_is_badly_formed_nobody_says_whether_it_fits(kind: str) -> None:
    found = of_kind(kind)
    assert found
    assert all((lesson.fits, lesson.formed) == (None, False) for lesson in found)


def test_a_turn_from_elsewhere_in_the_dialogue_comes_later() -> None:
    for lesson in of_kind("elsewhere"):
        own = TALKS[OWN[lesson.context[-1]]]
        if lesson.response in own:
            assert own.index(lesson.response) > own.index(lesson.context[-1]) + 1


def test_near_strangers_share_words_with_the_context_or_the_response_and_strangers_need_not() -> None:
    true = {lesson.context: lesson.response for lesson in of_kind("true")}

    def share(kind: str) -> float:
        return fmean(
            bool(words(lesson.response) & words(" ".join((*lesson.context, true[lesson.context]))))
            for lesson in of_kind(kind)
        )

    assert share("near_stranger") == 1 > share("stranger")


def words(text: str) -> set[str]:
    return {word.strip(".,?").lower() for word in text.split()}


def test_no_false_response_is_the_true_one() -> None:
    true = {lesson.context: lesson.response for lesson in of_kind("true")}
    assert all(lesson.kind == "true" or true[lesson.context] != lesson.response for lesson in LESSONS)


def test_a_seed_gives_the_same_lessons_and_form_their_share() -> None:
    assert list(lessons_of(MATERIAL, 200, seed=0)) == LESSONS
    assert list(lessons_of(MATERIAL, 200, seed=1)) != LESSONS
    plain = Counter(lesson.formed for lesson in lessons_of(MATERIAL, 50, seed=0, form=0.0))
    assert plain[False] == 0
