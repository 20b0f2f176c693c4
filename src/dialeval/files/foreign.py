"""Errors of foreign code about a file, turned into errors of ours: the one place where that is done."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

from dialeval.errors import BadInput, RunFailed, first_line

Kinds: TypeAlias = tuple[type[Exception], ...]

JSON_ERRORS: Final[Kinds] = (ValueError, RecursionError)
"""Of ``json``; UnicodeDecodeError of its text and too long a number are ValueErrors, too."""
_MOST_PARTS: Final = 100_000
_DEEPEST: Final = 50
_MERGED: Final = "<<"
"""The key under which YAML takes in the keys of other mappings."""


@contextmanager
def as_bad_input(kinds: Kinds, path: str, noun: str, expected: str, todo: str) -> Iterator[None]:
    """Raise BadInput where foreign code fails on a file in one of the known ways: ``no readable NOUN (reason)``."""
    try:
        yield
    except kinds as error:
        raise BadInput(path, f"no readable {noun} ({first_line(error)})", expected, todo) from None


def workbook_errors() -> Kinds:
    """Of ``openpyxl``, which checks little of what it reads, and of ``zipfile`` below it."""
    import struct
    import zipfile
    import zlib

    return (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        struct.error,
        OSError,
        SyntaxError,  # which the errors of both XML parsers are
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RuntimeError,  # encrypted, or packed in a way that zipfile does not know
        AssertionError,
    )


def parquet_errors() -> Kinds:
    """Of ``pyarrow`` on damaged Parquet: its own, and Python's where a value does not fit its type."""
    import pyarrow as pa

    return (pa.ArrowException, OSError, ValueError, TypeError, LookupError, ArithmeticError, MemoryError)


def numpy_errors() -> Kinds:
    """Of ``numpy.load``, which reads headers as Python literals and archives by ``zipfile``."""
    import tokenize
    import zipfile
    import zlib

    return (
        OSError,
        EOFError,
        LookupError,
        TypeError,
        ArithmeticError,
        SyntaxError,
        tokenize.TokenError,
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        MemoryError,  # of brackets in brackets, in a header
        *JSON_ERRORS,
    )


def safetensors_errors() -> Kinds:
    """Of ``safetensors`` and of the JSON in a file's metadata."""
    from safetensors import SafetensorError

    return (SafetensorError, OSError, LookupError, TypeError, AttributeError, ArithmeticError, *JSON_ERRORS)


@contextmanager
def weights_path(path: Path) -> Iterator[Path]:
    """A scratch path for weights, as ``atomic_path`` gives; RunFailed where safetensors cannot write them."""
    from safetensors import SafetensorError

    from dialeval.files.atomic import atomic_path

    with atomic_path(path) as scratch:
        try:
            yield scratch
        except SafetensorError as error:
            raise RunFailed(
                f"{path}: the weights cannot be written ({first_line(error)}). Free some space or check the folder, "
                "and give the same command again."
            ) from None


def read_json(path: Path, expected: str, todo: str) -> Any:
    """Return the content of a small JSON file."""
    with as_bad_input((*JSON_ERRORS, OSError), str(path), "JSON", expected, todo):
        return json.loads(path.read_text(encoding="utf-8"))


def load_yaml(path: str, text: str) -> Any:
    """Return the value of a YAML text; BadInput, with both lines, if a mapping has one key twice."""
    import yaml

    class StrictLoader(yaml.SafeLoader):
        """Refuses a key that its mapping has already: PyYAML would keep the last value and say nothing."""

        def compose_mapping_node(self, anchor: Any) -> Any:
            node = super().compose_mapping_node(anchor)
            _check_keys(path, node)
            return node

        def flatten_mapping(self, node: Any) -> None:
            super().flatten_mapping(node)
            if len(node.value) > _MOST_PARTS:  # each mapping may take in many copies of the one before it
                raise _too_large(path, f"more than {_MOST_PARTS:,} keys taken in by <<", "a few")

        def construct_object(self, node: Any, deep: bool = False) -> Any:
            try:
                return super().construct_object(node, deep)
            except (
                AttributeError,
                LookupError,
                TypeError,
            ):  # of a value that its tag, such as !!bool, does not fit
                found = f"a value that is no {node.tag}"
                raise yaml.constructor.ConstructorError(None, None, found, node.start_mark) from None

    return yaml.load(text, Loader=StrictLoader)  # as safe as its base


def _check_keys(path: str, mapping: Any) -> None:
    lines: dict[tuple[str, str], int] = {}
    for key, _ in mapping.value:
        name, line = (key.tag, str(key.value)), key.start_mark.line + 1
        if name in lines and key.value != _MERGED:
            found = f"the key {key.value!r} a second time (first in line {lines[name]})"
            raise BadInput(path, found, "each key once", "Keep one of the two.", line)
        lines[name] = line


def check_yaml_size(path: str, content: object, expected: str) -> None:
    """Refuse aliases that stand for millions of values, or for themselves: they are small only in YAML."""
    sizes: dict[int, int] = {}

    def size(part: object, depth: int) -> int:
        if not isinstance(part, dict | list):
            return 1
        if depth > _DEEPEST:
            raise _too_large(path, f"values nested more than {_DEEPEST} deep", expected)
        if id(part) not in sizes:
            inside = part.values() if isinstance(part, dict) else part
            sizes[id(part)] = 1 + sum(size(each, depth + 1) for each in inside)
        if sizes[id(part)] > _MOST_PARTS:
            raise _too_large(path, f"more than {_MOST_PARTS:,} values, with aliases written out", expected)
        return sizes[id(part)]

    size(content, 0)


def _too_large(path: str, found: str, expected: str) -> BadInput:
    return BadInput(path, found, expected, "Write out what the aliases (*name) stand for, or use fewer.")
