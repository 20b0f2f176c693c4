"""Small made dialogues in which each turn follows from the one before."""

from __future__ import annotations

from dialeval.metrics.skip_thought.folder import TrainConfig, Triple

TINY = TrainConfig(
    vocabulary=50, word_size=8, sentence_size=16, batch_size=8, epochs=3, save_every=2, learning_rate=0.01
)


def made_triples() -> list[Triple]:
    things = ["coffee", "tea", "soup", "bread", "cake"]
    found = []
    for at, thing in enumerate(things):
        for place in ("here", "there", "at home", "in town"):
            turns = [f"do you want {thing} {place} ?", f"yes , {thing} please", f"{place} you are"]
            found += [
                Triple("", turns[0], turns[1]),
                Triple(turns[0], turns[1], turns[2]),
                Triple(turns[1], turns[2], things[at - 1]),
            ]
    return found
