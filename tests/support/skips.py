"""Plugin that fails a run in which a test was skipped and ``allowed_skips.txt`` does not list it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

LIST = Path(__file__).resolve().parents[1] / "allowed_skips.txt"


@dataclass(frozen=True)
class Allowed:
    """One line of the list."""

    test: str
    reason: str

    def covers(self, test: str, reason: str) -> bool:
        """Whether the line allows this test to be skipped for this reason."""
        return fnmatchcase(test, self.test) and self.reason in reason

    def __str__(self) -> str:
        return f"{self.test} | {self.reason}"


def read(path: Path = LIST) -> tuple[Allowed, ...]:
    """The lines of the list; ``#`` starts a comment."""
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    pairs = [line.partition("|") for line in lines if line and not line.startswith("#")]
    return tuple(Allowed(test.strip(), reason.strip()) for test, _, reason in pairs)


@dataclass
class Skips:
    """The skips of a session, sorted into allowed ones and others."""

    allowed: tuple[Allowed, ...]
    used: Counter[Allowed] = field(default_factory=Counter)
    unlisted: list[str] = field(default_factory=list)

    def add(self, test: str, reason: str) -> None:
        """Take note of one skipped test."""
        entry = next((entry for entry in self.allowed if entry.covers(test, reason)), None)
        if entry is None:
            self.unlisted.append(f"{test}: {reason}")
        else:
            self.used[entry] += 1

    def _add_report(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self.add(report.nodeid, reason.removeprefix("Skipped: "))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._add_report(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._add_report(report)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.unlisted and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("skipped tests")
        for entry, times in self.used.items():
            terminalreporter.line(f"allowed, {times} times: {entry}")
        for entry in self.allowed:
            if entry not in self.used:
                terminalreporter.line(f"listed, and did not occur: {entry}")
        for line in self.unlisted:
            terminalreporter.line(f"NOT ALLOWED: {line}", red=True)
        if self.unlisted:
            terminalreporter.line(f"Fix what is missing, or list the skip in {LIST.name}.", red=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--strict-skips", action="store_true", help=f"fail on skips that {LIST.name} does not list"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--strict-skips") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Skips(read()), "allowed-skips")
