"""The lock that installs are checked against is of the present constraints, and holds a hash for everything."""

from __future__ import annotations

import re
import subprocess
import sys

from support.paths import ROOT

LOCK = ROOT / "requirements.lock"


def test_the_lock_is_of_the_present_constraints_and_dependencies() -> None:
    checked = subprocess.run([sys.executable, ROOT / "release" / "lock.py", "--check"], check=False)
    assert checked.returncode == 0, "run: python release/lock.py"


def test_every_package_is_pinned_with_a_hash() -> None:
    entries = LOCK.read_text().replace("\\\n", "").splitlines()
    packages = [line for line in entries if line and not line.startswith("#")]
    assert len(packages) > 200
    for line in packages:
        assert re.fullmatch(r"[a-z0-9-]+==\S+(\s+--hash=sha256:[0-9a-f]{64})+", line), line[:80]


def test_the_lock_has_the_versions_of_the_constraints() -> None:
    locked = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", LOCK.read_text(), re.MULTILINE))
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if re.match(r"[A-Za-z0-9._-]+==", line))
    named = {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in pins.items()}
    assert {name: locked[name] for name in named.keys() & locked.keys()} == {
        name: version for name, version in named.items() if name in locked
    }
    assert "# --- " in LOCK.read_text(), "what make demo installs ends before what make test adds"


def test_torch_is_locked_to_builds_for_cpus_and_apart_to_the_one_with_cuda() -> None:
    # pip prefers a file whose hash the index states, so one list of all builds would give the one with CUDA, which does
    # not start without packages that nobody without such hardware wants.
    head, _, rest = LOCK.read_text().partition("# --- torch for CPUs ---")
    cpus, _, cuda = rest.partition("# --- torch with CUDA ---")
    assert "\ntorch==" not in head
    hashes = [
        set(re.findall(r"sha256:(\w+)", re.search(r"^torch==.*(?:\n .*)*", part, re.M)[0]))
        for part in (cpus, cuda)
    ]
    assert all(hashes)
    assert not hashes[0] & hashes[1]
    assert "nvidia" not in cpus
    assert "nvidia" in cuda
