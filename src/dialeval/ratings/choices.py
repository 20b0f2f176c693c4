"""What systems chose, as a source of judgements: where it lies, and whether raters have looked at the candidates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from dialeval.data.choices import choices_vetting
from dialeval.data.vetting_status import Vetting

_ASKED: Final = "asked.json"
_CHOICES: Final = "choices.jsonl"


def choices_in(folder: Path) -> Path | None:
    """The choices in a folder that ``dialeval select ask`` wrote; None of any other source."""
    return folder / _CHOICES if (folder / _ASKED).is_file() else None


def unvetted_notes(sources: Sequence[str | Path]) -> tuple[str, ...]:
    """A note for each measure over choices whose candidates people have not all looked at."""
    return tuple(
        dict.fromkeys(
            f"{measure}: {vetting}"
            for source in sources
            for measure, vetting in _vetting(Path(source))
            if not vetting.complete
        )
    )


def _vetting(source: Path) -> Iterator[tuple[str, Vetting]]:
    """Each measure over choices in a run, a folder of asking or a file of choices, and how far that is vetted."""
    for measure, vetting in choices_vetting(source / _CHOICES if source.is_dir() else source).items():
        # A folder of asking has one measure, whose settings are those of the folder.
        yield measure.partition("(")[0] if choices_in(source) else measure, vetting
