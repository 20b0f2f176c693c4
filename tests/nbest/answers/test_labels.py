"""Labels of answers: Circa's mapped, majorities, and the rule of the first word."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.data.importers.corpora.circa import LABELS as CIRCA
from dialeval.errors import BadInput, Unsuitable
from dialeval.nbest.answers.augment import augmented, negative_question
from dialeval.nbest.answers.corpus import Exchange, read_exchanges, split_exchanges
from dialeval.nbest.answers.evaluation import (
    Readable,
    Thresholds,
    best_thresholds,
    codes,
    decide,
    measure_labels,
    softmax,
)
from dialeval.nbest.answers.labels import OF_CIRCA, first_word_label, majority
from dialeval.nbest.answers.topics import crossed, is_unrelated, relatedness, topic_words


def test_every_label_of_circa_has_a_side():
    assert OF_CIRCA.keys() == CIRCA.keys()
    sides = [OF_CIRCA[label] for label in CIRCA]
    assert sides == ["yes", "yes", "yes", "ambiguous", "no", "no", "ambiguous", None]


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("Yes, I do.", "yes"),
        ("yeah", "yes"),
        ("Of course!", "yes"),
        ("Of course not.", "no"),
        ("Nope.", "no"),
        ("Not really, it rained.", "no"),
        ("Not bad.", "ambiguous"),
        ("I love it.", "ambiguous"),
        ("", "ambiguous"),
    ],
)
def test_the_first_word_decides_or_nothing_does(answer, label):
    assert first_word_label(answer) == label


def test_three_of_five_make_a_majority():
    assert majority(["yes", "no", "yes", "no", "yes"]) == "yes"
    assert majority(["yes", "no", "yes", "no", None]) is None


CIRCA_FILE = (
    "id\tcontext\tquestion-X\tcanquestion-X\tanswer-Y\tjudgements\tgoldstandard1\tgoldstandard2\n"
    "1\tAt a cafe.\tDo you like tea?\tI like tea .\tI drink it daily.\tYes#Yes#Yes#Probably no#Other\tYes\tYes\n"
    "2\tAt a cafe.\tDo you like tea?\tI like tea .\tCoffee.\tNo#No#Yes#Yes#Other\t\t\n"
)


class TestReading:
    def test_circa_with_shares_of_people_and_rows_without_majority_counted(self, tmp_path):
        path = tmp_path / "scenario0.tsv"
        path.write_text(CIRCA_FILE)
        found = read_exchanges([path])
        assert found.exchanges == [
            Exchange("1", "Do you like tea?", "I drink it daily.", "yes", (0.75, 0.25, 0.0), "At a cafe.")
        ]
        assert dict(found.excluded) == {"no label of most people": 1}

    def test_lines_of_ours(self, tmp_path):
        path = tmp_path / "a.jsonl"
        path.write_text('{"question": "Tea?", "answer": "Hm.", "label": "ambiguous"}\n')
        assert read_exchanges([path]).exchanges[0].shares == (0.0, 0.0, 1.0)

    def test_a_strange_label_is_refused(self, tmp_path):
        path = tmp_path / "a.jsonl"
        path.write_text('{"question": "Tea?", "answer": "Hm.", "label": "perhaps"}\n')
        with pytest.raises(BadInput, match="label"):
            read_exchanges([path])


def exchanges(count=100, scenarios=5):
    return [
        Exchange(str(n), f"Q{n % 20}?", f"A{n}.", "yes", (1.0, 0.0, 0.0), f"S{n % scenarios}")
        for n in range(count)
    ]


class TestSplitting:
    def test_by_scenario_neither_scenarios_nor_validation_questions_are_shared(self):
        parts = split_exchanges(exchanges(), "scenario", 0)
        assert sum(map(len, parts)) == 100
        assert {e.scenario for e in parts.test}.isdisjoint(e.scenario for e in (*parts.train, *parts.valid))
        assert {e.question for e in parts.valid}.isdisjoint(e.question for e in parts.train)

    def test_at_random_a_fifth_is_held_out(self):
        parts = split_exchanges(exchanges(), "random", 0)
        assert (len(parts.test), len(parts.valid), len(parts.train)) == (20, 8, 72)

    def test_too_few_scenarios_are_refused(self):
        with pytest.raises(Unsuitable, match="at least 3"):
            split_exchanges(exchanges(scenarios=2), "scenario", 0)


def test_further_exchanges_keep_their_meaning():
    more = augmented(exchanges(400), seed=1)[400:]
    opened = [
        e for e in more if e.answer.startswith(("Yes", "Yeah", "Yep", "Sure", "Of course", "Definitely"))
    ]
    assert len(opened) > 40
    elaborated = [e for e in opened if e.answer.endswith(f"A{e.item}.")]
    assert elaborated
    assert all(e.label == "yes" for e in elaborated)
    assert augmented(exchanges(400), seed=1)[400:] == more
    assert negative_question("May I?") is None


def test_an_answer_to_the_same_question_or_of_the_same_topic_is_not_unrelated():
    def other(question, answer):
        return Exchange("", question, answer, "yes", (1.0, 0.0, 0.0))

    dog = other("Do you own a dog?", "I have a golden retriever at home.")
    assert not is_unrelated("Do you own a dog?", dog)
    assert not is_unrelated("Is a dog good company?", dog)
    assert is_unrelated("Do you eat meat?", dog)
    assert not is_unrelated(
        "Do you eat meat?", other("Do you eat fish?", "A vegetarian since 2010, in fact.")
    )
    assert not is_unrelated("Would you like to?", dog), "nothing says what that asks about"


def test_unrelated_answers_are_learnt_as_ambiguous():
    foods = [
        Exchange(
            f"f{n}",
            f"Do you like pizza number {n}?",
            "Pizza is what we had yesterday.",
            "yes",
            (1.0, 0.0, 0.0),
        )
        for n in range(200)
    ]
    pets = [
        Exchange(f"p{n}", f"Does your puppy {n} bark?", "No, hardly ever at night.", "no", (0.0, 1.0, 0.0))
        for n in range(200)
    ]
    more = augmented([*foods, *pets], seed=0)[400:]
    crossed = [e for e in more if "puppy" in e.question and "Pizza" in e.answer]
    assert 5 < len(crossed) < 40
    assert {(e.label, e.shares) for e in crossed} == {("ambiguous", (0.0, 0.0, 1.0))}
    assert not [e for e in more if "pizza" in e.question and e.answer == "No, hardly ever at night."], (
        "a plain no"
    )
    assert all(e.label == "yes" for e in more if "pizza" in e.question and "Pizza" in e.answer)


class TestMeasuring:
    def test_by_hand(self):
        given, wanted = codes(["yes", "no", "no", "ambiguous"]), codes(["yes", "yes", "no", "ambiguous"])
        found = measure_labels(given, wanted)
        assert found.accuracy.value == 0.75
        assert found.recall == {"yes": 0.5, "no": 1.0, "ambiguous": 1.0}
        assert found.precision == {"yes": 1.0, "no": 0.5, "ambiguous": 1.0}
        assert found.macro_f1 == pytest.approx((2 / 3 + 2 / 3 + 1) / 3)

    def test_what_is_not_called_ambiguous_has_an_accuracy_of_its_own(self):
        found = measure_labels(codes(["yes", "no", "ambiguous"]), codes(["yes", "yes", "no"]))
        assert (found.abstained, found.accuracy_read) == (pytest.approx(1 / 3), 0.5)

    def test_ambiguous_from_the_threshold_on(self):
        answers = Readable(np.array([[0.6, 0.1, 0.3], [0.1, 0.6, 0.3]]), np.ones(2))
        assert decide(answers, Thresholds(0.31)).tolist() == [0, 1]
        assert decide(answers, Thresholds(0.3)).tolist() == [2, 2]

    def test_ambiguous_below_a_cosine_with_the_question(self):
        answers = Readable(np.array([[0.9, 0.1, 0.0], [0.1, 0.9, 0.0]]), np.array([0.09, 0.1]))
        assert decide(answers, Thresholds(0.5, 0.1)).tolist() == [2, 1]
        assert decide(answers, Thresholds(0.5)).tolist() == [0, 1]

    def test_the_threshold_finds_half_of_the_ambiguous_answers_and_is_the_highest_that_does(self):
        shares = np.array([0.7, 0.4, 0.2, 0.1, 0.05, 0.02])
        answers = Readable(np.stack([1 - shares, 0 * shares, shares], axis=1), np.ones(6))
        labels = ["ambiguous", "yes", "ambiguous", "ambiguous", "ambiguous", "yes"]
        found = best_thresholds(answers, labels, NOTHING)
        assert found == (0.2, -1.0)
        assert decide(answers, found).tolist() == [2, 2, 2, 0, 0, 0]

    def test_the_cosine_is_the_lowest_that_finds_half_of_the_unrelated_answers(self):
        answers = Readable(np.array([[0.6, 0.1, 0.3], [0.95, 0.05, 0.0]]), np.array([0.9, 0.15]))
        unrelated = Readable(np.tile([0.9, 0.1, 0.0], (4, 1)), np.array([0.0, 0.05, 0.2, 0.4]))
        assert best_thresholds(answers, ["ambiguous", "yes"], unrelated) == (0.3, 0.06)

    def test_without_ambiguous_answers_macro_f1_decides(self):
        logits = np.log(np.array([[0.6, 0.1, 0.3], [0.9, 0.05, 0.05], [0.05, 0.9, 0.05]]))
        found = best_thresholds(Readable(softmax(logits), np.ones(3)), ["yes", "yes", "no"], NOTHING)
        assert decide(Readable(softmax(logits), np.ones(3)), found).tolist() == [0, 0, 1]


NOTHING = Readable(np.zeros((0, 3)), np.zeros(0))


def test_stop_words_are_whole_words():
    assert topic_words("Would you like to rest in Rome?") == {"rest", "rome"}


def test_questions_are_crossed_with_answers_on_other_topics(encoder):
    dog = Exchange("d", "Do you own a dog?", "I have a golden retriever at home.", "yes", (1.0, 0.0, 0.0))
    food = Exchange("f", "Do you eat meat?", "A vegetarian since 2010, in fact.", "no", (0.0, 1.0, 0.0))
    pairs = crossed([dog, food] * 10, seed=0)
    assert set(pairs) == {(dog.question, food.answer), (food.question, dog.answer)}
    far = relatedness(*zip(*pairs, strict=True))
    near = relatedness([dog.question, food.question], [dog.answer, food.answer])
    assert far.max() < near.min()
    assert relatedness([dog.question] * 2, ["No, never.", "I do."]).tolist() == [1.0, 1.0]
