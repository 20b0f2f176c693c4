"""Tables of aliases: other words for a slot's values, in a JSON, YAML or TSV file of the user's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import yaml

from dialeval.errors import BadInput, first_line
from dialeval.files.foreign import check_yaml_size, load_yaml

Aliases: TypeAlias = Mapping[tuple[str, str], tuple[str, ...]]
"""Phrases for a slot and a value, both in lower case; the slot ``*`` is every slot."""

_SHAPE: Final = '{"area": {"centre": ["middle of town"]}}'
ANY_SLOT: Final = "*"


class AliasFile(NamedTuple):
    """What a file of aliases holds, with the file's digest."""

    aliases: Aliases
    digest: str


@lru_cache(maxsize=16)
def read_aliases(path: Path) -> AliasFile:
    """The aliases of a file: ``{slot: {value: [phrase, ...]}}`` in JSON or YAML, or lines of slot, value, phrase (TSV).

    The slot ``*`` stands for every slot. The value ``yes`` or ``no`` gives phrases that say so of a property.
    """
    from dialeval.files.digests import hash_file

    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        found = "no such file" if not path.exists() else first_line(error)
        raise BadInput(str(path), found, "a file of aliases", "Check the path.") from None
    entries = _from_table(text, path) if path.suffix.lower() in (".tsv", ".txt") else _from_tree(text, path)
    table: dict[tuple[str, str], list[str]] = {}
    for slot, value, phrase in entries:
        table.setdefault((slot.strip().lower(), value.strip().lower()), []).append(phrase)
    return AliasFile({key: tuple(phrases) for key, phrases in table.items()}, hash_file(path))


def _from_table(text: str, path: Path) -> Iterator[tuple[str, str, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != 3 or not all(cell.strip() for cell in cells):
            todo = "Write the slot, its value and a phrase, parted by tabs."
            raise BadInput(str(path), f"{len(cells)} cells", "slot<tab>value<tab>phrase", todo, line=number)
        yield cells[0], cells[1], cells[2]


def _from_tree(text: str, path: Path) -> Iterator[tuple[str, str, str]]:
    try:
        tree = json.loads(text) if path.suffix.lower() == ".json" else load_yaml(str(path), text)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        raise BadInput(str(path), first_line(error), "JSON or YAML", f"Write it as {_SHAPE}.") from None
    if path.suffix.lower() != ".json":
        check_yaml_size(str(path), tree, "a file of aliases")
    for slot, values in _mapping(tree, path, "").items():
        for value, phrases in _mapping(values, path, str(slot)).items():
            listed = phrases if isinstance(phrases, list) else [phrases]
            for phrase in listed:
                if not isinstance(phrase, str) or not phrase.strip():
                    field = f"{slot}.{value}"
                    raise BadInput(
                        str(path), repr(phrase), "a phrase or a list of them", f"Write {_SHAPE}.", field=field
                    )
                # YAML reads a bare yes or no as a truth value.
                named = {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value
                yield str(slot), str(named), phrase


def _mapping(value: object, path: Path, field: str) -> Mapping[object, object]:
    if isinstance(value, Mapping):
        return value
    raise BadInput(
        str(path), type(value).__name__, "an object", f"Write it as {_SHAPE}.", field=field or None
    )
