"""The files that programs under docs/ write are up to date."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from dialeval.resources import check
from support.paths import DOCS, ROOT


def test_the_command_line_page_is_what_help_says() -> None:
    script = "import runpy, sys; sys.stdout.write(runpy.run_path('docs/write_cli.py')['reference']())"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == (DOCS / "cli.md").read_text(encoding="utf-8"), "run 'make docs'"


def test_help_is_whole_at_80_columns() -> None:
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    assert [line for line in page.splitlines() if "…" in line] == [], (
        "shorten the word, or the metavar beside it"
    )


def test_every_metric_is_a_public_name_and_every_public_name_is_on_the_page() -> None:
    written = runpy.run_path(str(DOCS / "write_api.py"))
    stub = (ROOT / "src" / "dialeval" / "__init__.pyi").read_text(encoding="utf-8")
    assert written["surface"](stub) == stub, "run 'make docs'"
    template = (DOCS / "api.template").read_text(encoding="utf-8")
    assert written["page"](template) == (DOCS / "api.md").read_text(encoding="utf-8"), "run 'make docs'"


BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
NEEDS = re.compile(r"<!-- needs: ([\w.-]+) -->\n```python\n(.*?)^```\n", re.DOTALL | re.MULTILINE)


def test_every_public_name_stands_in_an_example() -> None:
    template = (DOCS / "api.template").read_text(encoding="utf-8")
    for part in re.split(r"(?=^<!-- names: )", template, flags=re.MULTILINE)[1:]:
        names = part.partition(" -->")[0].removeprefix("<!-- names: ").split()
        code = BLOCK.findall(template.partition(part)[0])[-1]
        assert [name for name in names if not re.search(rf"\b{name}\b", code)] == []


@pytest.mark.slow
def test_the_examples_of_public_names_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    template = (DOCS / "api.template").read_text(encoding="utf-8")
    for resource, code in NEEDS.findall(template):
        if check(resource, verify=False).state == "absent":
            template = template.replace(code, "")
    exec(compile("\n".join(BLOCK.findall(template)), "api.md", "exec"), {"__name__": "__main__"})
    assert Path("runs/mine/report.html").is_file()


def test_nothing_but_these_names_is_called_public() -> None:
    import dialeval

    assert 100 <= len(dialeval.__all__) <= 130, "about 110: take one away before you add one"
