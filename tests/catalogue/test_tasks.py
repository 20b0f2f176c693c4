"""The table of tasks says of each what it says of itself."""

from __future__ import annotations

import pytest

from dialeval.catalogue.tasks import TASKS, task_asking, task_showing


@pytest.mark.parametrize("name", list(TASKS))
def test_a_line_says_what_the_task_says(name):
    traits, task = TASKS.traits[name], TASKS[name]
    assert traits.measures == tuple(task.measures)
    assert set(traits.shows) == task.shows
    assert (traits.systems, traits.files) == (tuple(task.systems), tuple(task.files))
    assert all(task_asking(measure) is task for measure in traits.measures)
    assert all(task_showing(measure) is task for measure in traits.shows)


def test_a_measure_of_responses_belongs_to_no_task():
    assert task_asking("bleu") is None
    assert task_showing("bleu") is None
    assert "bleu" not in TASKS
    assert len(TASKS) == len(list(TASKS))
