"""Draw the pictures of docs/annotation.md in Chromium: ``python docs/draw_annotation.py`` (needs Pillow)."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from dialeval.annotation.items import Item, Shown
from dialeval.annotation.kinds import KINDS
from dialeval.annotation.web import shown as pages
from dialeval.annotation.web.rendering import addresses, asset, render
from dialeval.annotation.web.texts import LANGUAGES
from dialeval.data.types import alternating

PICTURES = Path(__file__).parent / "pictures"
CONTEXT = alternating(
    ["Do you have any pets?", "Yes, two cats.", "Do they get along with dogs?"],
)
TALK = alternating(
    [
        "Do you have any pets?",
        "Yes, two cats. They sleep all day.",
        "Do they get along with dogs?",
        "They do not mind them.",
        "And you, do you like cats?",
        "I am allergic, so I have never had a pet.",
    ],
    last="assistant",
)
TEXTS = ("They hide under the sofa whenever a dog visits.", "I like dogs too.", "Sunday is my favourite day.")
KEYS = {
    "likert": "4",
    "slider": "7",
    "yes_no": "1",
    "three_way": "2",
    "pairwise": "1",
    "ranking": "1 2 3",
    "sentences": "5 4 0",
    "best_of": "1",
    "errors": "2",
    "turns": "3 3",
    "dialogue": "3",
    "contradiction": "2 6",
    "comment": "ArrowRight",
}
"""What is pressed before the picture is taken."""


def item(kind: str) -> Item:
    """An item that a kind can ask about."""
    shows = KINDS[kind].shows
    count = {"pair": 2, "candidates": 3, "dialogue": 0}.get(shows, 1)
    texts = enumerate(TEXTS[:count])
    return Item(
        "i1", TALK if shows == "dialogue" else CONTEXT, tuple(Shown(f"c{n}", text) for n, text in texts)
    )


def task(kinds: Mapping[str, str], **settings: Any) -> pages.TaskPage:
    """A page with a question of each kind, by criterion."""
    shown = item(next(iter(kinds.values())))
    asks = [KINDS[kind].ask(criterion) for criterion, kind in kinds.items()]
    given = {"phase": "rating", "progress": pages.Progress(7, 40), "revision": 0, "least_seconds": 0.0}
    given |= {"instructions": "", "previous": "i0"}
    asked = tuple(pages.PageAsk(ask, KINDS[ask.kind].fields(ask, shown)) for ask in asks)
    return pages.TaskPage(shown, asked, **{**given, **settings})


def owner() -> pages.OwnerPage:
    """The owner's page of a made study."""
    alpha = pages.Coefficient("alpha_ordinal", 0.61, 0.48, 0.72)
    kappa = pages.Coefficient("fleiss_kappa", 0.44, 0.33, 0.55)
    criterion = pages.CriterionView("overall", 96, 40, 3, (alpha, kappa))
    view = pages.RaterView
    raters = (
        view("rater-1", "active", False, 34, 1, 12.3, 0.55, 3, 3, (), (("overall", 0.61, 0.58),)),
        view("rater-2", "finished", False, 40, 0, 2.1, 0.12, 1, 4, ("too_fast",), (("overall", 0.61, 0.74),)),
        view("rater-3", "active", True, 22, 6, 15.0, 0.5, 2, 2, ("many_skips",), (("overall", 0.61, 0.61),)),
    )  # fmt: skip
    return pages.OwnerPage(40, 3, 120, 96, 4, 25, (criterion,), raters, 6, 2, "2026-11-17T03:20:11Z")


def made() -> Iterator[tuple[str, str]]:
    """The HTML of each picture."""
    languages = tuple((language.code, language.name) for language in LANGUAGES.values())
    page = pages.Page("", "en", "ltr", "", "Pet talk", languages, addresses(""))
    for kind in KINDS:
        yield kind, render("task.html", page, task({"overall": kind}))
    several = {"overall": "likert", "makes sense": "yes_no", "remark": "comment"}
    yield "several", render("task.html", page, task(several))
    chat = pages.Chat(TALK[:4], 2, 4)
    yield "chat", render("task.html", page, task({"overall": "dialogue"}, chat=chat))
    yield "owner", render("owner.html", page, owner())
    ask = KINDS["likert"].ask("overall")
    asked = pages.PageAsk(ask, KINDS["likert"].fields(ask, item("likert")))
    answers = ({"value": 1.0}, {"value": 5.0}, {"value": 4.0})
    disputed = pages.DisputedItem(item("likert"), "overall", 0.0, answers)
    yield "adjudicate", render("adjudicate.html", page, pages.AdjudicatePage((disputed,), disputed, asked))


@contextmanager
def served(made_pages: Mapping[str, str]) -> Iterator[str]:
    """The address under which the pages can be opened."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.partition("?")[0].rpartition("/")[2]
            known = name in made_pages
            body = made_pages[name].encode() if known else asset(name).content
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8" if known else asset(name).media)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *told: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def draw() -> None:
    """Write all pictures."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    made_pages = dict(made())
    with served(made_pages) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        looks = {name: (960, "light") for name in made_pages} | {"phone": (390, "dark")}
        for name, (width, scheme) in looks.items():
            page = browser.new_page(viewport={"width": width, "height": 760}, color_scheme=scheme)
            kind = "turns" if name == "phone" else name
            page.goto(f"{address}/{kind}")
            for key in KEYS.get(kind, "").split():
                page.keyboard.press(key)
            if name != "phone":
                page.evaluate("scrollTo(0, 0)")
                bottom = page.evaluate(
                    "Math.ceil(document.querySelector('main').getBoundingClientRect().bottom)"
                )
                page.set_viewport_size({"width": width, "height": bottom})
            taken = Image.open(io.BytesIO(page.screenshot()))
            taken.convert("RGB").quantize(48).save(PICTURES / f"annotation-{name}.png", optimize=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    draw()
