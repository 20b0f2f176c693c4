from __future__ import annotations

from hypothesis import given, strategies as st

from dialeval.systems.trained.lessons import Width, bundles, cut_batches, training_batches

WIDTHS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=60)


@given(WIDTHS, st.integers(1, 60), st.integers(0, 5))
def test_every_lesson_once_and_within_the_budget(rows, budget: int, epoch: int):
    contexts = [(key, context) for key, context, _ in rows]
    widths = [Width(context, response) for _, context, response in rows]
    bundled = bundles(contexts, widths)
    batches = training_batches(bundled, budget, 7, epoch)
    assert sorted(at for batch in batches for at in batch) == list(range(len(rows)))
    assert batches == training_batches(bundled, budget, 7, epoch)
    for batch in batches:
        alone = [bundle for bundle in bundled if sorted(bundle.lessons) == sorted(batch)]
        context = len({contexts[at] for at in batch}) * max(widths[at].context for at in batch)
        response = len(batch) * max(widths[at].response for at in batch)
        assert alone or max(context, response) <= budget


def test_lessons_of_one_context_stay_together_up_to_eight():
    found = bundles(["a", "b", *["a"] * 9], [Width(3, at) for at in range(1, 12)])
    assert [bundle.lessons for bundle in found] == [[0, 2, 3, 4, 5, 6, 7, 8], [9, 10], [1]]
    assert found[0].width == (3, 9)


def test_batches_have_texts_of_like_length():
    widths = [Width(length, 1) for length in (9, 1, 8, 2, 9, 1)]
    assert cut_batches(bundles(range(6), widths), 18) == [[1, 5, 3], [2, 0], [4]]


def test_epochs_differ():
    bundled = bundles(range(40), [Width(1, 1)] * 40)
    assert training_batches(bundled, 4, 0, 0) != training_batches(bundled, 4, 0, 1)
    assert training_batches(bundled, 4, 0, 0) != training_batches(bundled, 4, 1, 0)
