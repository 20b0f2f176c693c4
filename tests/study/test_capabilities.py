"""The table of capabilities says of each what it says of itself."""

from __future__ import annotations

import pytest

from dialeval.study.capabilities import CAPABILITIES


@pytest.mark.parametrize("name", list(CAPABILITIES))
def test_a_line_says_what_the_capability_says(name):
    entry, capability = CAPABILITIES.entries[name], CAPABILITIES[name]
    assert entry.measures == tuple(capability.measures)
    assert set(entry.shows) == capability.shows
    assert all(CAPABILITIES.asking(measure) is capability for measure in entry.measures)
    assert all(CAPABILITIES.showing(measure) is capability for measure in entry.shows)


def test_a_measure_of_responses_has_no_capability():
    assert CAPABILITIES.asking("bleu") is None
    assert CAPABILITIES.showing("bleu") is None
    assert "bleu" not in CAPABILITIES
    assert len(CAPABILITIES) == len(list(CAPABILITIES))
