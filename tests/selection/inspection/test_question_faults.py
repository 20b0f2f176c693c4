"""Questions that measure nothing are told, each fault once."""

from __future__ import annotations

from dialeval.selection.inspection.question_faults import question_faults
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
    assert question_faults(asked) == (
        "1 question has a false candidate with the text of a right one, so that nobody can choose rightly "
        "(first: 'twin')",
        "1 question has a blank candidate (first: 'blank')",
        "1 question has no context, or a blank one (first: 'mute')",
        "2 questions have no false candidate or no right one, so that there is nothing to choose (first: 'lone')",
    )


def test_texts_of_different_marks_alone_are_no_twins():
    assert question_faults([question("q", "...", false=["?!"])]) == ()
