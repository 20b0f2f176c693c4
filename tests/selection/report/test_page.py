"""Pages, plots and tables of what systems chose."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.data import Candidate, Question, Turn
from dialeval.data.choices import Choice, ChoiceRow, write_choices
from dialeval.display.table import markdown
from dialeval.errors import BadInput
from dialeval.selection.document import ErrorLabel, Quoted
from dialeval.selection.folder import read_asked, render_asked
from dialeval.selection.report import tables
from dialeval.selection.report.page import trial_plots
from dialeval.selection.report.tables import print_asked
from dialeval.study import render


def label(name, chosen=2, **changes):
    quoted = {"id": "q<1>", "context": ["Hi", "Where to?"], "correct": "Home.", "chosen": "<b>Homes</b>"}
    given = {
        "label": name,
        "candidates": 10,
        "questions": 8,
        "chosen": chosen,
        "alone": 0.75,
        "low": 0.5,
        "high": 1.0,
        "chance": None,
    }
    return {**given, "examples": [quoted] * min(chosen, 1), **changes}


def result(name, accuracy, **changes):
    given = {"system": name, "signature": f"{name}|version=1", "accuracy": accuracy, "low": 0.1, "high": 0.9}
    given |= {"mrr": 0.7, "mrr_low": 0.6, "mrr_high": 0.8, "hits": {"2": 0.8}, "hits@2": 0.8, "n": 20}
    given |= {"unscored": 0, "reason": None, "ties": 1, "normalise": "sum", "by_likelihood": True}
    given |= {"status": "unvetted", "measure": "selection_accuracy", "data": "ab" * 32, "errors": []}
    given |= {"design_effect": None}
    return {**given, **changes}


PAIR = {
    "a": "one", "b": "two", "difference": 0.2, "low": 0.05, "high": 0.4, "p_mcnemar": 0.01, "p_adjusted": 0.02,
    "significant": True, "better": "one", "wins": 7, "losses": 1, "n": 20, "ties": 12, "p_bootstrap": 0.02,
    "p_permutation": 0.02, "effect_size": 0.5, "unpaired": 0, "more_items": 0,
}  # fmt: skip
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
    "failures": [],
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
    },
}
QUESTIONS = {
    "n": 20,
    "chance": 0.25,
    "status": "unvetted: nobody has looked",
    "vetted": 0,
    "unvetted": 20,
    "unknown": 0,
    "sharing_a_context": 0,
    "most_candidates": 4,
    "warnings": [],
}
SETTINGS = {
    "normalise": "sum", "seed": 0, "trials": 1000, "level": 0.95, "cluster": None, "package": "1", "sources": [],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path) -> Path:
    content = {
        "format": 1,
        "questions": QUESTIONS,
        "results": [
            result("two", 0.2, errors=[label("wrong_tense?", 3), label(None, 0)]),
            result("one", 0.4, unscored=2),
        ],
        "comparisons": [PAIR],
        "failures": [{"system": "mute", "message": "it has no log-probabilities"}],
        "trials": TRIALS,
        "trials_reason": None,
        "settings": SETTINGS,
    }
    (tmp_path / "asked.json").write_text(json.dumps(content), encoding="utf-8")
    return tmp_path


def change(folder: Path, **changes):
    path = folder / "asked.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}), encoding="utf-8")
    return read_asked(folder).document


def test_systems_are_ranked_by_accuracy_with_the_status_below(folder):
    table = tables.ranking(read_asked(folder).document)
    assert [row[0].text for row in table.rows] == ["one", "two"]
    assert [column.title for column in table.columns] == [
        "system", "accuracy", "MRR", "hits@2", "ties", "n", "unscored"
    ]  # fmt: skip
    assert table.rows[0][1].text == "0.400"
    assert table.rows[0][1].detail == "[0.100, 0.900]"
    assert table.notes[0] == "unvetted: nobody has looked"
    assert "guessing would get 0.250" in table.notes[1]


def test_pairs_say_who_is_right_alone(folder):
    (row,) = tables.pairs(read_asked(folder).document).rows
    assert [cell.text for cell in row] == ["one − two", "+0.200", "7 / 1", "0.020", "one"]


def test_errors_are_shared_out_over_labels_and_guesses_are_called_so(folder):
    two = read_asked(folder).document.results[0]
    table = tables.errors(two.system, two.errors)
    assert table.title == "two: 3 wrong choices"
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["wrong_tense?", "3", "100 %", "10", "0.750"],
        ["no label", "0", "0 %", "10", "0.750"],
    ]
    assert table.notes[-1] == "wrong_tense?: guessed by a program, not by raters"


def test_trials_are_summed_up_in_words(folder):
    table = tables.trials(read_asked(folder).document.trials)
    assert [cell.text for cell in table.rows[0]] == ["one", "0.400", "0.650", "[0.500, 0.800]"]
    assert table.notes[0] == (
        "100 trials over 20 questions; 1 question left out; each trial draws its false candidates from 10 "
        "per question, which came at random from films.jsonl"
    )
    assert table.notes[3].endswith("CHOSEN 0.48, RANDOM 0.43 on average, range [0.06, 0.67] as drawn")
    assert "can only be 1 or -1" in table.notes[4]
    assert table.notes[5] == "3 trials without a correlation: all systems tie"


def test_systems_that_people_did_not_judge_are_named(folder):
    people = {**TRIALS["human"], "systems": 3, "not_judged": ["mute", "lone"], "undefined": 0}
    notes = tables.trials(change(folder, trials={**TRIALS, "human": people}).trials).notes
    assert notes[4:] == ("left out because people did not judge them: mute and lone",)


def test_what_went_wrong_with_trials_stands_among_the_failures(folder):
    failures = [{"system": "one", "message": "it knows no other candidates"}]
    trials = {**TRIALS, "human": None, "human_reason": "people judged nobody", "failures": failures}
    found = tables.failures(change(folder, trials=trials))
    assert [row[0].text for row in found.rows] == ["mute", "one, random candidates", "people's ranking"]
    none = tables.failures(change(folder, trials=None, trials_reason="too few utterances"))
    assert [cell.text for cell in none.rows[1]] == ["trials with random candidates", "too few utterances"]


def test_ranges_over_trials_say_how_they_were_widened_and_what_they_leave_out(folder):
    notes = tables.trials(read_asked(folder).document.trials).notes
    assert (
        "ranges of accuracies are widened by up to 16 % because all trials draw from the same pools" in notes
    )
    assert any(note.startswith("ranges show the draw of false candidates only") for note in notes)
    small = [{**row, "widening": None} for row in TRIALS["systems"]]
    notes = tables.trials(change(folder, trials={**TRIALS, "systems": small}).trials).notes
    assert any(note.startswith("ranges are too narrow") and "--pool" in note for note in notes)


def test_random_is_a_box_and_chosen_a_dot(folder):
    people, accuracy = trial_plots(read_asked(folder).document.trials)
    assert people.alt == (
        "Box plot of correlations with people's ranking: random median 0.430, quartiles [0.300, 0.500], range "
        "[0.060, 0.670], chosen 0.48."
    )
    assert "one: random median 0.650" in accuracy.alt
    assert "chosen 0.400" in accuracy.alt
    assert people.svg.startswith(b"<?xml")
    assert b"RANDOM" in people.svg


def test_without_people_there_is_one_plot(folder):
    document = change(folder, trials={**TRIALS, "human": None})
    assert len(trial_plots(document.trials)) == 1


def test_the_page_is_whole_safe_and_the_same_each_time(folder):
    page = render_asked(folder).read_text(encoding="utf-8")
    assert "20 questions, unvetted: nobody has looked." in page
    assert page.count("<img") == 2
    assert "&lt;b&gt;Homes&lt;/b&gt;" in page
    assert "<b>Homes</b>" not in page
    assert "it has no log-probabilities" in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")
    assert render_asked(folder).read_text(encoding="utf-8") == page


def test_a_page_without_trials_or_labels_leaves_them_out(folder):
    change(folder, trials=None, comparisons=[], results=[result("one", None, low=None, high=None, mrr=None)])
    page = render_asked(folder).read_text(encoding="utf-8")
    assert 'id="trials"' not in page
    assert 'id="errors"' not in page
    assert "Nothing was compared" in page


def test_the_terminal_shows_the_same_within_its_width(folder, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    print_asked(read_asked(folder).document)
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    for words in ("2 systems on 20 questions", "Pairs of systems", "RANDOM against CHOSEN", "mute"):
        assert words in shown


def test_a_damaged_folder_is_named(folder, tmp_path):
    (folder / "asked.json").write_text('{"format": 1}')
    with pytest.raises(BadInput, match=r"asked\.json, field 'questions'"):
        read_asked(folder)
    with pytest.raises(BadInput, match="select ask"):
        read_asked(tmp_path / "nowhere")


def test_errors_can_stand_in_a_document():
    quoted = Quoted("q", ("Hi",), "Yes.", "No.")
    table = tables.errors("bot", (ErrorLabel("wrong_tense", 4, 4, 1, 0.75, None, None, None, (quoted,)),))
    assert "| wrong_tense | 1 | 100 % | 4 | 0.750 |" in markdown(table)


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
        "systems": [{"system": "old", "ties": 2, "errors": [label("wrong_tense", 2)]}],
    }  # fmt: skip
    path.write_text(json.dumps({**json.loads(path.read_text()), "selection": [info]}))
    page = render(folder).read_text(encoding="utf-8")
    assert "selection_accuracy: 12 questions, chance 0.500; unvetted: nobody has looked" in page
    assert "old: 2 wrong choices" in page
    assert "Where is parcel 3?" in page
    assert "I like parcels, new." in page


def notes_of(folder, **changes):
    return tables.ranking(change(folder, **changes)).notes


def test_the_ranking_says_why_questions_are_unscored_and_that_accuracies_differ_in_what_they_are_over(folder):
    results = [result("one", 0.4, n=18, unscored=2, reason="it is too long"), result("two", 0.2)]
    notes = notes_of(folder, results=results)
    assert "one: 2 unscored, the first because it is too long" in notes
    assert any(note.startswith("accuracies are over different questions") for note in notes)
    same = notes_of(folder, results=[result("one", 0.4), result("two", 0.2)])
    assert not any("different questions" in note for note in same)


def test_the_ranking_says_how_questions_of_one_context_were_resampled(folder):
    questions = {**QUESTIONS, "sharing_a_context": 3}
    (note,) = [one for one in notes_of(folder, questions=questions) if "brackets" in one]
    assert "but 3 questions have the context of another one, so '--cluster auto' is safer" in note
    settings = {**SETTINGS, "cluster": "dialogue"}
    (note,) = [one for one in notes_of(folder, questions=questions, settings=settings) if "brackets" in one]
    assert note.endswith("questions of one context or dialogue being taken together")
    effects = [result("one", 0.4, design_effect=1.234), result("two", 0.2, design_effect=2.0)]
    (note,) = [one for one in notes_of(folder, results=effects) if "brackets" in one]
    assert note.endswith("taken together (design effect 1.23 to 2.00)")
    assert "swaps of whole clusters decide" in tables.pairs(read_asked(folder).document).notes[0]


def test_the_ranking_warns_of_bad_questions_and_of_hits_that_say_nothing(folder):
    questions = {**QUESTIONS, "warnings": ["1 question has a blank candidate (first: 'q')"]}
    results = [result("one", 0.4, hits={"2": 0.8, "9": 1.0})]
    notes = notes_of(folder, questions=questions, results=results)
    assert notes[1] == "1 question has a blank candidate (first: 'q')"
    assert notes[-1] == "hits@9 is 1 whatever is chosen: no question has more than 4 candidates"


def test_log_probabilities_are_spoken_of_where_a_system_has_them(folder):
    alike = [result("tfidf", 0.4, by_likelihood=False)]
    assert not any("log-probabilities" in note for note in notes_of(folder, results=alike))
    both = [*alike, result("model", 0.5)]
    assert "log-probabilities: sum over tokens" in notes_of(folder, results=both)


def test_accuracy_alone_stands_beside_what_guessing_would_get(folder):
    def note(*chances):
        labels = [label(f"l{at}", chance=chance) for at, chance in enumerate(chances)]
        found = change(folder, results=[result("one", 0.4, errors=labels)]).results[0].errors
        return tables.errors("one", found).notes[0]

    assert note(0.5, 0.5).endswith("than these, where guessing would get 0.500")
    assert note(0.5, 0.25).endswith("where guessing would get 0.500 (l0) and 0.250 (l1)")


def test_what_was_said_is_shown_as_text(folder):
    candidates = (Candidate("At noon.", True), Candidate("Trains are red.", False))
    asked = Question("q<1>", (Turn('user" onclick="', "<script>alert(1)</script>"),), candidates)
    write_choices(folder / "choices.jsonl", [ChoiceRow("accuracy", Choice(asked, "<i>a</i>", (0.0, 1.0)))])
    page = render_asked(folder).read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>" not in page
    assert "<i>a</i>" not in page
    assert 'onclick="' not in page
