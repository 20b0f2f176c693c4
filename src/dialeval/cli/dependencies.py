"""List of installed dependencies: licences, known vulnerabilities where pip-audit can tell, and an SBOM."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from dialeval.version import __version__

_EXTRA: Final = re.compile(r"extra\s*==")
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Dependency:
    """An installed distribution that dialeval can reach through requirements."""

    name: str
    version: str
    licence: str
    """As its metadata state it; ``unknown`` where they do not."""
    needed_by: tuple[str, ...]
    """Which others ask for it."""


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
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([root, components], sort_keys=True))
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
    """What pip-audit says, or why it says nothing."""

    vulnerabilities: tuple[str, ...] = ()
    absence: str | None = None


def audit(timeout: float = 120.0) -> Audit:
    """Known vulnerabilities by pip-audit, which asks a service on the network; nothing is sent where it is absent."""
    beside = Path(sys.executable).with_name("pip-audit")
    program = str(beside) if beside.exists() else shutil.which("pip-audit")
    if program is None:
        return Audit(absence="pip-audit is not installed, so known vulnerabilities were not looked up")
    command = [program, "--format", "json", "--progress-spinner", "off"]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        listed = json.loads(ended.stdout)["dependencies"]
        return Audit(
            tuple(
                f"{package['name']} {package['version']}: {found['id']}"
                for package in listed
                for found in package.get("vulns", ())
            )
        )
    except (OSError, subprocess.TimeoutExpired, ValueError, LookupError, TypeError):
        return Audit(absence="pip-audit gave no answer (it needs the network)")
