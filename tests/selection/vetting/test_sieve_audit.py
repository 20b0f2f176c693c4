"""How much a sieve drops rightly, counted on data of known worth."""

from __future__ import annotations

import pytest

from dialeval.data import Candidate, Question
from dialeval.errors import Unsuitable
from support.sieve_audit import AsLikely, audit
from support.word_judge import DRAFT, Words, asked


def test_what_nobody_can_judge_counts_as_dropped():
    good = Candidate("neither thanks", correct=True)
    several = Question("q", (), (*asked("", truth="tea").candidates, good))
    assert audit([several], [AsLikely(Words())]).false_kept == {"false": 0.0}


def test_an_audit_counts_what_is_rightly_dropped_and_kept():
    good = tuple(Candidate(text, correct=True) for text in ("tea please", "coffee please", "neither thanks"))
    bad = (Candidate("tea or coffee", False, "adversarial"), Candidate("no idea", False, "random"))
    found = audit([Question("q", DRAFT.context, (*good, *bad)), DRAFT], [AsLikely(Words())])
    assert found.acceptable_dropped == 0.5
    assert found.false_kept == {"adversarial": 0.0, "random": 1.0}
    assert found.questions == 1
    never = AsLikely(Words(), margin=-9)
    both = audit([Question("q", DRAFT.context, (*good, *bad))], [never, AsLikely(Words())])
    assert both == found  # one judge that drops it is enough
    with pytest.raises(Unsuitable, match="two or more correct candidates"):
        audit([DRAFT], [])
