"""Recorded dialogues of systems that ran elsewhere, and what was detected in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from dialeval.consistency.document import Detected
from dialeval.core import Signature
from dialeval.data import read
from dialeval.data.codec.column_names import Columns
from dialeval.data.codec.sources import file_of, source_stamp
from dialeval.data.types import UNNAMED, Dialogue
from dialeval.errors import Unsuitable
from dialeval.evaluation.silence import leaves_unanswered
from dialeval.files.digests import Stamp, hash_file


@dataclass(frozen=True, slots=True)
class RecordedDialogues:
    """Whole dialogues of a system, recorded in a file; it answers nothing.

    ``system`` says whose, if the file holds those of several. ``columns`` are those of ``read``.
    """

    name: str
    path: Path
    system: str | None = None
    columns: Mapping[str, str | list[str]] | str | None = None

    def __post_init__(self) -> None:
        columns = Columns.of(self.columns)
        object.__setattr__(self, "columns", str(columns) if columns else None)

    @property
    def signature(self) -> Signature:
        """All that could move its dialogues."""
        facts = (("file", hash_file(file_of(self.path))),)
        named = (("columns", str(self.columns)),) if self.columns else ()
        return Signature("dialogues", (("system", self.system), *named), facts)

    @property
    def items(self) -> Sequence[str]:
        """Ids of all dialogues of the file, also of other systems, in order."""
        return list(dict.fromkeys(dialogue.item for dialogue in self._all))

    @property
    def dialogues(self) -> list[Dialogue]:
        """The system's own dialogues, in the order of the file; at least one."""
        systems = list(dict.fromkeys(map(speaker_of, self._all)))
        if self.system is None and len(systems) > 1:
            raise Unsuitable(
                f"{self.path} has dialogues of {', '.join(systems)}. Say whose, as 'system: NAME'."
            )
        own = [each for each in self._all if self.system in (None, speaker_of(each), each.system)]
        if not own:
            raise Unsuitable(f"{self.path} has no dialogue of {self.system!r}, only of {', '.join(systems)}.")
        return own

    @property
    def _all(self) -> Sequence[Dialogue]:
        return _read(source_stamp(self.path), Columns.of(self.columns))


@lru_cache(maxsize=2)
def _read(file: Stamp, columns: Columns | None) -> tuple[Dialogue, ...]:
    return tuple(read(file.path, "dialogue", columns=columns))


def speaker_of(dialogue: Dialogue) -> str:
    """Return the name of the system whose dialogue it is; of one without, that which stands for it everywhere."""
    return dialogue.system or UNNAMED


@dataclass(frozen=True, slots=True)
class CheckedDialogue:
    """A dialogue, and its two most contradictory turns."""

    dialogue: Dialogue
    """With the name that the study gives the system."""
    detected: Detected
    passages: int
    """Pairs of passages that were compared."""
    is_narrowed: bool
    """Whether only the turns of its system were compared."""

    @property
    def item(self) -> str:
        """The id of the dialogue."""
        return self.dialogue.item

    @property
    def system(self) -> str:
        """Whose dialogue it is."""
        return self.dialogue.system

    @property
    def unanswered(self) -> bool:
        """Whether the system said nothing in all of it; a user alone is judged where every speaker is."""
        return leaves_unanswered(self.dialogue, user_alone=self.is_narrowed)
