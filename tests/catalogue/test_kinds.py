from __future__ import annotations

from dialeval.catalogue import SYSTEMS
from dialeval.catalogue.building import kinds

BY_KIND = {kind.kind: kind for kind in kinds()}


def test_every_kind_is_told_of_once_in_alphabetical_order() -> None:
    assert [kind.kind for kind in kinds()] == sorted(SYSTEMS)


def test_every_kind_says_what_it_is_and_can_do_something() -> None:
    assert all(kind.summary.endswith(".") and "`" not in kind.summary and kind.abilities for kind in kinds())


def test_abilities_follow_from_the_class() -> None:
    assert BY_KIND["echo"].abilities == ("answer",)
    assert BY_KIND["transcript"].abilities == ("replay", "give log-probabilities")
    assert BY_KIND["huggingface"].abilities == ("answer", "give log-probabilities")


def test_keys_say_whether_they_are_needed_and_their_defaults() -> None:
    corpus, method = BY_KIND["retrieval"].keys
    assert (corpus.name, corpus.needed, corpus.default) == ("corpus", True, None)
    assert (method.name, method.needed, method.default) == ("method", False, "bm25")
