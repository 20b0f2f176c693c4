"""Fuzz the readers for some minutes with new seeds: ``make fuzz MINUTES=30``; exits with 1 where a case fails."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from support.fuzzing.campaign import Finding, run_cases
from support.fuzzing.groups import GROUPS, cases_of

AT_ONCE = 20


def main() -> None:
    """Run the targets in turn until the time is over, and print each new kind of finding."""
    parser = argparse.ArgumentParser(prog="python -m support.fuzzing", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="where the seeds begin")
    parser.add_argument("--only", default="", help="a part of the names of targets")
    parser.add_argument(
        "--keep", type=Path, default=Path("fuzz-findings"), help="where files that fail are kept"
    )
    given = parser.parse_args()
    end = time.monotonic() + 60 * given.minutes
    seed, cases, kinds = given.seed, 0, set[tuple[str, str]]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        targets = [target for make in GROUPS.values() for target in make(folder) if given.only in target.name]
        while time.monotonic() < end:
            for target in targets:
                count = cases_of(target, AT_ONCE)
                for finding in run_cases(target, folder, range(seed, seed + count)):
                    _tell(finding, kinds, given.keep)
                cases += count
            seed += AT_ONCE
    print(f"{cases:,} cases from seed {given.seed}, {len(kinds)} kinds of findings")
    sys.exit(bool(kinds))


def _tell(finding: Finding, kinds: set[tuple[str, str]], keep: Path) -> None:
    kind = (finding.target, finding.what[:40])
    if kind in kinds:
        return
    kinds.add(kind)
    keep.mkdir(parents=True, exist_ok=True)
    kept = keep / f"{finding.target.replace(' ', '-')}-{finding.seed}-{Path(finding.file).name}"
    kept.write_bytes(finding.raw)
    print(f"{finding} -> {kept}", flush=True)


if __name__ == "__main__":
    main()
