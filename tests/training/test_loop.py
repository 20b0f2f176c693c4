from __future__ import annotations

import math
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from dialeval.errors import DialevalError
from dialeval.training.checkpoint import Checkpoints, Place, take_weights
from dialeval.training.loop import Interrupted, Session, _return_memory, fit
from dialeval.training.schedule import Schedule
from dialeval.training.task import Loss, Numbers, Rows, Sum, Task, unigram_nats
from support.made_task import SCHEDULE, made_task, same_weights
from support.processes import environment


class Stop(Exception):
    """What ends a session in these tests."""


class StopAfter:
    """Ends a session after so many updates."""

    def __init__(self, updates: int, action=None) -> None:
        self.left, self.action = updates, action

    def advance(self, n: int, /) -> None:
        self.left -= n > 0
        if self.left == 0:
            if self.action is None:
                raise Stop
            self.action()


def runs(folder: Path) -> Checkpoints:
    return Checkpoints(folder, {"task": "sides of a line"})


def test_the_loss_falls_and_is_what_it_was(tmp_path: Path) -> None:
    fitted = fit(made_task(), SCHEDULE, runs(tmp_path))
    assert [each.train["loss"] for each in fitted.history] == pytest.approx(LOSSES, abs=1e-4)
    assert [each.updates for each in fitted.history] == [8, 16, 24, 32]
    assert fitted.ending == "epochs"
    assert fitted.best.held_out is not None
    assert fitted.best.held_out["loss"] == min(each.held_out["loss"] for each in fitted.history)


LOSSES = (0.60525, 0.28814, 0.14139, 0.08880)


@pytest.mark.parametrize("updates", [1, 3, 7, 8, 20, 31])
def test_a_stopped_run_resumes_to_the_same_bits(tmp_path: Path, updates: int) -> None:
    whole, broken = made_task(), made_task()
    expected = fit(whole, SCHEDULE, runs(tmp_path / "whole"))
    with pytest.raises(Stop):
        fit(made_task(), SCHEDULE, runs(tmp_path / "broken"), Session(progress=StopAfter(updates)))
    places: list[Place] = []
    found = fit(broken, SCHEDULE, runs(tmp_path / "broken"), Session(on_start=places.append))
    assert places[0].updates == (updates - 1) // SCHEDULE.save_every * SCHEDULE.save_every
    assert same_weights(whole, broken)
    assert [replace(each, seconds=0) for each in found.history] == [
        replace(each, seconds=0) for each in expected.history
    ]


@pytest.fixture
def heeded_interrupts() -> Iterator[None]:
    """Python's own handler of Ctrl-C, which is absent where tests run in the background of a script."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded_interrupts")
def test_ctrl_c_finishes_the_update_and_saves_it(tmp_path: Path) -> None:
    never = replace(SCHEDULE, save_every=10**6)
    press = StopAfter(5, lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(Interrupted) as stopped:
        fit(made_task(), never, runs(tmp_path / "a"), Session(progress=press))
    assert stopped.value.updates == 5
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    places: list[Place] = []
    resumed, whole = made_task(), made_task()
    fit(resumed, never, runs(tmp_path / "a"), Session(on_start=places.append))
    assert places[0].updates == 5
    fit(whole, never, runs(tmp_path / "b"))
    assert same_weights(resumed, whole)


@pytest.mark.usefixtures("heeded_interrupts")
def test_a_second_ctrl_c_stops_at_once(tmp_path: Path) -> None:
    def twice() -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    never = replace(SCHEDULE, save_every=10**6)
    with pytest.raises(KeyboardInterrupt):
        fit(made_task(), never, runs(tmp_path), Session(progress=StopAfter(2, twice)))
    assert not (tmp_path / "checkpoint.safetensors").exists()


def test_no_resume_starts_from_the_beginning(tmp_path: Path) -> None:
    fit(made_task(), replace(SCHEDULE, epochs=1), runs(tmp_path))
    places: list[Place] = []
    fit(made_task(), SCHEDULE, runs(tmp_path), Session(resume=False, on_start=places.append))
    assert places == [Place()]


def test_more_epochs_resume_where_training_ended(tmp_path: Path) -> None:
    longer, whole = made_task(), made_task()
    fit(made_task(), replace(SCHEDULE, epochs=2), runs(tmp_path / "a"))
    fit(longer, SCHEDULE, runs(tmp_path / "a"))
    fit(whole, SCHEDULE, runs(tmp_path / "b"))
    assert same_weights(longer, whole)


def test_the_first_checkpoint_comes_early_though_updates_are_few(tmp_path: Path) -> None:
    slow = replace(SCHEDULE, save_every=10**6, save_seconds=0)
    with pytest.raises(Stop):
        fit(made_task(), slow, runs(tmp_path), Session(progress=StopAfter(2)))
    assert (tmp_path / "checkpoint.safetensors").exists()


def test_without_improvement_training_stops_and_the_best_weights_are_kept(tmp_path: Path) -> None:
    measured, snapshots = iter([3.0, 1.0, 2.0, 1.0, 0.5]), []

    def validate() -> Numbers:
        snapshots.append(take_weights(task.model))
        return {"loss": next(measured)}

    task = replace(made_task(), validate=validate)
    fitted = fit(task, replace(SCHEDULE, patience=2, evaluate_every=2), runs(tmp_path))
    assert fitted.ending == "patience"
    assert [each.held_out for each in fitted.history] == [{"loss": value} for value in (3.0, 1.0, 2.0, 1.0)]
    assert fitted.best.updates == 4
    kept = take_weights(task.model)
    assert all(torch.equal(kept[name], weight) for name, weight in snapshots[1].items())


def test_no_time_left_ends_a_run_after_its_first_update(tmp_path: Path) -> None:
    fitted = fit(made_task(), SCHEDULE, runs(tmp_path), Session(minutes=0))
    assert (fitted.ending, fitted.best.updates) == ("minutes", 1)
    assert fitted.best.held_out is not None


def test_the_last_weights_are_kept_where_nothing_is_held_out(tmp_path: Path) -> None:
    fitted = fit(made_task(held_out=False), SCHEDULE, runs(tmp_path))
    assert fitted.best == fitted.history[-1]
    assert fitted.best.held_out is None


def test_losses_of_a_batch_add_up_and_parts_are_clipped_apart(tmp_path: Path) -> None:
    model = torch.nn.ModuleDict({name: torch.nn.Linear(1, 1, bias=False) for name in ("steep", "flat")})
    factors = {"steep": 1000.0, "flat": 0.001}

    def losses(rows: Rows) -> Iterator[Loss]:
        for name, factor in factors.items():
            yield Loss(factor * model[name](torch.ones(1, 1)).sum(), {name: Sum(factor, 1)})

    gradients = {}
    for clipped in ((), tuple(model.values())):
        task = Task(model, lambda epoch: [[0]], losses, clipped=clipped)
        fit(task, Schedule(epochs=1, clip=1.0), Checkpoints(tmp_path / str(len(clipped)), {}))
        gradients[len(clipped)] = {name: float(part.weight.grad) for name, part in model.items()}
    assert gradients[0] == pytest.approx({"steep": 1.0, "flat": 1e-6}, rel=1e-3)
    assert gradients[2] == pytest.approx({"steep": 1.0, "flat": 1e-3}, rel=1e-3)


@pytest.mark.parametrize(
    ("baseline", "measured", "shortfall"),
    [
        ({"loss": 9.0}, [3.0, 2.0], None),
        ({"loss": 2.0}, [3.0, 2.0], "baseline"),
        ({"loss": 1.0, "accuracy": 0.5}, [3.0, 2.0], None),
        ({}, [3.0, 3.0], "first"),
        ({}, [3.0], None),
        ({"loss": 9.0}, [float("nan"), float("nan")], "baseline"),
    ],
)
def test_a_model_that_has_learnt_nothing_says_so(
    tmp_path: Path, baseline: Numbers, measured: list[float], shortfall: str | None
) -> None:
    values = iter(measured)
    task = replace(made_task(), baseline=baseline, validate=lambda: {"loss": next(values), "accuracy": 0.25})
    fitted = fit(task, replace(SCHEDULE, epochs=len(measured)), runs(tmp_path))
    assert fitted.shortfall == shortfall


def test_frequencies_alone_cost_what_they_should() -> None:
    # Add-one smoothing over four tokens: a has (2 + 1) / 7, b and what was never met have (1 + 1) / 7 and 1 / 7.
    assert unigram_nats("aab", "ab", 4) == pytest.approx(-(math.log(3 / 7) + math.log(2 / 7)) / 2)
    assert unigram_nats("aab", "z", 4) == pytest.approx(math.log(7))


def test_the_learning_rate_rises_over_the_warm_up() -> None:
    schedule = Schedule(learning_rate=0.1, warm_up=4)
    assert [schedule.rate(updates) for updates in (0, 1, 3, 9)] == pytest.approx([0.025, 0.05, 0.1, 0.1])
    assert Schedule(learning_rate=0.1).rate(0) == 0.1


@pytest.mark.parametrize(
    ("field", "value"), [("epochs", 0), ("patience", 0), ("warm_up", -1), ("clip", 0), ("learning_rate", 0)]
)
def test_settings_that_make_no_sense_are_refused(field: str, value: float) -> None:
    with pytest.raises(DialevalError, match=f"{field} is {value}; expected"):
        Schedule(**{field: value})


@pytest.mark.slow
def test_a_run_killed_outright_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from dataclasses import replace\nfrom pathlib import Path\n"
        "from safetensors.torch import save_file\n"
        "from support.made_task import SCHEDULE, made_task\n"
        "from dialeval.training.checkpoint import Checkpoints\n"
        "from dialeval.training.loop import fit\n"
        "task, folder = made_task(), Path(sys.argv[1])\n"
        "fit(task, replace(SCHEDULE, epochs=40, save_every=1), Checkpoints(folder, {}))\n"
        "save_file(task.model.state_dict(), folder / 'model.safetensors')\n"
    )
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    subprocess.run([sys.executable, "-c", script, str(whole)], check=True, env=environment())
    process = subprocess.Popen([sys.executable, "-c", script, str(killed)], env=environment())
    deadline = time.monotonic() + 120
    while not (killed / "checkpoint.safetensors").exists() and time.monotonic() < deadline:
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (killed / "model.safetensors").exists()
    subprocess.run([sys.executable, "-c", script, str(killed)], check=True, env=environment())
    assert (killed / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")
def test_memory_that_batches_of_many_lengths_leave_behind_is_returned():
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    used = [bytearray(100_000) for _ in range(3000)]
    between = [bytearray(100) for _ in range(3000)]
    used = used[::50]  # what is kept lies between the gaps, as parameters and optimiser states do
    before = resident()
    _return_memory()
    assert before - resident() > 100_000_000
    assert len(used) + len(between) == 3060
