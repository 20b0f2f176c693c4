"""Reading of what dialeval writes into values that can be compared, whatever the file format.

Every file becomes a *document* and its *sentences*. The document has all keys, their order, numbers, codes and texts
of the data, and the ``style`` (indentation, escapes, line ends) that gives back the file's bytes. A sentence is a
string with a space that is not part of the study's data: a note, a reason, a verdict, the wording of a rule. The
document has ``<sentence>`` in its place, and the text is in a list of its own, so that wording can be changed on
purpose while everything else stays pinned. Times, versions and places of this machine are replaced by
the name of their type; what a machine lacks (null) counts as text.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import re
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

JSON_STYLES: Final = {
    "compact": {"separators": (",", ":")},
    "line": {},
    "indent 1": {"indent": 1},
    "indent 2": {"indent": 2},
}
ABSENT: Final = frozenset({"path", "version"})
"""Of a resource; null on a machine that lacks it."""
VOLATILE: Final = frozenset(
    {"started", "finished", "python", "platform", "packages", "seconds", "dialeval", "start", "usage"}
)
"""Keys whose values differ between machines or runs, in every document; ``start`` is the digest of weights."""

MACHINE: Final = {
    "doctor": frozenset({"version", "state", "detail", "path", "ok", "next", "tools", "bytes"}),
    "resources_ls": frozenset({"state", "detail", "path"}),
    "systems_ls": frozenset({"missing"}),
}
"""The same for the output of commands that describe the machine."""


CODE: Final = re.compile(r"\S+ [<>]=? \S+|\w+\(.*\)\|.*|pip install .*")
"""Strings with spaces that are no sentences: rules, signatures, commands."""


@dataclass(slots=True)
class Splitter:
    """Takes sentences and volatile values out of one document."""

    known: Container[str]
    """The study's own texts, which are no sentences."""
    here: str
    """The folder in which commands were run; absolute paths differ between runs."""
    volatile: frozenset[str] = VOLATILE
    sentences: dict[str, list[str]] = field(default_factory=dict)
    """Where in the document each sentence stands."""

    def split(self, value: Any, where: str = "") -> Any:
        if isinstance(value, dict):
            return dict(self._entry(key, entry, where) for key, entry in value.items())
        if isinstance(value, list):
            return [self.split(entry, f"{where}[{index}]") for index, entry in enumerate(value)]
        if not isinstance(value, str):
            return value
        text = without_places(value, self.here)
        if not self._is_sentence(text):
            return text
        self.sentences.setdefault(text, []).append(where)
        return "<sentence>"

    def _entry(self, key: str, value: Any, where: str) -> tuple[str, Any]:
        name = key
        if self._is_sentence(key):
            places = self.sentences.setdefault(key, [])
            name = f"<sentence {list(self.sentences).index(key) + 1}>"
            places.append(f"{where}.{name}")
        if key in self.volatile:
            lacking = value is None and name in ABSENT
            return name, "<str>" if lacking else f"<{type(value).__name__}>"
        if key == "package" and re.fullmatch(r"\d+\.\d+\.\d+\S*", str(value)):
            return name, "<version>"
        return name, self.split(value, f"{where}.{name}")

    def _is_sentence(self, text: str) -> bool:
        if not re.search(r"\s", text) or CODE.fullmatch(text) or _is_json(text):
            return False
        return re.sub("^[A-Z]: ", "", text) not in self.known


def without_places(text: str, here: str) -> str:
    """A text without the paths of this machine: that of the folder in use, and that of the bundled demo."""
    return re.sub(r"/[^\s\"']*/demo/", "<demo>/", text.replace(here, "<here>"))


def read_document(path: Path) -> dict[str, Any]:
    """The content of any file but a page, and the style that gives back its bytes."""
    return READERS[path.suffix](path)


def parse_json(text: str) -> dict[str, Any]:
    """One JSON value, as printed or as in a file."""
    content = json.loads(text)
    return {"style": _style(text, [content]), "content": content}


def _json_lines(path: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.split("\n") if line]
    return {"style": _style(text, rows), "rows": rows}


def _style(text: str, values: list[Any]) -> str:
    for name, options in JSON_STYLES.items():
        for escaped in (False, True):
            lines = [json.dumps(value, ensure_ascii=escaped, **options) for value in values]
            for end in ("\n", ""):
                if text == "\n".join(lines) + end:
                    letters = "escaped" if escaped else "plain"
                    return f"{name}, {letters}, {'newline' if end else 'no newline'} at the end"
    return "another"


def _table(path: Path) -> dict[str, Any]:
    raw = path.read_bytes().decode("utf-8")
    delimiter = "\t" if path.suffix == ".tsv" else ","
    rows = list(csv.reader(io.StringIO(raw, newline=""), delimiter=delimiter))
    for end in ("\n", "\r\n"):
        again = io.StringIO()
        csv.writer(again, delimiter=delimiter, lineterminator=end).writerows(rows)
        if again.getvalue() == raw:
            return {"style": f"lines end in {end!r}", "rows": rows}
    return {"style": "another", "rows": rows}


def _parquet(path: Path) -> dict[str, Any]:
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    schema = [
        f"{column.name}: {column.type}{'' if column.nullable else ' not null'}" for column in table.schema
    ]
    metadata = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    rows = [list(row.values()) for row in table.to_pylist()]
    return {"style": {"schema": schema, "metadata": metadata}, "rows": rows}


def _lines(path: Path) -> dict[str, Any]:
    return {"style": "lines", "rows": path.read_text(encoding="utf-8").split("\n")}


READERS: Final[dict[str, Callable[[Path], dict[str, Any]]]] = {
    ".json": lambda path: parse_json(path.read_text(encoding="utf-8")),
    ".jsonl": _json_lines,
    ".csv": _table,
    ".tsv": _table,
    ".parquet": _parquet,
    ".yaml": _lines,
    ".txt": _lines,
}


def texts_of(path: Path) -> Iterator[str]:
    """Every text in an input file, and every line."""
    text = path.read_text(encoding="utf-8")
    for line in text.split("\n"):
        yield line
        with contextlib.suppress(ValueError):
            yield from _strings(json.loads(line))
    if path.suffix == ".yaml":
        import yaml

        yield from _strings(yaml.safe_load(text))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for entry in value.values():
            yield from _strings(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _strings(entry)


def _is_json(text: str) -> bool:
    if text[:1] not in ("[", "{"):
        return False
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def differences(pinned: Any, made: Any, tolerance: float, where: str = "") -> Iterator[str]:
    """Where two documents differ; keys must have the same order and values the same types."""
    if type(pinned) is not type(made):
        yield f"{where}: pinned {_short(pinned)}, made {_short(made)}"
    elif isinstance(pinned, dict):
        if list(pinned) != list(made):
            yield f"{where}: pinned keys {list(pinned)}, made {list(made)}"
        for key in pinned.keys() & made.keys():
            yield from differences(pinned[key], made[key], tolerance, f"{where}.{key}")
    elif isinstance(pinned, list):
        if len(pinned) != len(made):
            yield f"{where}: pinned {len(pinned)} entries, made {len(made)}"
        for index, (before, after) in enumerate(zip(pinned, made, strict=False)):
            yield from differences(before, after, tolerance, f"{where}[{index}]")
    elif isinstance(pinned, float):
        if not math.isclose(pinned, made, rel_tol=tolerance, abs_tol=tolerance / 1000):
            yield f"{where}: pinned {pinned!r}, made {made!r}"
    elif pinned != made:
        yield f"{where}: pinned {_short(pinned)}, made {_short(made)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]} ..."


def render(value: Any, deep: int = 3, margin: str = "") -> str:
    """JSON with a line for each entry down to a depth, so that a change can be read in a diff."""
    if not isinstance(value, (dict, list)) or not value or deep == 0:
        return json.dumps(value, ensure_ascii=False)
    inner = margin + " "
    if isinstance(value, dict):
        entries = [
            f"{inner}{json.dumps(key, ensure_ascii=False)}: {render(entry, deep - 1, inner)}"
            for key, entry in value.items()
        ]
        return "{\n" + ",\n".join(entries) + "\n" + margin + "}"
    entries = [inner + render(entry, deep - 1, inner) for entry in value]
    return "[\n" + ",\n".join(entries) + "\n" + margin + "]"
