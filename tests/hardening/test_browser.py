"""Pages under hostile text in a real browser: nothing runs, nothing is requested, and the text is shown as it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from dialeval.encoder.files import Weights
from support.fuzzing import seeds

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]
FLAGS += ["--disable-component-update", "--disable-sync"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Debian's chromium at {CHROMIUM}"),
]

HOSTILE = {
    "a script": "<script>window.hacked = 1; alert(1)</script>",
    "an end of a script": "</script><script>window.hacked = 2; alert(2)</script>",
    "an end of a style": "</style></title></textarea><img src=x onerror='window.hacked = 3'>",
    "an event": '"><img src=x onerror="window.hacked = 4; alert(4)">',
    "an attribute": "' autofocus onfocus='window.hacked = 5' x='",
    "a drawing": "<svg onload=window.hacked=6><animate onbegin=window.hacked=6>",
    "a link": "<a href='javascript:window.hacked = 7'>click</a> javascript:alert(7)",
    "a form": "<form action=//evil.invalid><button formaction=//evil.invalid>send</button></form>",
    "a frame": "<iframe srcdoc='<script>parent.hacked = 8</script>'></iframe><base href=//evil.invalid/>",
    "line separators": "before\u2028between\u2029after",
    "a comment": "<!-- <noscript><p title='</noscript><img src=x onerror=window.hacked=9>'>",
    "a template": "{{ 7 * 7 }} {% raw %} ${window.hacked = 10}",
    "an entity": "&lt;b&gt; &amp;amp; &#x3c;script&#x3e;",
    "another direction": "\u202eelbadaernu\u202c \u2066isolated",
    "a control": "\x1b[31mred\x07 and \x7f",
}
TEXTS = list(HOSTILE.values())
NAMES = [text.replace("\x1b", "").replace("\x07", "") for text in TEXTS]

SHOWN = """() => {
  const copy = document.body.cloneNode(true);
  for (const gone of copy.querySelectorAll("script, style, noscript")) gone.remove();
  return copy.textContent;
}"""
LINKS = "all => all.map(one => one.getAttribute('href') || one.getAttribute('formaction') || '')"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def show(browser: Browser) -> Callable[[Path], str]:
    """The text of a page, after everything on it was opened; fails where something ran or was asked for."""

    def open_page(path: Path) -> str:
        complaints: list[str] = []
        requests: list[str] = []
        page = browser.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        page.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")
        for place in page.locator("select, input, button, [tabindex]").all()[:40]:
            if place.is_visible():
                place.focus()
        text = str(page.evaluate(SHOWN))
        assert page.evaluate("window.hacked") is None
        links = page.eval_on_selector_all("a, [formaction]", LINKS)
        assert [
            link for link in links if link.strip().lower().startswith(("javascript:", "data:", "//"))
        ] == []
        foreign = "main iframe, main form, main svg, base, main img:not([src^='data:image/svg+xml;base64,'])"
        assert page.locator(foreign).count() == 0
        page.close()
        assert complaints == []
        others = [
            url for url in requests if not url.startswith("data:") and url.partition("#")[0] != path.as_uri()
        ]
        assert others == []
        return text

    return open_page


def normal(text: str) -> str:
    """Without the whitespace that HTML folds, and the control characters that it does not keep."""
    return " ".join("".join(each for each in text if each >= " " or each == "\n").split())


def missing(text: str, expected: list[str]) -> list[str]:
    shown = normal(text)
    return [each for each in expected if normal(each) not in shown]


@pytest.fixture
def study(tmp_path: Path, minilm: Weights) -> Path:
    """A study whose ids, systems, contexts, acts, references and responses are all hostile."""
    prompts, answers, ratings = [], [], []
    for n, text in enumerate(TEXTS):
        act = {"act": "inform", "slots": {"name": text, "near": f"{text} Square"}}
        context = [
            {"role": "user", "content": text, "name": NAMES[n]},
            {"role": "user", "content": json.dumps(act), "name": "act"},
        ]
        prompts.append({"id": f"{n} {NAMES[n]}", "context": context, "references": [text]})
        for system in (NAMES[0], NAMES[4]):
            answers.append(
                {**prompts[-1], "system": system, "response": text + ("!" if system == NAMES[4] else "")}
            )
            for rater in (NAMES[2], NAMES[3]):
                judged = {"item": prompts[-1]["id"], "system": system, "rater": rater, "value": n % 5}
                ratings.append({**judged, "criterion": NAMES[1]})
    for name, rows in (("prompts", prompts), ("answers", answers), ("ratings", ratings)):
        (tmp_path / f"{name}.jsonl").write_bytes(seeds.jsonl(rows))
    systems = [
        {"name": name, "kind": "transcript", "path": "answers.jsonl", "system": name}
        for name in (NAMES[0], NAMES[4])
    ]
    content = {"name": TEXTS[1], "data": "prompts.jsonl", "trials": 20, "systems": systems}
    content["measures"] = ["rouge_l", "length", "slot_error_rate", "selfeval"]
    content |= {"human": {"path": "ratings.jsonl", "criterion": NAMES[1]}}
    (tmp_path / "study.yaml").write_text(json.dumps(content))  # JSON is YAML
    return tmp_path


def test_the_report_of_a_run(dialeval, study: Path, show: Callable[[Path], str]) -> None:
    done = dialeval("run", study / "study.yaml", "-o", "run", "--cache", "cache")
    assert done.code == 0, done.err
    text = show(study / "run" / "report.html")
    # The browser of items shows ten at a time, in the order of the data.
    assert missing(text, [*TEXTS[:10], NAMES[0], NAMES[4]]) == []
    summary = json.loads((study / "run" / "summary.json").read_text(encoding="utf-8"))
    (slots,) = summary["nlg"]
    assert {item["id"] for item in slots["items"]} == {f"{n} {name}" for n, name in enumerate(NAMES)}
    assert missing(text, [each for item in slots["items"] for each in (item["id"], item["response"])]) == []
    assert {each["system"] for each in summary["turns"]} == {NAMES[0], NAMES[4]}
    weighed = [turn for each in summary["turns"] for turn in each["turns"]]
    assert missing(text, [each for turn in weighed for each in (turn["role"], turn["text"])]) == []


def test_the_page_about_measures_and_people(dialeval, study: Path, show: Callable[[Path], str]) -> None:
    assert dialeval("run", study / "study.yaml", "-o", "run", "--cache", "cache").code == 0
    done = dialeval(
        "meta", "run", "ratings.jsonl", "--human-criterion", NAMES[1], "-o", "meta", "--trials", 20
    )
    assert done.code == 0, done.err
    assert missing(show(study / "meta" / "meta.html"), [NAMES[1]]) == []


def test_the_page_of_selection(dialeval, tmp_path: Path, show: Callable[[Path], str]) -> None:
    questions = [
        {
            "id": f"{n} {NAMES[n]}",
            "context": [{"role": NAMES[0], "content": text}, {"role": "user", "content": text}],
            "candidates": [
                {"text": f"{text} right", "correct": True},
                {"text": f"{text} wrong", "correct": False, "error": NAMES[3]},
            ],
        }
        for n, text in enumerate(TEXTS)
    ]
    (tmp_path / "questions.jsonl").write_bytes(seeds.jsonl(questions))
    asked = ("select", "ask", "questions.jsonl", "--system", "tfidf", "--system", "tfidf(name='other')")
    done = dialeval(*asked, "-o", "asked", "--trials", 20)
    assert done.code == 0, done.err
    choices = [
        json.loads(line) for line in (tmp_path / "asked" / "choices.jsonl").read_text().strip().split("\n")
    ]
    wrong = {row["id"] for row in choices if not row["correct"]}
    assert len(wrong) >= 5
    shown = show(tmp_path / "asked" / "report.html")
    assert len(missing(shown, sorted(wrong))) <= max(0, len(wrong) - 20)


def test_the_report_of_contradictions(dialeval, tmp_path: Path, show: Callable[[Path], str]) -> None:
    said = ("I have never smoked.", "Really?", "I smoke ten cigarettes a day.")
    talks = [
        {
            "id": f"{n} {name}",
            "system": name,
            "messages": [
                {"role": role, "content": f"{sentence} {text}"}
                for role, sentence in zip(("assistant", "user", "assistant"), said, strict=True)
            ],
        }
        for n, (name, text) in enumerate(zip(NAMES, TEXTS, strict=True))
    ]
    (tmp_path / "talks.jsonl").write_bytes(seeds.jsonl(talks))
    done = dialeval("consistency", "detect", "talks.jsonl", "-o", "found", "--trials", 20)
    assert done.code == 0, done.err
    text = show(tmp_path / "found" / "report.html")
    (section,) = json.loads((tmp_path / "found" / "summary.json").read_text(encoding="utf-8"))["consistency"]
    quoted = [quote["text"] for each in section["worst"] for quote in each["quotes"]]
    assert quoted
    assert missing(text, [*quoted, *NAMES]) == []
