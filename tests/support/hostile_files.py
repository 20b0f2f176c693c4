"""Files of which every name, id, text and label is hostile: to terminals, CI jobs, pages, spreadsheets and paths."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from support.every_verb import make_inputs, make_results
from support.fault_studies import put

MARK: Final = "0wned"
"""In every hostile part that would act if it were taken for more than text."""
PARTS: Final = (
    f"\x1b]0;{MARK}\x07\x1b[2J\x9b31m\x85\x08",
    "\u202eevil\u2066\u200b\ufeff\u2028\x7f",
    f"\n::error::{MARK}\n##[group]{MARK}\r::stop-commands::{MARK}\r",
    f"</script><script>{MARK}()</script><img src=x onerror={MARK}()>\"'><svg onload={MARK}()></style>",
    f'=HYPERLINK("http://127.0.0.1/{MARK}")',
    f"+cmd|' /C {MARK}'!A0",
    f"@SUM({MARK})",
    f"../../../../../../../../{MARK}/",
    f"/{MARK}/",
    f"..\\{MARK}\\%2e%2e%2f",
    "%s%n%(x)s{}{0}{x.__class__}{{ 7*7 }}{% x %}${HOME}`id`$(id)",
    f"\\input{{/{MARK}}}\\write18{{{MARK}}}&$#_^~",
    f"![x](http://127.0.0.1/{MARK})[x](javascript:{MARK}())|",
)
LONG: Final = 2000
"""Length of the longest names."""
NAMES: Final = frozenset({"id", "item", "system", "rater", "criterion", "scenario"})
TEXTS: Final = frozenset(
    {"content", "text", "response", "question", "answer", "premise", "hypothesis", "references"}
)


def hostile(name: str) -> str:
    """The name behind all hostile parts, in an order of its own; one of four is very long."""
    start = crc32(name.encode())
    parts = [PARTS[(start + n) % len(PARTS)] for n in range(len(PARTS))]
    return "".join(parts) + ("L" * LONG if start % 4 == 0 else "") + name


def hostile_text(text: str) -> str:
    """The text behind one of the hostile parts, so that it ends as it did."""
    return f"{PARTS[crc32(text.encode()) % len(PARTS)]} {text}"


def hostile_file_name(name: str) -> str:
    """As hostile as a file's name may be, with its ending."""
    part = "".join((PARTS[0], PARTS[2], PARTS[3], PARTS[-3])).replace("/", "")
    return f"{part}{name.replace('/', '_')}"


def hostile_words(words: Sequence[str]) -> list[str]:
    """The words of a command line, with the criteria that the files have."""
    criteria = {"overall": hostile("overall"), "right>=0.5": f"{hostile('right')}>=0.5"}
    return [criteria.get(word, word) for word in words]


def make_hostile(folder: Path, command: Callable[..., None]) -> Path:
    """What ``make_everything`` makes, from hostile files."""
    make_inputs(folder)
    for path in folder.iterdir():
        if path.suffix in _SPOIL:
            _SPOIL[path.suffix](path)
    make_results(folder, lambda words: command(hostile_words(words)))
    return folder


def _rows(path: Path) -> None:
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            rows.append(_value(json.loads(line)))
        except ValueError:  # spoilt on purpose
            continue
    put(path, rows)


def _value(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        if "slots" in value:
            return value | {"slots": value["slots"] | {"name": hostile_text(value["slots"]["name"])}}
        return {name: _value(part, name) for name, part in value.items()}
    if isinstance(value, list):
        return [_value(part, key) for part in value]
    if isinstance(value, str) and key in NAMES:
        return hostile(value)
    return hostile_text(value) if isinstance(value, str) and key in TEXTS else value


def _cells(path: Path) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row |= {name: hostile(row[name]) for name in ("item", "rater", "system", "a", "b") if name in row}
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)


def _lines(path: Path) -> None:
    if path.name == "lines.txt":
        with path.open("a", encoding="utf-8") as file:
            file.writelines(f"{part.replace(chr(10), ' ')} bread on the train.\n" for part in PARTS)


def _study(path: Path) -> None:
    def renamed(found: re.Match[str]) -> str:
        return "{name: " + json.dumps(hostile(found[1])) + ","

    text = re.sub(r"\{name: ([\w-]+),(?! questions)", renamed, path.read_text(encoding="utf-8"))
    criterion = f"criterion: {json.dumps(hostile('overall'))}"
    path.write_text(text.replace("criterion: overall", criterion), encoding="utf-8")


_SPOIL: Final = {".jsonl": _rows, ".csv": _cells, ".txt": _lines, ".yaml": _study}


GARBAGE: Final = ("keys", "values", "syntax", "surrogates", "zeros", "depth", "numbers")
FIELDS: Final = (
    "id", "item", "system", "rater", "criterion", "value", "context", "response", "responses", "messages",
    "candidates", "label", "premise", "hypothesis", "act", "references", "expected", "question", "answer", "task",
    "score", "a", "b", "choice", "scenario",
)  # fmt: skip


def garbage(kind: str, suffix: str) -> bytes:
    """The content of a file of that format, wrong in that way, and hostile."""
    bad = json.dumps(hostile("x"))[1:-1]
    value = {
        "surrogates": f'"\\ud800{bad}\\udfff\\ud83d"',
        "zeros": f'"\\u0000{bad}\\u0000"',
        "depth": "[" * 100_000,
        "numbers": "1" + "0" * 5000,
        "syntax": hostile("x") + "{",
    }.get(kind, f'"{bad}"')
    names = FIELDS if kind == "values" else (bad, *FIELDS)
    if suffix in (".csv", ".txt"):
        return "\n".join((",".join(names), ",".join([value] * len(names)), value)).encode()
    fields = ", ".join(f'"{name}": {value}' for name in names)
    return f"{{{fields}}}\n".encode()  # which is YAML, too
