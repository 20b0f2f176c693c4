"""Fixtures every test may use."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, settings

from dialeval.encoder import Encoder, Weights, find_encoder, load_encoder
from dialeval.errors import ResourceUnavailable

# Tests run in parallel processes: more threads in each would only get in each other's way.
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

# A busy machine is slow, and that is no fault of what is tested.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

ROOT = Path(__file__).resolve().parents[1]

# Worker processes inherit the path, and so find what tests keep in modules of their own.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora: $DIALEVAL_DATA, else ../shared/data beside the checkout."""
    folder = Path(os.environ.get("DIALEVAL_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real data not found at {folder}; set DIALEVAL_DATA to the folder that holds it")
    return folder


class Outcome(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


Command = Callable[..., Outcome]


@pytest.fixture
def dialeval(monkeypatch, capsys, tmp_path) -> Command:
    """Run the command line in this process, in an empty folder, with its own cache."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: object) -> Outcome:
        from dialeval.cli import main

        monkeypatch.setattr(sys, "argv", ["dialeval", *map(str, arguments)])
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        return Outcome(code, *capsys.readouterr())

    return call


@pytest.fixture(scope="session")
def minilm() -> Weights:
    """The embedded encoder's files."""
    try:
        return find_encoder("minilm")
    except ResourceUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def encoder(minilm: Weights) -> Encoder:
    """The embedded encoder, loaded."""
    return load_encoder(minilm)


def make_roberta(folder: Path) -> Path:
    """A tiny RoBERTa with random weights and a byte-level tokenizer, as a user's own model would lie on disk."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaConfig, RobertaModel, RobertaTokenizerFast

    trainer = ByteLevelBPETokenizer()
    words = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer.train_from_iterator(
        ["the cat sat on the mat", "where is it?"], vocab_size=300, special_tokens=words
    )
    folder.mkdir(exist_ok=True)
    trainer.save_model(str(folder))
    RobertaTokenizerFast.from_pretrained(folder, model_max_length=40).save_pretrained(folder)
    torch.manual_seed(0)
    config = RobertaConfig(
        vocab_size=400,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=42,
    )
    RobertaModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def roberta(tmp_path_factory: pytest.TempPathFactory, minilm: Weights) -> Path:
    """The folder of a tiny RoBERTa; needs ``minilm`` only because that skips where torch is not installed."""
    return make_roberta(tmp_path_factory.mktemp("models") / "tiny-roberta")
