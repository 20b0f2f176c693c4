"""Task kinds: ways to ask people about an item, one small file each.

Adding one costs a file with a class that follows ``Kind``, a line in ``KINDS``, a page fragment in
``web/templates/kinds/NAME.html``, a test, and a line in ``docs/annotation.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dialeval.annotation.kinds.best_of import BestOf
from dialeval.annotation.kinds.comment import Comment
from dialeval.annotation.kinds.contradiction import Contradiction
from dialeval.annotation.kinds.dialogue import WholeDialogue
from dialeval.annotation.kinds.errors import Errors
from dialeval.annotation.kinds.kind import Ask as Ask, BadAnswer as BadAnswer, Kind
from dialeval.annotation.kinds.likert import Likert
from dialeval.annotation.kinds.pairwise import Pairwise
from dialeval.annotation.kinds.ranking import Ranking
from dialeval.annotation.kinds.sentences import Sentences
from dialeval.annotation.kinds.slider import Slider
from dialeval.annotation.kinds.three_way import ThreeWay
from dialeval.annotation.kinds.turns import Turns
from dialeval.annotation.kinds.yes_no import YesNo

KINDS: Final[Mapping[str, Kind]] = {
    kind.name: kind
    for kind in (
        Likert(),
        Slider(),
        YesNo(),
        ThreeWay(),
        Pairwise(),
        Ranking(),
        Sentences(),
        BestOf(),
        Errors(),
        Turns(),
        WholeDialogue(),
        Contradiction(),
        Comment(),
    )
}
"""Every kind by the name that ``--kind`` takes."""
