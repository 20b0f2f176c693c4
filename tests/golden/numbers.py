"""Proof that a change of formats keeps every number: each golden document as (command, path, value).

    cd tests && python -m golden.numbers e61f7656        # against the documents of that commit

A number is *kept* if it has the same path, *moved* if the documents of the same suite have it elsewhere at least as
often, and *lost* otherwise. Lost numbers are listed, and the exit code is 1 unless ``changed_numbers.txt`` names each
of them (a pattern of ``document path``, and the reason behind ``#``).
"""

from __future__ import annotations

import argparse
import fnmatch
import io
import json
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

HERE: Final = Path(__file__).parent
FILES: Final = HERE / "files"
STATED: Final = HERE / "changed_numbers.txt"


class Number(NamedTuple):
    """A number, and where a document has it."""

    suite: str
    document: str
    path: str
    value: float

    @property
    def rounded(self) -> tuple[str, str]:
        """What it is recognised by elsewhere."""
        return self.suite, f"{self.value:.9g}"


class Comparison(NamedTuple):
    """What became of the numbers of earlier documents."""

    kept: int
    moved: int
    lost: list[Number]


def flatten(documents: Mapping[str, Any]) -> Iterator[Number]:
    """Yield every number of the documents, which are named ``suite/documents/name``."""
    for name, content in documents.items():
        suite, _, document = name.partition("/documents/")
        for path, value in _leaves(content, ""):
            yield Number(suite, document, path, value)


def _leaves(value: Any, path: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _leaves(inner, f"{path}[{index}]")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, float(value)


def compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> Comparison:
    """Say of each number of ``before`` whether ``after`` has it at the same place, elsewhere, or not at all."""
    then, now = list(flatten(before)), set(flatten(after))
    gone = [number for number in then if number not in now]
    new = Counter(number.rounded for number in now - set(then))
    lost = []
    for number in gone:
        if new[number.rounded]:
            new[number.rounded] -= 1
        else:
            lost.append(number)
    return Comparison(len(then) - len(gone), len(gone) - len(lost), lost)


def present(folder: Path = FILES) -> dict[str, Any]:
    """Return the documents that are recorded now."""
    return {
        path.relative_to(folder).as_posix(): json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*/documents/**/*.json"))
    }


def recorded_at(revision: str) -> dict[str, Any]:
    """Return the documents of a commit."""
    place = FILES.relative_to(_root()).as_posix()
    archive = subprocess.run(
        ["git", "archive", revision, place], cwd=_root(), capture_output=True, check=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tree:
        members = [each for each in tree.getmembers() if "/documents/" in each.name and each.isfile()]
        return {
            each.name.removeprefix(f"{place}/"): json.loads(content.read())
            for each in members
            if (content := tree.extractfile(each)) and each.name.endswith(".json")
        }


def stated_changes() -> dict[str, str]:
    """Return the patterns of numbers that were changed on purpose, each with its reason."""
    lines = STATED.read_text(encoding="utf-8").splitlines() if STATED.is_file() else []
    pairs = (line.split("#", 1) for line in lines if line.strip() and not line.startswith("#"))
    return {pattern.strip(): reason.strip() for pattern, reason in pairs}


def _root() -> Path:
    return HERE.parents[1]


def main() -> None:
    """Print what became of the numbers, and fail if one was lost without a reason."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("revision", help="the commit whose documents have the numbers to keep")
    found = compare(recorded_at(parser.parse_args().revision), present())
    stated = stated_changes()
    places = [(number, f"{number.suite}/{number.document} {number.path}") for number in found.lost]
    silent = [(n, p) for n, p in places if not any(fnmatch.fnmatchcase(p, each) for each in stated)]
    print(f"{found.kept} kept, {found.moved} moved, {len(found.lost)} lost, {len(silent)} of them unstated")
    for number, place in silent:
        print(f"  {place} = {number.value!r}")
    sys.exit(bool(silent))


if __name__ == "__main__":
    main()
