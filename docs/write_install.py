"""Write what ``dialeval demo`` prints into docs/install.md; a test compares the numbers in both."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).parent / "install.md"


def printed() -> str:
    """What ``make demo`` prints once everything is installed, at 80 columns."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "XDG_CACHE_HOME": folder}
        command = [sys.executable, "-m", "dialeval", "demo", "--quick"]
        out = subprocess.run(
            command, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True
        )
    lines = (line.rstrip() for line in out.stdout.splitlines())
    return "".join(f"{line}\n" for line in lines).replace(": dialeval ", ": .venv/bin/dialeval ")


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    shown = printed()
    text = re.sub(r"^```text\n.*?^```", lambda _: f"```text\n{shown}```", text, count=1, flags=re.M | re.S)
    PAGE.write_text(text, encoding="utf-8")
    print(f"wrote {PAGE}", file=sys.stderr)
