"""Plot of the output of ``dialeval train generator ... --json``: held-out loss over updates, one line per generator.

``python -m bench.training gru.json lstm.json -o curves.svg`` names each line after its file.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot


def draw(told: dict[str, list[dict[str, float]]], path: Path) -> None:
    """Held-out loss as lines, training loss as dots, in nats per token."""
    # Without these two the same curves would not give the same bytes.
    matplotlib.rcParams.update({"svg.hashsalt": "dialeval", "svg.fonttype": "none", "font.size": 9})
    figure, axes = pyplot.subplots(figsize=(6, 3.2), layout="constrained")
    for name, looks in told.items():
        updates = [look["updates"] for look in looks]
        (line,) = axes.plot(updates, [look["held_out_nats"] for look in looks], label=name)
        axes.plot(updates, [look["train_nats"] for look in looks], ".", color=line.get_color(), markersize=4)
    axes.set_xlabel("updates")
    axes.set_ylabel("nats per token")
    axes.legend(frameon=False, title="line: held out, dots: training")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("told", nargs="+", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    given = parser.parse_args()
    draw({path.stem: json.loads(path.read_text(encoding="utf-8"))["looks"] for path in given.told}, given.out)


if __name__ == "__main__":
    main()
