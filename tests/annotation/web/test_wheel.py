"""The built wheel, installed elsewhere, has every template, catalogue and static file."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from support.paths import ROOT

pytestmark = pytest.mark.slow
EXAMPLE = (
    '{"id": "q%d", "system": "s%d", "context": [{"role": "user", "content": "Hi"}], "response": "Hello %d"}\n'
)


def installed(folder: Path) -> Path:
    """A folder with the package alone, as a user's installation has it."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    built = subprocess.run(
        [*pip, "wheel", "--no-deps", "--wheel-dir", str(folder / "dist"), str(ROOT)],
        capture_output=True,
        text=True,
    )
    if built.returncode and "hatchling" in built.stderr:
        pytest.skip("needs hatchling to build the wheel")
    assert built.returncode == 0, built.stderr
    (wheel,) = (folder / "dist").glob("*.whl")
    target = folder / "target"
    subprocess.run([*pip, "install", "--no-deps", "--target", str(target), str(wheel)], check=True)
    return target


def test_every_page_opens_from_the_installed_wheel(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(installed(tmp_path))}

    def run(*words: str) -> str:
        command = [sys.executable, *words]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert str(tmp_path) in run("-c", "import dialeval; print(dialeval.__file__)")
    (tmp_path / "answers.jsonl").write_text("".join(EXAMPLE % (n // 2, n % 2, n) for n in range(6)))
    dialeval = ("-m", "dialeval", "annotate")
    run(
        *dialeval,
        "init",
        "answers.jsonl",
        "-o",
        "study",
        "--kind",
        "pairwise",
        "--criterion",
        "better",
        "--comment",
    )
    command = [sys.executable, *dialeval, "serve", "study", "--port", "0"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            owner, rater, *_ = (server.stdout.readline().strip() for _ in range(4))
            open_all(owner, rater)
        finally:
            server.kill()


def open_all(owner: str, rater: str) -> None:
    """Open every page of a served study, in both languages."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    base = rater.partition("/r/")[0]

    def get(address: str) -> tuple[int, str]:
        try:
            with opener.open(address, timeout=60) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    assert "Which response is better in this respect?" in get(rater)[1]
    for path, words in {
        "/task?lang=ja": "この点で、どちらの応答が良いですか。",
        "/history?lang=en": "Your answers",
        "/instructions": "What you are asked",
        "/static/app.js": "use strict",
        "/static/app.css": "color-scheme",
        "/static/icon.svg": "<svg",
    }.items():
        status, content = get(base + path)
        assert (status, words in content) == (200, True), path
    assert "How it is going" in get(owner)[1]
    assert "There is nothing to decide" in get(f"{base}/owner/adjudicate")[1]
    status, content = get(f"{base}/nowhere")
    assert (status, "There is no such page" in content) == (404, True)
