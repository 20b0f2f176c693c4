"""What systems chose, as a source of judgements: where it lies, and whether raters have looked at the candidates."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from dialeval.data.vetting_status import status_sentence

_ASKED: Final = "asked.json"
_VETTED: Final = "vetted: "


def choices_in(folder: Path) -> Path | None:
    """The choices in a folder that ``dialeval select ask`` wrote; None of any other source."""
    return folder / "choices.jsonl" if (folder / _ASKED).is_file() else None


def unvetted_notes(sources: Sequence[str | Path]) -> tuple[str, ...]:
    """A note for each measure over choices whose candidates people have not all looked at."""
    return tuple(
        dict.fromkeys(
            f"{measure}: {status}"
            for source in sources
            for measure, status in _statuses(Path(source))
            if not status.startswith(_VETTED)
        )
    )


def _statuses(source: Path) -> Iterator[tuple[str, str]]:
    """Each measure over choices in a run, a folder of asking or a file of choices, and its candidates' status."""
    summary, asked = source / "summary.json", source / _ASKED
    if summary.is_file():
        for one in _json(summary).get("selection") or ():
            yield str(one["measure"]), str(one["status"])
    elif asked.is_file():
        yield "selection_accuracy", str(_json(asked)["questions"]["status"])
    elif source.suffix == ".jsonl" and source.is_file():
        with source.open(encoding="utf-8") as lines:
            first = _object(next(lines, ""))
        if "chosen" in first:
            yield str(first.get("measure")), status_sentence([first.get("status")])


def _json(path: Path) -> dict[str, Any]:
    return _object(path.read_text(encoding="utf-8"))


def _object(text: str) -> dict[str, Any]:
    """The JSON object, or an empty one where there is none: whoever reads the source for its judgements says so."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
