"""Contradictions and look-alikes by templates."""

from __future__ import annotations

from collections import Counter

from dialeval.consistency.pairs.lookalikes import FRAMES, look_alikes


def test_every_contradiction_has_a_look_alike_of_the_same_frame_and_statement():
    rows = list(look_alikes(20 * len(FRAMES), seed=1))
    for wrong, like in zip(rows[::2], rows[1::2], strict=True):
        assert (wrong.label, like.label) == ("contradiction", "consistent")
        assert wrong.source == like.source
        assert wrong.pair.between == like.pair.between
        texts = [{each.pair.earlier, each.pair.response} for each in (wrong, like)]
        assert len(texts[0] & texts[1]) == 1


def test_only_what_answers_a_question_begins_like_an_answer():
    """Whichever of the two was said first, "Yes, ..." follows the question and not the other way round."""
    rows = list(look_alikes(2000, seed=1))
    opened = [each.pair for each in rows if each.pair.response.startswith(("Yes, ", "As far"))]
    assert len(opened) > 50
    assert not [each.pair for each in rows if each.pair.earlier.startswith(("Yes, ", "As far"))]
    assert {each.pair.between for each in rows if each.pair.between} > {"Are you sure?"}


def test_all_frames_are_drawn_equally_often():
    drawn = Counter(each.source.removeprefix("look-alike:") for each in look_alikes(10 * len(FRAMES)))
    assert drawn == dict.fromkeys(FRAMES, 10)


def test_a_seed_draws_the_same_pairs_again_and_another_one_others():
    first, again, other = (list(look_alikes(60, seed=seed)) for seed in (3, 3, 4))
    assert first == again != other


def test_a_look_alike_shares_most_words_of_the_contradiction():
    """Otherwise a detector could tell the two apart without reading what changed."""
    rows = list(look_alikes(3000, seed=2))
    shared = []
    for wrong, like in zip(rows[::2], rows[1::2], strict=True):
        words = [
            {*each.pair.earlier.lower().split(), *each.pair.response.lower().split()}
            for each in (wrong, like)
        ]
        shared.append(len(words[0] & words[1]) / len(words[0] | words[1]))
    assert sum(shared) / len(shared) > 0.5
