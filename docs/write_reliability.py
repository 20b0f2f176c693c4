"""Write the table of docs/reliability.md from what the fault suite recorded: ``make faults``."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

BEGIN, END = "<!-- faults: begin -->", "<!-- faults: end -->"
HEADING = "| fault | times tried | lost | doubled | seed or size |\n|---|---|---|---|---|\n"


def table(rows: Iterable[Mapping[str, object]], faults: Mapping[str, str]) -> str:
    """A row for each fault of the suite, in its order; unrecorded ones say so, uncounted is a dash."""
    recorded = {str(row["fault"]): row for row in rows}
    missing: Mapping[str, object] = {"tried": "not measured", "lost": "", "doubled": "", "seed": ""}
    lines = (
        f"| {said} | {row['tried']} | {row['lost']} | {_counted(row['doubled'])} | {row['seed']} |\n"
        for fault, said in faults.items()
        for row in (recorded.get(fault, missing),)
    )
    return HEADING + "".join(lines)


def _counted(number: object) -> object:
    return "\N{EN DASH}" if number is None else number


def main(record: Path) -> None:
    """Put the table between its marks."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from support.faults import FAULTS

    page = Path(__file__).with_name("reliability.md")
    rows = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    text = page.read_text(encoding="utf-8")
    written = f"{BEGIN}\n{table(rows, FAULTS)}{END}"
    page.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: written, text, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
