"""Every verb on files of which each name, id, text, label and path is hostile, and on garbage in their place."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final, NamedTuple
from xml.etree import ElementTree

import pytest
import yaml

from dialeval.resources.catalogue import kept_folder
from support.every_verb import USES, Use
from support.forked import Ended, Forks, forks
from support.hostile_files import (
    GARBAGE,
    MARK,
    garbage,
    hostile_file_name,
    hostile_words,
    make_hostile,
)

pytestmark = pytest.mark.slow

STEERING: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
COMMAND: Final = re.compile(r"^\s*::.*|.*##\[.*", re.MULTILINE)
OURS: Final = "::error title=dialeval::"
FORMULA: Final = tuple("=+-@\t\r\n＝＋－＠")
CODES: Final = {0, 1, 2, 3, 100}
"""Done, refused, not understood, some items unanswered, a gate not met."""

MORE: Final = {
    "run, gate": Use("run clustered.yaml -o {out}/run --fail-under rouge_l=0.99"),
    "run, JSON": Use("run clustered.yaml -o {out}/run --json"),
    "score, JSON": Use("score careful_examples.jsonl -m length --trials 20 --json"),
    "score, table": Use("score careful_examples.jsonl -m length --trials 20 --per-item {out}/items.csv"),
    "report, csv": Use("report runs/first -o {out}/run.csv"),
    "report, latex": Use("report runs/first -o {out}/run.tex"),
    "report, junit": Use("report runs/first -o {out}/run.xml"),
    "report, md": Use("report runs/first -o {out}/run.md"),
    "annotate export, table": Use("annotate export rated -o {out}/people.csv"),
    "data convert, table": Use("data convert careful_examples.jsonl {out}/examples.csv"),
    "data convert, ratings": Use("data convert ratings.jsonl {out}/ratings.tsv"),
    "data convert, lists": Use("data convert lists.jsonl {out}/lists.csv"),
}
"""Other formats of the verbs that have some."""


class Done(NamedTuple):
    """How a verb ended, and the folder that it was given for its results."""

    ended: Ended
    out: Path


class Scene(NamedTuple):
    """A folder with hostile files, and a warm process for commands there."""

    here: Path
    commands: Forks
    made: dict[str, Ended]
    summary: Path

    def use(self, name: str, use: Use) -> Done:
        """Run it on inputs under hostile names of files, with a folder of such a name for its results."""
        out = Path("disk") / hostile_file_name(name)
        (self.here / out).mkdir(parents=True, exist_ok=True)
        if use.given:
            shutil.copytree(self.here / use.given, self.here / out / Path(use.given).name)
        verb = len(name.partition(",")[0].split())
        words = [
            self._hostile_name(word) if number >= verb and (self.here / word).exists() else word
            for number, word in enumerate(hostile_words(use.line.split()))
        ]
        words = [word.replace("{out}", str(out)) for word in words]
        return Done(self.commands.run(self.here, *words), self.here / out)

    def _hostile_name(self, word: str) -> str:
        name = hostile_file_name(word)
        if (self.here / word).is_dir():
            shutil.copytree(self.here / word, self.here / name, dirs_exist_ok=True)
        elif not (self.here / name).exists():
            os.link(self.here / word, self.here / name)
        return name


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    top = tmp_path_factory.mktemp("hostile")
    (top / "scratch").mkdir()
    made: dict[str, Ended] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GITHUB_ACTIONS", "true")
        patch.setenv("GITHUB_STEP_SUMMARY", str(top / "scratch" / "summary.md"))
        patch.setenv("TMPDIR", str(top / "scratch"))
        with forks() as commands:

            def run(words: list[str]) -> None:
                ended = commands.run(top / "here", *words)
                assert ended.code == 0, f"{words}: {ended.said[-2000:]}"
                made[" ".join(words[:2]) + f" ({len(made)})"] = ended

            make_hostile(top / "here", run)
            yield Scene(top / "here", commands, made, top / "scratch" / "summary.md")


@pytest.fixture(scope="module")
def done(scene: Scene) -> dict[str, Done]:
    """Each verb once, and other formats of some."""
    uses = {name: use for name, use in (USES | MORE).items() if not use.serves}
    return {name: scene.use(name, use) for name, use in uses.items()}


def unfit(said: str) -> list[str]:
    """Printed characters that steer a terminal, and lines that a CI job would obey."""
    return [
        *STEERING.findall(said)[:5],
        *[line for line in COMMAND.findall(said) if not line.startswith(OURS)][:2],
        *["Traceback"] * ("Traceback" in said or "let an exception through" in said),
    ]


def test_every_verb_reads_hostile_names_as_names(done: dict[str, Done]) -> None:
    failed = {
        name: (one.ended.code, one.ended.said[-1500:]) for name, one in done.items() if one.ended.code != 0
    }
    assert failed.pop("run, gate")[0] == 100
    failed.pop("train contradiction", None)  # which pairs are for validation depends on their texts
    assert "found an empty file" in failed.pop("nbest sweep")[1]  # hostile sentences make no stimuli
    for verb in ("talks correct", "talks judge"):  # hostile ids are no scenarios of the YAML file
        assert re.search("None of the 2 pairs|is about a scenario in", failed.pop(verb)[1])
    assert failed == {}


def test_no_verb_prints_a_character_that_steers_or_a_command_to_a_job(
    scene: Scene, done: dict[str, Done]
) -> None:
    said = {name: ended.said for name, ended in scene.made.items()}
    said |= {name: one.ended.said for name, one in done.items()}
    assert {name: found for name, text in said.items() if (found := unfit(text))} == {}
    shown = [name for name, text in said.items() if f"\\u001b]0;{MARK}" in text.replace("\n", "")]
    assert len(shown) > 20, "hardly a name is printed"
    assert OURS in done["run, gate"].ended.said


def test_no_verb_writes_outside_of_the_folder_that_it_was_given(scene: Scene, done: dict[str, Done]) -> None:
    top = scene.here.parent
    # Tables that are compiled once for all runs, if this machine has not compiled them yet.
    kept = [kept_folder(what) for what in ("vectors", "meteor", "models", "bases")]
    above = {str(folder) for folder in (*kept[0].parents, *kept)}
    allowed = (
        f"{top}/scratch",
        "/dev/",
        "/proc/",
        str(Path(tempfile.gettempdir()) / "torchinductor"),
        *[f"{folder}/" for folder in kept],
    )
    far = {
        name: sorted(
            path
            for path in one.ended.elsewhere
            if not path.startswith(allowed) and path not in above and "/__pycache__" not in path
        )
        for name, one in done.items()
    }
    assert {name: paths for name, paths in far.items() if paths} == {}
    assert not Path(f"/{MARK}").exists()
    assert [path for path in top.rglob("*") if path.name.strip("\\") == MARK] == []
    assert {path.name for path in top.iterdir() if not path.name.startswith("here-")} == {"here", "scratch"}


class Elements(HTMLParser):
    """The elements of a page that could run something, and what their attributes name."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.wrong: list[str] = []
        self.scripts = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        for name, value in attrs:
            target = (value or "").strip().lower()
            acts = name.startswith("on") or (name == "style" and MARK in target)
            leads = name in ("href", "src", "action", "srcdoc", "data") and (
                target.startswith(("javascript:", "http", "//", "data:text")) or target == "x"
            )
            if acts or leads:
                self.wrong.append(f"{tag} {name}={value}")


def test_no_page_has_a_script_an_event_or_a_link_that_is_not_ours(done: dict[str, Done]) -> None:
    pages = [path for one in done.values() for path in one.out.rglob("*") if path.suffix in (".html", ".svg")]
    shown = {path.name for path in pages if MARK in path.read_text(encoding="utf-8")}
    assert shown >= {"report.html", "meta.html"}
    assert len(pages) > 5
    wrong = {}
    for path in pages:
        page = path.read_text(encoding="utf-8")
        elements = Elements(page)
        if elements.wrong or f"<script>{MARK}" in page or f"<svg onload={MARK}" in page:
            wrong[path.name] = elements.wrong
    assert wrong == {}


def test_no_table_has_a_formula(done: dict[str, Done], scene: Scene) -> None:
    tables = [path for one in done.values() for path in one.out.rglob("*.[ct]sv")]
    tables += scene.here.glob("told/for_raters/*.csv")
    assert len({path.name for path in tables}) > 5
    wrong = {}
    for path in tables:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ",")
            cells = [cell for row in rows for cell in row]
        wrong[path.name] = [cell[:60] for cell in cells if cell.startswith(FORMULA) and not _is_number(cell)]
    assert {name: cells for name, cells in wrong.items() if cells} == {}


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_other_formats_hold_names_as_text(done: dict[str, Done], scene: Scene) -> None:
    ElementTree.parse(done["report, junit"].out / "run.xml")
    latex = (done["report, latex"].out / "run.tex").read_text()
    latex = re.sub("^%.*", "", latex, flags=re.MULTILINE)
    assert MARK in latex
    assert re.findall(r"\\(input|write18)", latex) == []
    for markdown in ((done["report, md"].out / "run.md").read_text(), scene.summary.read_text()):
        assert MARK in markdown
        assert re.findall(r"<(script|img|svg)|\]\(", markdown) == []
    study = yaml.safe_load((done["init"].out / "study.yaml").read_text())
    assert (list(study), len(study["systems"])) == (["data", "systems", "measures"], 2)
    for name in ("run, JSON", "score, JSON"):
        json.loads(done[name].ended.said[: done[name].ended.said.rindex("}") + 1])


def test_every_verb_explains_garbage_without_a_traceback(scene: Scene) -> None:
    wrong, codes = {}, []
    for number, (name, use) in enumerate(USES.items()):
        words = use.line.split()
        for place, word in enumerate(words):
            given = scene.here / word
            if use.serves or place < len(name.split()) or not given.exists():
                continue
            kind = GARBAGE[(number + place) % len(GARBAGE)]
            out = Path("disk") / "garbage"
            shutil.rmtree(scene.here / out, ignore_errors=True)
            (scene.here / out).mkdir(parents=True)
            bad = scene.here / f"garbage{given.suffix}"
            if given.is_dir():
                shutil.copytree(given, bad)
                for file in bad.rglob("*.json*"):
                    file.write_bytes(garbage(kind, file.suffix))
            else:
                bad.write_bytes(garbage(kind, given.suffix))
            line = [bad.name if n == place else word for n, word in enumerate(words)]
            ended = scene.commands.run(
                scene.here, *(each.replace("{out}", str(out)) for each in hostile_words(line))
            )
            codes.append(ended.code)
            if found := unfit(ended.said) or ([] if ended.code in CODES else ["code"]):
                wrong[f"{name}: {word}, {kind}"] = (ended.code, found, ended.said[-1500:])
            shutil.rmtree(bad) if bad.is_dir() else bad.unlink()
    assert wrong == {}
    assert sum(code == 1 for code in codes) > 0.8 * len(codes)
