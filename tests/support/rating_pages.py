"""Rating studies in Chromium: items of every kind, a browser, and pages that must not complain."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from dialeval.annotation.blind_items import Blind
from dialeval.annotation.invitations import invite, owner_path
from dialeval.annotation.items import Item, Shown, Source
from dialeval.annotation.kinds import KINDS, Ask
from dialeval.annotation.project import Project
from dialeval.annotation.store.store import Store
from dialeval.data.types import Context, Turn, alternating
from support.rating_studies import made_project, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

CHROMIUM = Path("/usr/bin/chromium")
NEEDS_CHROMIUM = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Debian's chromium at {CHROMIUM}")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
]
SETTLED = "main:has(#task:not([inert])) #status"
"""The status line of a page that is not about to be left."""
TALK = alternating(["Any pets?", "Two cats.", "Do you like dogs?", "I never had a pet."], last="assistant")


class Rating(NamedTuple):
    """A served study."""

    address: str
    project: Project
    store: Store

    def link(self, rater: str = "ann") -> str:
        """The invitation of a rater."""
        return self.address + invite(self.project, self.store, rater).path

    @property
    def owner(self) -> str:
        """The owner's link."""
        return self.address + owner_path(self.project)

    def answers(self, rater: str = "ann") -> list[dict[str, Any]]:
        """What a rater has answered to each item, oldest first, as it is stored."""
        found = self.store.rater_named(rater)
        assert found is not None
        return [dict(given.answers) for given in reversed(self.store.history(found))]


def blinded(
    kind: str, *, context: Context = TALK[:3], texts: tuple[str, ...] = ("Yes, dogs too.", "No.", "Perhaps.")
) -> list[Blind]:
    """Two items that a kind can ask about."""
    shows = KINDS[kind].shows
    wanted = {"pair": 2, "candidates": 3, "dialogue": 0}.get(shows, 1)
    turns = TALK if shows == "dialogue" else context
    found = []
    for number in (1, 2):
        shown = tuple(Shown(f"c{number}{place}", text) for place, text in enumerate(texts[:wanted]))
        systems = {candidate.id: f"system-{place}" for place, candidate in enumerate(shown)}
        source = Source(f"i{number}", f"d{number}", system="" if wanted > 1 else "system-0", systems=systems)
        found.append(Blind(Item(f"i{number}", turns, shown), source))
    return found


def asks(*kinds: str, **changes: Any) -> tuple[Ask, ...]:
    """One question of each kind, whose criterion is the kind's name."""
    return tuple(replace(KINDS[kind].ask(kind), **changes) for kind in kinds)


@pytest.fixture
def rating(tmp_path: Path) -> Iterator[Callable[..., Rating]]:
    """Serves studies until the test ends: ``rating("likert", raters=["ann"])``."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def serve(
            *kinds: str, partners: Any = None, blind: list[Blind] | None = None, **settings: Any
        ) -> Rating:
            given = {"asks": asks(*kinds), "overlap": 1, "raters": ("ann", "bob"), **settings}
            folder = tmp_path / f"study-{len(list(tmp_path.iterdir()))}"
            project = made_project(folder, blinded=blind or blinded(kinds[0]), **given)
            address, store = stack.enter_context(served(project, partners=partners))
            return Rating(address, project, store)

        yield serve


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Opens an address as another person each time; at the end, no page may have complained or asked elsewhere."""
    complaints: list[str] = []
    origins: set[str] = set()
    contexts: list[BrowserContext] = []

    def open_page(address: str, *, width: int = 1100, dark: bool = False, **options: Any) -> Page:
        scheme = "dark" if dark else "light"
        context = chromium.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, locale="en-GB", **options
        )
        context.set_default_timeout(30_000)
        contexts.append(context)
        context.on("console", lambda message: complaints.append(message.text))
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        context.on("request", lambda request: origins.add("/".join(request.url.split("/")[:3])))
        page = context.new_page()
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [line for line in complaints if "Failed to load resource" not in line] == []
    assert {
        origin for origin in origins if not origin.startswith(("http://127.0.0.1:", "chrome-error:"))
    } == set()


class ServedByCommand:
    """``dialeval annotate serve`` in a process of its own, which can be killed and started again."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        self._folder, self._port = folder, port
        self.links: list[str] = []
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> ServedByCommand:
        """Start it, and wait until it has printed its links."""
        command = [
            sys.executable,
            "-m",
            "dialeval",
            "annotate",
            "serve",
            str(self._folder),
            "--port",
            str(self._port),
        ]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None
        raters = 1 + len(_raters(self._folder))
        self.links = [self._process.stdout.readline().strip() for _ in range(raters)]
        assert all(self.links), "the server did not start"
        self._port = int(self.links[0].split(":")[2].split("/")[0])
        return self

    def kill(self) -> None:
        """End it at once, as a power failure would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None


def _raters(folder: Path) -> list[str]:
    import json

    return list(json.loads((folder / "study.json").read_text(encoding="utf-8"))["raters"])


def hostile_turns() -> Context:
    """Texts that try to run, to reorder the page, to hide and to fill it."""
    texts = (
        "<script>document.title = 'hacked'</script>",
        '"><img src=x onerror="document.title=\'hacked\'">',
        "</textarea></form><style>body{display:none}</style>{{ 7 * 7 }}",
        "\u202eyas ot tnaw I tahw si siht\u202c \u2067hidden\u2069 a\x00b\x1bc",
        "Z" + "\u0334\u0323\u0301" * 200,
        "مرحبا، كيف حالك؟",
        "猫が好きですか。",
        "W" * 1_000_000,
    )
    return tuple(Turn("user" if place % 2 == 0 else "assistant", text) for place, text in enumerate(texts))
