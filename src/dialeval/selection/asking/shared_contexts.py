"""Questions that belong together, since they ask about one context: they are no independent pieces of evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dialeval.core import by_dialogue
from dialeval.data.types import Question


def sharing_a_context(questions: Sequence[Question]) -> int:
    """How many of the questions have a context that an earlier one has."""
    return len(questions) - len({question.context for question in questions})


def by_context(questions: Sequence[Question]) -> Callable[[str], str]:
    """From a question's id to its cluster: questions of one context, or whose ids agree up to the last slash.

    Both together, for ids may hide what contexts show: ``d1/2/false_1`` and ``d1/false_3`` ask about dialogue d1.
    """
    cluster: dict[object, str] = {}

    def root(name: str) -> str:
        while (above := cluster.get(name, name)) != name:
            name = above
        return name

    for question in questions:
        dialogue = root(by_dialogue(question.item))
        # A context is no text, so that it is never taken for a dialogue's name.
        cluster[dialogue] = cluster[question.context] = root(cluster.get(question.context, dialogue))
    return lambda item: root(by_dialogue(item))
