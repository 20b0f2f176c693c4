"""``dialeval resources``: installed weights, vectors and lexicons, and checks of their digests."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

from rich.box import SIMPLE_HEAD
from rich.table import Table

from dialeval.cli.options import Json
from dialeval.display.consoles import PrintableConsole
from dialeval.options import Argument
from dialeval.resources import CATALOGUE, check

if TYPE_CHECKING:
    from dialeval.resources import Status


def ls(json: Json = False) -> None:
    """List every resource: whether it is installed, what it is for, its licence, how to install it.

    Example: dialeval resources ls
    """
    statuses = [check(name, verify=False) for name in CATALOGUE]
    if json:
        print(jsonlib.dumps({"resources": [status_json(status) for status in statuses]}, ensure_ascii=False))
        return
    _print_table(statuses)
    absent = [status for status in statuses if status.state == "absent"]
    if absent:
        print("\nTo install what is absent:")
        for status in absent:
            print(f"  {status.resource.install}")


def verify(
    names: Annotated[list[str] | None, Argument(metavar="NAME", help="Only these resources.")] = None,
    json: Json = False,
) -> None:
    """Compare every byte of the installed resources with the known hashes.

    Exits with 1 if one is altered, or if one you name is absent.

    Example: dialeval resources verify

    Example: dialeval resources verify all-minilm-l6-v2
    """
    statuses = [check(name) for name in names or CATALOGUE]
    if json:
        print(jsonlib.dumps({"resources": [status_json(status) for status in statuses]}, ensure_ascii=False))
    else:
        print("\n".join(line for status in statuses for line in _lines(status)))
    if any(status.state == "altered" or (names and status.state == "absent") for status in statuses):
        sys.exit(1)


def _lines(status: Status) -> Iterator[str]:
    """Yield the state of a resource, wrapped to the terminal except for paths, hashes and commands."""
    # What is wrong is told in a sentence that begins with the name, and ends with what to run.
    name = "" if status.state in ("absent", "altered") else f"{status.resource.name}: "
    yield from wrap(
        f"{status.state:<9} {name}{status.finding}",
        PrintableConsole().width,
        subsequent_indent=" " * 10,
        break_long_words=False,
        break_on_hyphens=False,
    )
    if status.command:
        yield f"{'':9} Run: {status.command}"


def status_json(status: Status) -> dict[str, object]:
    """A resource and how it stands, for machines."""
    resource = status.resource
    return {
        "name": resource.name,
        "state": status.state,
        "detail": status.detail,
        "path": str(status.path) if status.path else None,
        "summary": resource.summary,
        "used_by": list(resource.used_by),
        "licence": resource.licence,
        "package": resource.package,
        "version": resource.version,
        "sha256": resource.sha256,
        "install": resource.install,
        "hub": resource.hub,
    }


def _print_table(statuses: list[Status]) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading, nowrap in (
        ("resource", True),
        ("state", True),
        ("what it is, for what", False),
        ("licence", False),
    ):
        table.add_column(heading, no_wrap=nowrap)
    for status in statuses:
        resource = status.resource
        purpose = f"{resource.summary}: {', '.join(resource.used_by)}"
        table.add_row(resource.name, status.state, purpose, resource.licence)
    PrintableConsole().print(table)
