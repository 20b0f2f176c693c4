"""``dialeval doctor``: what is installed, what is not, and what to do about it."""

from __future__ import annotations

import json as jsonlib
import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from dialeval.cli.options import Json
from dialeval.cli.workshop import default_cache_folder
from dialeval.errors import install_advice
from dialeval.version import __version__

if TYPE_CHECKING:
    from rich.console import Console

    from dialeval.resources import Status

PURPOSES: Final[Mapping[str, str]] = {
    "neural": "encoders other than the embedded one, skip_thought, language models, training",
    "xlsx": "workbooks (.xlsx) as data",
    "mixed": "annotate means --model mixed",
    "api": "systems behind a server",
    "meteor": "meteor",
    "ja": "bleu(tokens='ja-mecab')",
    "language": "word frequencies for select build",
    "retrieval": "search for select build",
    "milvus": "select build --engine milvus",
    "ray": "--engine ray",
    "serve": "annotate serve",
}
"""What each extra is for; those of developers are left out."""

TOOLS: Final[Mapping[str, tuple[str, ...]]] = {
    "java": ("java",),
    "chromium": ("chromium", "chromium-browser", "google-chrome"),
}
"""Programs that only our own tests use, and the names they go by."""


# Not on PyPI yet, so every installation has a clone.


@dataclass(frozen=True, slots=True)
class Package:
    """A distribution that dialeval can use."""

    name: str
    version: str | None
    """None where it is not installed."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Everything the doctor looked at."""

    base: list[Package]
    extras: dict[str, list[Package]]
    resources: list[Status]
    cache: Path
    cache_files: int
    cache_bytes: int
    cache_writable: bool
    tools: dict[str, str | None]

    @property
    def missing(self) -> list[str]:
        """Required packages that are not installed."""
        return [package.name for package in self.base if package.version is None]


def doctor(
    verify: Annotated[
        bool, typer.Option("--verify", help="Also compare every resource with its hash.")
    ] = False,
    licences: Annotated[
        bool,
        typer.Option(
            "--licences",
            help="List every installed dependency with its licence, and known vulnerabilities where pip-audit is "
            "installed (it asks the network).",
        ),
    ] = False,
    sbom: Annotated[
        Path | None,
        typer.Option(
            "--sbom", metavar="FILE", help="Write an SBOM (CycloneDX 1.5 JSON) of the installation."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Say what is installed, which resources are here, and what to do next.

    Exits with 1 only if something that every command needs is broken.

    Example: dialeval doctor --verify
    """
    if licences or sbom is not None:
        _print_dependencies(sbom, licences=licences, json=json)
        return
    diagnosis = _diagnose(verify=verify)
    if json:
        print(jsonlib.dumps(_json(diagnosis), ensure_ascii=False))
    else:
        _print(diagnosis)
    if diagnosis.missing:
        raise typer.Exit(1)


def _print_dependencies(target: Path | None, *, licences: bool, json: bool) -> None:
    from dialeval.cli.dependencies import audit, dependencies, sbom
    from dialeval.files.documents import write_document

    found = dependencies()
    if target is not None:
        write_document(target, sbom(found), follow=True)
        print(f"Wrote {target} with {len(found)} components", file=sys.stderr)
    if not licences:
        return
    audited = audit()
    if json:
        told = {"dependencies": [asdict(each) for each in found], **asdict(audited)}
        print(jsonlib.dumps(told, ensure_ascii=False))
        return
    for each in found:
        print(f"{each.name} {each.version}\t{each.licence}")
    for line in audited.vulnerabilities or (audited.absence or "pip-audit knows of no vulnerability",):
        print(line)


def _diagnose(*, verify: bool) -> Diagnosis:
    from dialeval.engine import Cache
    from dialeval.resources import CATALOGUE, check

    needs = _requirements()
    folder = default_cache_folder()
    files, size = Cache(folder).size()
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    return Diagnosis(
        base=needs.get("", []),
        extras={name: packages for name, packages in needs.items() if name in PURPOSES},
        resources=[check(name, verify=verify) for name in CATALOGUE],
        cache=folder,
        cache_files=files,
        cache_bytes=size,
        cache_writable=existing.is_dir() and os.access(existing, os.W_OK),
        tools={tool: next(filter(None, map(shutil.which, names)), None) for tool, names in TOOLS.items()},
    )


def _requirements() -> dict[str, list[Package]]:
    """The packages that each extra of the installed dialeval asks for; those of base use under the empty name."""
    from dialeval.resources import installed_version

    try:
        lines = metadata.requires("dialeval") or []
    except metadata.PackageNotFoundError:
        return {"": [Package("dialeval", None)]}
    found: dict[str, list[Package]] = {}
    for line in lines:
        name = re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0]
        extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)", line)
        if name != "dialeval":
            found.setdefault(extra[1] if extra else "", []).append(Package(name, installed_version(name)))
    return found


def _next_steps(diagnosis: Diagnosis) -> Iterator[str]:
    if diagnosis.missing:
        missing = ", ".join(diagnosis.missing)
        yield f"Fix the installation ({missing} missing): {install_advice()}"
    else:
        yield "Ready for base use. Try: dialeval demo"
    for name, packages in diagnosis.extras.items():
        if any(package.version is None for package in packages):
            yield f"For {PURPOSES[name]}: {install_advice(name)}"
    for status in diagnosis.resources:
        if status.state == "altered":
            yield status.detail
    if any(status.state == "absent" for status in diagnosis.resources):
        yield "For absent resources, install lines are in: dialeval resources ls"
    if not diagnosis.cache_writable:
        yield f"Results cannot be kept in {diagnosis.cache}. Make it writable, or set XDG_CACHE_HOME."
    if sys.stdout.encoding.lower() not in ("utf-8", "utf8"):
        yield f"This terminal speaks {sys.stdout.encoding}; set PYTHONUTF8=1 to see all text as it is."


def _json(diagnosis: Diagnosis) -> dict[str, object]:
    from dialeval.cli.resources import status_json

    return {
        "dialeval": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "base": [asdict(package) for package in diagnosis.base],
        "extras": {name: [asdict(package) for package in found] for name, found in diagnosis.extras.items()},
        "resources": [status_json(status) for status in diagnosis.resources],
        "cache": {
            "folder": str(diagnosis.cache),
            "files": diagnosis.cache_files,
            "bytes": diagnosis.cache_bytes,
            "writable": diagnosis.cache_writable,
        },
        "tools": diagnosis.tools,
        "ok": not diagnosis.missing,
        "next": list(_next_steps(diagnosis)),
    }


def _print(diagnosis: Diagnosis) -> None:
    from dialeval.display.consoles import PrintableConsole

    console = PrintableConsole(highlight=False, markup=False)
    console.print(
        f"dialeval {__version__}, Python {platform.python_version()}, {platform.platform(terse=True)}"
    )
    base = ", ".join(f"{package.name} {package.version or 'MISSING'}" for package in diagnosis.base)
    console.print(f"base      {base}")
    writable = "" if diagnosis.cache_writable else ", cannot be written"
    megabytes = diagnosis.cache_bytes / 1e6
    console.print(
        f"cache     {diagnosis.cache}: {diagnosis.cache_files} results, {megabytes:.1f} MB{writable}"
    )
    console.print(f"terminal  {console.width} columns, {sys.stdout.encoding}")
    for tool, path in diagnosis.tools.items():
        console.print(f"{tool:<9} {path or 'not found'} (optional, for our own tests)")
    console.print()
    _print_extras(console, diagnosis)
    console.print()
    _print_resources(console, diagnosis)
    console.print()
    console.print("What to do next")
    for step in _next_steps(diagnosis):
        print(f"- {step}")


def _print_extras(console: Console, diagnosis: Diagnosis) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(
        "extra", "state", "for", "missing packages", box=SIMPLE_HEAD, pad_edge=False, show_edge=False
    )
    for name, packages in diagnosis.extras.items():
        missing = [package.name for package in packages if package.version is None]
        state = "installed" if not missing else "partly" if len(missing) < len(packages) else "absent"
        table.add_row(name, state, PURPOSES[name], ", ".join(missing))
    console.print(table)


def _print_resources(console: Console, diagnosis: Diagnosis) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table("resource", "state", "for", box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for status in diagnosis.resources:
        table.add_row(status.resource.name, status.state, ", ".join(status.resource.used_by))
    console.print(table)
