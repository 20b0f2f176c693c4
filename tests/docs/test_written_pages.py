"""The files that programs under docs/ write are up to date."""

from __future__ import annotations

import runpy
import subprocess
import sys

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
    assert written["page"](stub) == (DOCS / "api.md").read_text(encoding="utf-8"), "run 'make docs'"
