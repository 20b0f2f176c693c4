"""``dialeval doctor``: the installation, its dependencies and their licences, and advice."""

from __future__ import annotations

import json as jsonlib
import os
import platform
import re
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from rich.box import SIMPLE_HEAD
from rich.table import Table

from dialeval.cli.execution import default_cache_folder
from dialeval.cli.options import Json
from dialeval.cli.resources import status_json
from dialeval.display.consoles import PrintableConsole
from dialeval.encoder.bases import BASES
from dialeval.engine import Cache
from dialeval.errors import install_advice
from dialeval.files.documents import write_document
from dialeval.options import Option
from dialeval.resources import CATALOGUE, check, installed_version
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
"""Purposes of the extras; those of developers are left out."""

TOOLS: Final[Mapping[str, tuple[str, ...]]] = {
    "java": ("java",),
    "chromium": ("chromium", "chromium-browser", "google-chrome"),
}
"""Programs that only our own tests use, and the names they go by."""


@dataclass(frozen=True, slots=True)
class Package:
    """A distribution that dialeval can use."""

    name: str
    version: str | None
    """None if it is not installed."""


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
    verify: Annotated[bool, Option("--verify", help="Also compare every resource with its hash.")] = False,
    licences: Annotated[
        bool,
        Option(
            "--licences",
            help="List every installed dependency with its licence, and known vulnerabilities if pip-audit is "
            "installed (it asks the network).",
        ),
    ] = False,
    sbom: Annotated[
        Path | None,
        Option("--sbom", metavar="FILE", help="Write an SBOM (CycloneDX 1.5 JSON) of the installation."),
    ] = None,
    json: Json = False,
) -> None:
    """Check the installation and its resources, and say what to do next.

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
        sys.exit(1)


def _print_dependencies(target: Path | None, *, licences: bool, json: bool) -> None:
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
    for status in diagnosis.resources:
        if status.resource.name == BASES["deberta"].resource and status.state == "absent":
            better = (
                "For a better contradiction detector and quality, and to train on their base (--base deberta)"
            )
            yield f"{better}: {status.command}"
    if any(status.state == "absent" for status in diagnosis.resources):
        yield "For absent resources, install lines are in: dialeval resources ls"
    if not diagnosis.cache_writable:
        yield f"Results cannot be kept in {diagnosis.cache}. Make it writable, or set XDG_CACHE_HOME."
    if sys.stdout.encoding.lower() not in ("utf-8", "utf8"):
        yield f"This terminal speaks {sys.stdout.encoding}; set PYTHONUTF8=1 to see all text as it is."


def _json(diagnosis: Diagnosis) -> dict[str, object]:
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
    table = Table(
        "extra", "state", "for", "missing packages", box=SIMPLE_HEAD, pad_edge=False, show_edge=False
    )
    for name, packages in diagnosis.extras.items():
        missing = [package.name for package in packages if package.version is None]
        state = "installed" if not missing else "partly" if len(missing) < len(packages) else "absent"
        table.add_row(name, state, PURPOSES[name], ", ".join(missing))
    console.print(table)


def _print_resources(console: Console, diagnosis: Diagnosis) -> None:
    table = Table("resource", "state", "for", box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for status in diagnosis.resources:
        table.add_row(status.resource.name, status.state, ", ".join(status.resource.used_by))
    console.print(table)


_EXTRA: Final = re.compile(r"extra\s*==")
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Dependency:
    """An installed distribution that dialeval can reach through requirements."""

    name: str
    version: str
    licence: str
    """As its metadata state it; ``unknown`` if they do not."""
    needed_by: tuple[str, ...]
    """Distributions that require it."""


def dependencies() -> list[Dependency]:
    """Every installed distribution that dialeval asks for, with or without extras, and what those ask for, by name."""
    needed_by: dict[str, set[str]] = {"dialeval": set()}
    waiting, known = ["dialeval"], dict[str, metadata.Distribution]()
    while waiting:
        name = waiting.pop()
        try:
            known[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        # The extras of dialeval are part of it; those of others are not.
        for line in known[name].requires or []:
            if name != "dialeval" and _EXTRA.search(line):
                continue
            other = _normal(line)
            if other not in needed_by:
                waiting.append(other)
            needed_by.setdefault(other, set()).add(name)
    return [
        Dependency(name, found.version, licence_of(found), tuple(sorted(needed_by[name])))
        for name, found in sorted(known.items())
        if name != "dialeval"
    ]


def _normal(requirement: str) -> str:
    match = _NAME.match(requirement)
    return re.sub(r"[-_.]+", "-", match[0] if match else requirement).lower()


def licence_of(found: metadata.Distribution) -> str:
    """The licence that a distribution states: an expression, a short field, or its classifiers."""
    about = found.metadata
    if "License-Expression" in about:
        return about["License-Expression"]
    stated = about["License"].strip() if "License" in about else ""
    classified = [
        line.split("::")[-1].strip()
        for line in about.get_all("Classifier") or []
        if line.startswith("License ::") and not line.endswith("OSI Approved")
    ]
    if classified:
        return " AND ".join(sorted(classified))
    # Some put the whole text of the licence there.
    return stated.splitlines()[0][:60] if stated else "unknown"


def sbom(found: Sequence[Dependency]) -> dict[str, Any]:
    """A CycloneDX 1.5 document of dialeval and the dependencies; the same installation gives the same document."""
    components = [
        {
            "type": "library",
            "bom-ref": _reference(each.name, each.version),
            "name": each.name,
            "version": each.version,
            "purl": _reference(each.name, each.version),
            "licenses": [{"license": {"name": each.licence}}],
        }
        for each in found
    ]
    root = _reference("dialeval", __version__)
    serial = uuid.uuid5(uuid.NAMESPACE_URL, jsonlib.dumps([root, components], sort_keys=True))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "bom-ref": root, "name": "dialeval", "version": __version__}
        },
        "components": components,
        "dependencies": list(_relations(found)),
    }


def _relations(found: Sequence[Dependency]) -> Iterator[Mapping[str, object]]:
    references = {each.name: _reference(each.name, each.version) for each in found}
    references["dialeval"] = _reference("dialeval", __version__)
    for name, reference in sorted(references.items()):
        asked = sorted(references[each.name] for each in found if name in each.needed_by)
        yield {"ref": reference, "dependsOn": asked}


def _reference(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}"


@dataclass(frozen=True, slots=True)
class Audit:
    """Findings of pip-audit, or the reason why there are none."""

    vulnerabilities: tuple[str, ...] = ()
    absence: str | None = None


def audit(timeout: float = 120.0) -> Audit:
    """Return known vulnerabilities by pip-audit, which asks a service on the network, if it is installed."""
    beside = Path(sys.executable).with_name("pip-audit")
    program = str(beside) if beside.exists() else shutil.which("pip-audit")
    if program is None:
        return Audit(absence="pip-audit is not installed, so known vulnerabilities were not looked up")
    command = [program, "--format", "json", "--progress-spinner", "off"]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        listed = jsonlib.loads(ended.stdout)["dependencies"]
        return Audit(
            tuple(
                f"{package['name']} {package['version']}: {found['id']}"
                for package in listed
                for found in package.get("vulns", ())
            )
        )
    except (OSError, subprocess.TimeoutExpired, ValueError, LookupError, TypeError):
        return Audit(absence="pip-audit gave no answer (it needs the network)")
