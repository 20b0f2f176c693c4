"""Questions that measure nothing are told, each fault once."""

from __future__ import annotations

from dialeval.display.notes import codes
from dialeval.selection.asking.questions import question_notes
from support.choosing_systems import question


def test_each_fault_is_told_with_how_many_questions_have_it_and_the_first():
    asked = [
        question("sound", "yes", false=["no"]),
        question("twin", "Yes, please.", false=["no", "yes please!"]),
        question("blank", "yes", false=[" "]),
        question("mute", "yes", false=["no"], said=" "),
        question("lone", "yes"),
        question("lonely", "yes"),
    ]
    notes = question_notes(asked)
    assert codes(notes) == ("same_text", "blank_candidate", "no_context", "nothing_to_choose")
    assert str(notes[1]) == "1 question has a blank candidate (first: 'blank')"
    assert str(notes[3]).startswith("2 questions have")


def test_texts_of_different_marks_alone_are_no_twins():
    assert question_notes([question("q", "...", false=["?!"])]) == ()
