"""Task kinds: ways to ask people about an item, one small file each.

Adding one costs a file with a class that follows ``Kind``, a line in ``KINDS``, a page fragment in
``web/templates/kinds/NAME.html``, a test, and a line in ``docs/annotation.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dialeval.annotation.kinds.kind import Ask, BadAnswer, Kind
from dialeval.annotation.kinds.likert import Likert

KINDS: Final[Mapping[str, Kind]] = {kind.name: kind for kind in (Likert(),)}
"""Every kind by the name that ``--kind`` takes."""

__all__ = ["KINDS", "Ask", "BadAnswer", "Kind"]
