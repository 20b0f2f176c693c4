"""``dialeval annotate serve`` and ``demo``: the pages of a rating study, yours or a bundled one."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import as_file, files
from importlib.util import find_spec
from pathlib import Path
from socket import gethostname
from typing import TYPE_CHECKING, Annotated

from dialeval.annotation.blind_items import blind
from dialeval.annotation.kinds.asking import asked
from dialeval.annotation.pace import SIMULATED
from dialeval.annotation.project import STUDY, Settings, read_project, write_project
from dialeval.annotation.web.server import Binding, bound, check_binding, run_server, server_of
from dialeval.core import Generator
from dialeval.data.prompts import read_prompts
from dialeval.data.reader import read
from dialeval.data.types import Example
from dialeval.errors import DialevalError, RunFailed, Unsuitable, first_line, install_command
from dialeval.options import Argument, Option, Options
from dialeval.study import named_system

if TYPE_CHECKING:
    from dialeval.annotation.project import Project
    from dialeval.annotation.store.store import Store

Study = Annotated[Path, Argument(metavar="STUDY", help="A folder from 'dialeval annotate init'.")]
StoreUrl = Annotated[
    str | None,
    Option(
        "--store",
        metavar="URL",
        help="A database instead: postgresql://...",
        show_default="as study.json says",
    ),
]


def serve(
    study: Study,
    binding: Annotated[Binding, Options("port", "host", "certificate", "key", "proxy")] = Binding(port=8000),
    address: Annotated[
        str | None,
        Option("--address", metavar="URL", help="How raters reach it, as in https://example.org/rate."),
    ] = None,
    prefix: Annotated[
        str,
        Option("--prefix", help="The path behind a reverse proxy, as in /ratings.", show_default=False),
    ] = "",
    open: Annotated[bool, Option("--open", help="Let people join without an invitation.")] = False,
    join_code: Annotated[
        str,
        Option(
            "--join-code", help="A code that they need to join; it is part of the link.", show_default=False
        ),
    ] = "",
    store: StoreUrl = None,
) -> None:
    """Serve a rating study until interrupted; print the owner's link and each rater's, one a line.

    Links stay valid when the server is started again. Every answer is on the disk before its rater is told so.

    Example: dialeval annotate serve ratings --port 8080
    """
    needs_serving()
    from dialeval.annotation.web.app import create_app

    below = _prefix(prefix)
    warning = check_binding(binding, open=open, join_code=join_code)
    if warning:
        print(f"warning: {warning}", file=sys.stderr)
    project = read_project(study)
    kept = open_store(project, store)
    app = create_app(
        project,
        kept,
        partners=partners(project),
        prefix=below,
        open=open,
        join_code=join_code,
        address=address or "",
        hosts=(binding.host, gethostname()),
    )
    host = binding.host
    with bound(binding) as listener:
        shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
        bracketed = f"[{shown}]" if ":" in shown else shown
        base = (address or f"{binding.scheme}://{bracketed}:{listener.getsockname()[1]}{below}").rstrip("/")
        with store_errors(project, store):
            _print_links(project, kept, base, open=open, join_code=join_code)
        run_server(server_of(app, binding), listener)


def needs_serving() -> None:
    """Raise DialevalError if the packages of the server are not installed."""
    missing = missing_packages()
    if missing:
        raise DialevalError(
            f"The rating server needs {', '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not "
            f"installed. Run: {install_command('serve')}"
        )


def missing_packages() -> list[str]:
    """Return the packages of the server that are not installed."""
    return [name for name in ("fastapi", "uvicorn", "sqlalchemy", "multipart") if find_spec(name) is None]


def open_store(project: Project, url: str | None = None) -> Store:
    """Open the store of a study; tables that are missing are made."""
    from dialeval.annotation.desk import plan_of
    from dialeval.annotation.store.database import open_database
    from dialeval.annotation.store.store import Store

    with store_errors(project, url):
        return Store(open_database(url or project.store), plan_of(project))


@contextmanager
def store_errors(project: Project, url: str | None) -> Iterator[None]:
    """Turn failures of the database, as on a full disk, into RunFailed; nothing acknowledged is lost by them."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import DBAPIError

    try:
        yield
    except DBAPIError as error:
        place = make_url(url).render_as_string(hide_password=True) if url else project.store
        raise RunFailed(
            f"{place}: the store cannot be written or read ({first_line(error.orig or error)}). Free some space or "
            "check the file and its folder, and give the same command again: what was acknowledged is kept."
        ) from None


def partners(project: Project) -> Mapping[str, Generator]:
    """The systems that raters talk with."""
    chat = project.settings.chat
    found: dict[str, Generator] = {}
    for name, text in (chat.systems if chat else {}).items():
        system = named_system(text)
        if not isinstance(system, Generator):
            raise Unsuitable(
                f"{name} replays what was recorded; it cannot talk with raters. Name another system."
            )
        found[name] = system
    return found


def _prefix(given: str) -> str:
    prefix = "/" + given.strip("/") if given.strip("/") else ""
    if not all(part.replace("-", "").replace("_", "").isalnum() for part in prefix.split("/")[1:]):
        raise Unsuitable(
            f"Found the prefix {given!r}; write a path of letters, digits, - and _, as in /ratings."
        )
    return prefix


def _print_links(project: Project, store: Store, base: str, *, open: bool, join_code: str) -> None:
    """Links on stdout, whose they are on stderr."""
    from dialeval.annotation.invitations import crowd_path, invite_all, owner_path

    links = [("owner", base + owner_path(project))]
    links += [
        (invitation.rater, base + invitation.path)
        for invitation in invite_all(project, store)
        if not invitation.rater.startswith(SIMULATED)
    ]
    if any(given.rater.startswith(SIMULATED) for given in store.latest_answers()):
        print("warning: this study holds simulated answers, which count as ratings", file=sys.stderr)
    crowd = crowd_path(project)
    if crowd is not None and project.settings.crowd is not None:
        links.append((project.settings.crowd.platform, base + crowd))
    if open:
        links.append(("open to all", f"{base}/join" + (f"?code={join_code}" if join_code else "")))
    print("Links, in this order: " + ", ".join(name for name, _ in links), file=sys.stderr)
    for _, link in links:
        print(link)
    sys.stdout.flush()
    print("Serving; stop with Ctrl-C.", file=sys.stderr)


def demo(
    out: Annotated[Path, Option("--out", "-o", help="The study folder.")] = Path("runs/annotate-demo"),
    binding: Annotated[Binding, Options("port")] = Binding(port=8000),
) -> None:
    """Make a small rating study of bundled dialogues, serve it, and print the owner's link and the raters'.

    Example: dialeval annotate demo
    """
    needs_serving()

    if not (out / STUDY).exists():
        _make(out)
    print("Rate as one of three raters; the owner's page shows agreement as it grows.", file=sys.stderr)
    serve(out, binding)


def _make(out: Path) -> None:
    """Responses of three invented assistants, with several questions on one page."""
    with as_file(files("dialeval.study").joinpath("demo")) as bundled:
        prompts = {prompt.item: prompt for prompt in list(read_prompts(bundled / "prompts.jsonl"))[:12]}
        answers = [
            Example(answer.item, name, prompts[answer.item].context, answer.response)
            for name in ("attentive", "hasty", "chatty")
            for answer in read(bundled / f"{name}.jsonl", "example")
            if answer.item in prompts
        ]
    asks = (asked("likert", "overall"), asked("yes_no", "makes sense"), asked("comment", "comment"))
    settings = Settings(
        title="dialeval demo",
        asks=asks,
        overlap=3,
        raters=("rater-1", "rater-2", "rater-3"),
        instructions="Read the conversation, then the response below it. Press ? to see all keys.",
        provenance={"source": "dialeval demo"},
    )
    write_project(out, settings, blind(answers, "response"))
