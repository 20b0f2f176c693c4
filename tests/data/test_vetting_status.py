"""Whether raters have looked at the candidates, in words."""

from __future__ import annotations

import pytest

from dialeval.data import Question
from dialeval.data.choices import status_line


@pytest.mark.parametrize(
    ("statuses", "line"),
    [
        (["vetted"], "vetted: raters have looked at every candidate"),
        (
            ["unvetted"] * 2,
            "unvetted: nobody has looked at the candidates, so some false ones may be acceptable",
        ),
        ([None], "vetting unknown: nothing says whether raters have looked at the candidates"),
        (["vetted", "unvetted", None], "1 questions vetted by raters, 1 unvetted, 1 of unknown status"),
    ],
)
def test_the_status_is_said_in_words(statuses, line):
    assert status_line([Question("q", (), (), status) for status in statuses]) == line
