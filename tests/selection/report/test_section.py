"""The section of a study's page about choices: errors, hard questions, random candidates."""

from __future__ import annotations

import json

from pydantic import TypeAdapter

from dialeval.data.choices import Choice
from dialeval.data.types import Candidate, Question, Turn
from dialeval.selection.document import SelectionInfo, Trials
from dialeval.selection.measure import hard_questions
from dialeval.selection.report.section import (
    choices_section,
    errors_table,
    section_notes,
    trial_plots,
    trials_table,
)
from dialeval.study import render


def label(name, chosen=2, **changes):
    quoted = {"id": "q<1>", "context": ["Hi", "Where to?"], "correct": "Home.", "chosen": "<b>Homes</b>"}
    given = {"label": name, "candidates": 10, "chosen": chosen, "chance": 0.5}
    return {**given, "examples": [quoted] * min(chosen, 1), **changes}


FIVE = [0.5, 0.6, 0.65, 0.7, 0.8]
TRIALS = {
    "trials": 100,
    "pool": 10,
    "questions": 20,
    "left_out": 1,
    "source": "films.jsonl",
    "seed": 0,
    "accuracies": [[0.6, 0.7]],
    "human_reason": None,
    "systems": [
        {"system": "one", "chosen": 0.4, "mean": 0.65, "five": FIVE, "widening": 1.16},
        {"system": "two", "chosen": 0.2, "mean": 0.65, "five": FIVE, "widening": 1.14},
    ],
    "human": {
        "criterion": "overall",
        "coefficient": "spearman",
        "systems": 2,
        "chosen": 0.48,
        "mean": 0.43,
        "five": [0.06, 0.3, 0.43, 0.5, 0.67],
        "undefined": 3,
        "not_judged": [],
        "values": [0.43],
        "p": 0.163,
    },
}
INFO = {
    "measure": "selection_accuracy", "questions": 20, "chance": 0.25, "status": "unvetted: nobody has looked",
    "most_candidates": 4, "sharing_a_context": 0,
    "systems": [{"system": "two", "ties": 1, "errors": [label("wrong_tense?", 3), label(None, 0)]}],
}  # fmt: skip
TEXTS = ("At noon.", "No tea, thanks.", "Trains are red.")


def section(**changes) -> SelectionInfo:
    return TypeAdapter(SelectionInfo).validate_python({**INFO, **changes})


def trials(**changes) -> Trials:
    return TypeAdapter(Trials).validate_python({**TRIALS, **changes})


def choice(item: str, system: str, chosen: int, *, error: str | None = None) -> Choice:
    candidates = tuple(
        Candidate(text, place == 0, error if place == 1 else None) for place, text in enumerate(TEXTS)
    )
    question = Question(item, (Turn("user", f"When, {item}?"),), candidates)
    return Choice(question, system, tuple(float(chosen == place) for place in range(3)))


def test_errors_are_shared_out_over_labels_and_guesses_are_called_so():
    (two,) = section().systems
    table = errors_table(two.system, two.errors)
    assert table.title == "two: 3 wrong choices"
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["wrong_tense?", "3", "100 %", "10", "0.500"],
        ["unlabelled", "0", "0 %", "10", "0.500"],
    ]
    assert table.notes[-1] == "wrong_tense?: guessed by a program, not by raters"


def test_the_smallest_share_right_comes_first_and_ties_keep_their_order():
    chosen = {"easy": (0, 0), "half": (0, 1), "hard": (1, 2), "other": (2, 0)}
    made = [choice(item, "ab"[at], places[at]) for at in range(2) for item, places in chosen.items()]
    found = hard_questions(made)
    assert [(one.id, one.right, one.systems) for one in found] == [
        ("hard", 0, 2),
        ("half", 1, 2),
        ("other", 1, 2),
    ]
    assert [one.chosen_by for one in found[0].candidates] == [(), ("a",), ("b",)]
    assert hard_questions([]) == []


def test_trials_are_summed_up_in_words():
    table = trials_table(trials())
    assert [cell.text for cell in table.rows[0]] == ["one", "0.400", "0.650", "[0.500, 0.800]"]
    assert table.notes[0] == (
        "100 trials over 20 questions; 1 question left out; each trial draws its false candidates from 10 "
        "per question, taken at random from films.jsonl"
    )
    assert table.notes[3].endswith(
        "CHOSEN 0.48 (p = 0.163, one test), RANDOM 0.43 on average, range [0.06, 0.67] as drawn"
    )
    assert "can only be 1 or -1" in table.notes[4]
    assert table.notes[5] == "3 trials without a correlation: all systems tie"


def test_systems_that_people_did_not_judge_are_named():
    people = {**TRIALS["human"], "systems": 3, "not_judged": ["mute", "lone"], "undefined": 0}
    assert trials_table(trials(human=people)).notes[4:] == (
        "left out because people did not judge them: mute and lone",
    )
    none = trials_table(trials(human=None, human_reason="people judged nobody"))
    assert none.notes[-1] == "people's ranking was not used: people judged nobody"


def test_ranges_over_trials_say_how_they_were_widened_and_what_they_leave_out():
    notes = trials_table(trials()).notes
    assert (
        "ranges of accuracies are widened by up to 16 % because all trials draw from the same pools" in notes
    )
    assert any(note.startswith("ranges show the draw of false candidates only") for note in notes)
    small = [{**row, "widening": None} for row in TRIALS["systems"]]
    notes = trials_table(trials(systems=small)).notes
    assert any(note.startswith("ranges are too narrow") and "larger pool" in note for note in notes)


def test_random_is_a_box_and_chosen_a_dot():
    people, accuracy = trial_plots(trials())
    assert people.alt == (
        "Box plot of correlations with people's ranking: random median 0.430, quartiles [0.300, 0.500], range "
        "[0.060, 0.670], chosen 0.48."
    )
    assert "one: random median 0.650" in accuracy.alt
    assert "chosen 0.400" in accuracy.alt
    assert people.svg.startswith(b"<?xml")
    assert b"RANDOM" in people.svg
    assert len(trial_plots(trials(human=None))) == 1


def test_what_was_said_is_shown_as_text():
    hard = {
        "id": "q<1>", "context": [['user" onclick="', "<script>alert(1)</script>"]], "right": 0, "systems": 1,
        "candidates": [{"text": "<u>At noon.</u>", "correct": True, "error": None, "chosen_by": ["<i>a</i>"]}],
    }  # fmt: skip
    page = choices_section([section(hardest=[hard], wrong=1)]).html
    assert "&lt;b&gt;Homes&lt;/b&gt;" in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    for raw in ("<b>Homes", "<script>", "<i>a</i>", "<u>", 'onclick="'):
        assert raw not in page


def test_notes_say_what_was_asked_and_what_is_odd_about_it():
    warnings = ["1 question has a blank candidate (first: 'q')"]
    assert list(section_notes(section(warnings=warnings))) == [
        "selection_accuracy: 20 questions, chance 0.250; unvetted: nobody has looked",
        "selection_accuracy: 1 question has a blank candidate (first: 'q')",
    ]


def test_the_report_of_a_study_shows_choices_among_its_items(make_run):
    """Questions have no examples: what was chosen stands for the response, what is correct for the reference."""
    folder = make_run(measures={"selection_accuracy": True}, value=lambda m, s, at: float(at % 2))
    (folder / "examples.jsonl").write_text("")
    rows = [
        {
            "measure": "selection_accuracy", "id": f"item-{at}", "system": system, "status": None,
            "chosen": 1, "correct": False, "rank": 2,
            "context": [{"role": "user", "content": f"Where is parcel {at}?"}],
            "candidates": [
                {"text": "On its way.", "score": -2.0, "correct": True},
                {"text": f"I like parcels, {system}.", "score": -1.0, "correct": False},
            ],
        }
        for system in ("old", "new")
        for at in range(12)
    ]  # fmt: skip
    (folder / "choices.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    path = folder / "summary.json"
    info = {
        "measure": "selection_accuracy", "questions": 12, "chance": 0.5, "status": "unvetted: nobody has looked",
        "most_candidates": 2, "sharing_a_context": 0,
        "systems": [{"system": "old", "ties": 2, "errors": [label("wrong_tense?", 2), label(None, 0)]}],
    }  # fmt: skip
    path.write_text(json.dumps({**json.loads(path.read_text()), "selection": [info]}))
    page = render(folder).read_text(encoding="utf-8")
    assert "selection_accuracy: 12 questions, chance 0.500; unvetted: nobody has looked" in page
    assert "old: 2 wrong choices" in page
    assert "Where is parcel 3?" in page
    assert "I like parcels, new." in page
