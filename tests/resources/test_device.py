"""Devices without the devices: what runs on a CPU, and what shapes and devices alone can show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
import torch

from dialeval.encoder.files import Weights, find_encoder, runs_on_onnx
from dialeval.encoder.model import load_encoder
from dialeval.errors import DialevalError, ResourceUnavailable
from dialeval.resources.device import (
    DEVICE,
    PRECISION,
    autocast,
    find_device,
    scoring_device,
    scoring_precision,
    use,
    wide,
)


def test_the_device_of_scorers_is_the_cpu_unless_somebody_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(DEVICE, raising=False)
    monkeypatch.delenv(PRECISION, raising=False)
    assert (scoring_device(), scoring_precision()) == ("cpu", "float32")
    monkeypatch.setenv(DEVICE, "cpu")
    monkeypatch.setenv(PRECISION, "float32")
    use("auto", "bfloat16")
    assert scoring_device() == str(find_device("auto"))
    assert scoring_precision() == "bfloat16"
    use(None)
    assert scoring_precision() == "bfloat16"
    monkeypatch.setenv(PRECISION, "int3")
    with pytest.raises(DialevalError, match=r"int3.*float32, bfloat16"):
        scoring_precision()


def test_what_runs_on_any_device_runs_on_that_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DEVICE, "meta")
    assert find_device("auto").type == "meta"
    use("auto")
    assert find_device("auto").type != "meta"


@pytest.mark.parametrize(("name", "said"), [("gpu", "no device 'gpu'"), ("cuda:99", "not available")])
def test_a_device_that_is_not_here_is_refused(name: str, said: str) -> None:
    with pytest.raises(DialevalError, match=said):
        use(name)


@pytest.mark.skipif(torch.backends.mps.is_available(), reason="there is an Apple GPU")
def test_an_apple_gpu_that_is_not_here_is_refused() -> None:
    with pytest.raises(ResourceUnavailable, match="no Apple GPU"):
        find_device("mps")


def test_wide_values_are_made_on_the_cpu_for_devices_that_have_none() -> None:
    class OnMps:
        device = torch.device("mps")

        def cpu(self) -> torch.Tensor:
            return torch.ones(2)

    assert wide(OnMps()).dtype == torch.float64  # type: ignore[arg-type]
    assert wide(torch.ones(2, device="meta")).device.type == "meta"
    assert wide(torch.ones(2)).dtype == torch.float64


def test_products_have_the_precision_that_is_asked_for() -> None:
    with autocast(torch.device("cpu"), "bfloat16"):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.bfloat16
    with autocast(torch.device("cpu"), "float32"):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32


def test_the_precision_moves_vectors_a_little_and_shows_in_signatures(
    roberta: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(PRECISION, raising=False)
    weights: Weights = find_encoder(str(roberta))
    encoder = load_encoder(weights)
    [plain], fact = encoder.states(encoder.tokens(["the cat sat"])), weights.fact
    monkeypatch.setenv(PRECISION, "bfloat16")
    assert weights.fact == f"{fact}:bfloat16"
    assert not runs_on_onnx(weights)
    [rough] = encoder.states(encoder.tokens(["the cat sat"]))
    assert rough.dtype == np.float32
    assert 0 < np.abs(rough - plain).max() < 0.1 * np.abs(plain).max()
