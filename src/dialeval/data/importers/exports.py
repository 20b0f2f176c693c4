"""Text files that are no lines of responses, by their first lines: exported chats, transcripts with names, JSON."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

from dialeval.data.codec.dialects import tell
from dialeval.data.codec.sources import UTF8_MARK, Source, opened, shown
from dialeval.data.importers.whatsapp import HEADER
from dialeval.errors import BadInput
from dialeval.files.foreign import JSON_ERRORS

Look: TypeAlias = Literal["whatsapp", "json", "telegram", "slack", "names"]

_HEAD: Final = 1 << 14
_LINES: Final = 60
_MARKS: Final = "\u200e\u200f\ufeff"
_TELEGRAM: Final = re.compile(r".{1,60}, \[\d{1,2}[./]\d{1,2}[./]\d{2,4}[, ]+\d{1,2}:\d{2}.*\]:?")
_SLACK: Final = re.compile(r"\S.{0,40}\s+\[?\d{1,2}:\d{2}\s?[AP]M\]?", re.IGNORECASE)
_NAMED: Final = re.compile(r"(?P<name>[^\W\d_][\w .'’-]{0,24}?)\s?:\s+\S.*")
_NOUNS: Final[Mapping[Look, str]] = {
    "whatsapp": "a chat exported from WhatsApp",
    "json": "JSON",
    "telegram": "a chat copied from Telegram",
    "slack": "a chat copied from Slack",
    "names": "a transcript, with the speaker's name before each line",
}


def look_of(source: Source) -> Look | None:
    """Which export the first lines of a text file look like; None of plain lines."""
    with opened(source) as handle:
        head = handle.peek(_HEAD)[:_HEAD].removeprefix(UTF8_MARK).decode("utf-8", "replace")
    texts = [line.strip().lstrip(_MARKS) for line in head.splitlines()[:_LINES]]
    return _look([text for text in texts if text])


def _look(texts: Sequence[str]) -> Look | None:
    if not texts:
        return None
    if _is_json(texts):
        return "json"
    dated = sum(HEADER.fullmatch(text.replace("\u202f", " ")) is not None for text in texts)
    if dated >= 2 or dated == len(texts):
        return "whatsapp"
    if sum(_TELEGRAM.fullmatch(text) is not None for text in texts) >= max(2, len(texts) / 6):
        return "telegram"
    if sum(_SLACK.fullmatch(text) is not None for text in texts) >= max(2, len(texts) / 6):
        return "slack"
    return "names" if _has_names(texts) else None


def _is_json(texts: Sequence[str]) -> bool:
    """Whether the first line is a JSON object, or the text begins as one or an array of them does."""
    if texts[0] in ("{", "[") or texts[0].startswith(('{"', '[{"')):
        try:
            return texts[0] in ("{", "[") or isinstance(json.loads(texts[0]), dict | list)
        except JSON_ERRORS:
            return texts[0].startswith(('{"', '[{"')) and len(texts) == 1  # a line that the head cuts off
    return False


def _has_names(texts: Sequence[str]) -> bool:
    """Whether nearly every line begins with one of a few names, two at least, each of which comes again."""
    found = [match["name"].casefold() for text in texts if (match := _NAMED.fullmatch(text))]
    names = Counter(found)
    few = 2 <= len(names) <= max(2, len(texts) // 4)
    return len(texts) >= 4 and few and min(names.values()) >= 2 and len(found) >= 0.9 * len(texts)


def text_format(source: Source) -> str:
    """The format of a text file, by its first lines; BadInput of chats that we do not read."""
    look = look_of(source)
    if look is None:
        return "text"
    if look == "whatsapp":
        return "whatsapp"
    if look == "json":
        tell(shown(source), "read as jsonl, since it holds JSON")
        return "jsonl"
    raise refuse_export(source, look, beside=" (or a prompt)")


def refuse_export(source: Source, look: Look, *, beside: str = "") -> BadInput:
    """The error for an export where lines of text are read, with the ways out."""
    path = shown(source)
    if look == "whatsapp":
        way = f"Give it as the FILE, or convert it: 'dialeval data convert {path} chat.jsonl --from whatsapp'"
    elif look == "json":
        way = f"Give it as the FILE: 'dialeval score {path}'; it needs the ending .jsonl or .json"
    else:
        way = (
            "Write a row for each message with the columns conversation, role and content (.csv), or read it your own "
            "way with --from my.py:read, where my.py is\n\n"
            "    from pathlib import Path\n\n"
            "    def read(path):\n"
            "        lines = Path(path).read_text(encoding='utf-8').splitlines()\n"
            '        said = [line.split(": ", 1) for line in lines if ": " in line]\n'
            '        turns = [{"speaker": name, "text": text} for name, text in said]\n'
            '        yield {"id": path, "turns": turns}\n\n'
        )
    end = "" if way.endswith("\n") else ". "
    todo = f"{way}{end}If every line is a response{beside}, name the format: text:{path}."
    return BadInput(path, _NOUNS[look], "one response a line", todo)
