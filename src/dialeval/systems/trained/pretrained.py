"""Hugging Face models trained further, on likelihood and unlikelihood, and saved in their own layout."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn

from dialeval.resources.huggingface import quiet_transformers
from dialeval.systems.huggingface.files import find_model
from dialeval.systems.huggingface.loader import LoadedModel, ModelSettings, load
from dialeval.systems.huggingface.prompts import Form
from dialeval.systems.tensors import Grid, pad
from dialeval.systems.trained.config import TrainConfig
from dialeval.systems.trained.generator import description
from dialeval.systems.trained.lessons import Lesson, Split, Width
from dialeval.systems.trained.subwords import Tokens
from dialeval.systems.trained.trainer import Outcome, TokenLesson, fit_lessons, make_origin, outcome
from dialeval.training.folder import count_weights, write_marker
from dialeval.training.loop import DEFAULT, Session
from dialeval.training.schedule import Schedule

RECORD: Final = "training.json"
TUNING: Final = TrainConfig(
    schedule=Schedule(
        epochs=3,
        learning_rate=7e-6,
        warm_up=50,
        evaluate_every=100,
        patience=5,
        save_every=200,
    ),
    batch_tokens=1000,
    longest_context=512,
    longest_response=128,
)
"""Learning rate in the middle of the range of the thesis (section 5.6.3); and one of its two warm-ups."""
CHECKPOINTS: Final = "checkpoint"
"""A folder of its own, because all safetensors beside a model are taken for its weights."""


@dataclass(frozen=True, slots=True, eq=False)
class PretrainedLearner:
    """A causal or encoder-decoder model of Hugging Face under training; it reads what the system of that kind reads."""

    loaded: LoadedModel
    longest_context: int
    longest_response: int

    @property
    def module(self) -> nn.Module:
        """Return whose weights move."""
        module: nn.Module = self.loaded.model.model
        return module

    @property
    def vocabulary(self) -> int:
        """Number of tokens."""
        return int(self.loaded.model.vocabulary)

    def read(self, lesson: Lesson) -> TokenLesson:
        """The lesson's tokens, prompted as the model is used to."""
        room = min(self.loaded.room(self.longest_response), self.longest_context)
        context = self.loaded.prompt_format.prompt(lesson.context, room).tokens
        negative = () if lesson.negative is None else self._response(lesson.negative)
        return TokenLesson(context, self._response(lesson.gold), negative)

    def width(self, lesson: TokenLesson) -> Width:
        """A causal model reads a context again with every response."""
        response = max(len(lesson.gold), len(lesson.negative))
        context = len(lesson.context)
        return Width(context, response) if self.loaded.seq2seq else Width(0, context + response)

    def logits(self, contexts: Sequence[Tokens], responses: Sequence[Tokens]) -> Tensor:
        """Logits for each token of each response."""
        if self.loaded.seq2seq:
            opening: Tokens = self.loaded.model.opening
            read = [(*opening, *response[:-1]) for response in responses]
            starts = [len(opening) - 1] * len(responses)
            ids, mask = self._pad(contexts)
            logits = self.module(
                input_ids=ids,
                attention_mask=mask.long(),
                decoder_input_ids=self._pad(read).ids,
                use_cache=False,
            ).logits
        else:
            read = [(*context, *response[:-1]) for context, response in zip(contexts, responses, strict=True)]
            starts = [len(context) - 1 for context in contexts]
            ids, mask = self._pad(read)
            logits = self.module(input_ids=ids, attention_mask=mask.long(), use_cache=False).logits
        picked = [
            logits[row, start : start + len(response)]
            for row, (start, response) in enumerate(zip(starts, responses, strict=True))
        ]
        return torch.cat(picked)

    def _response(self, text: str) -> Tokens:
        return (*self.loaded.prompt_format.response(text), self.loaded.end)[: self.longest_response]

    def _pad(self, rows: Sequence[Sequence[int]]) -> Grid:
        # On the right: what comes later is never seen by a causal model, and masked for the others.
        return pad(rows, fill=self.loaded.model.fill, device=self.loaded.model.model.device)


def tune(
    data: Split,
    config: TrainConfig,
    folder: Path,
    model: str,
    *,
    session: Session = DEFAULT,
) -> Outcome:
    """Train the model of this name or folder further and write it to ``folder`` in Hugging Face's layout.

    Of ``config`` count the schedule, the lengths, label smoothing and alpha.
    """
    source = find_model(model, None, hub=False)
    form: Form = "chat" if source.has_template else "plain"
    # Not from the cache of models, whose weights must stay what they are.
    loaded: LoadedModel = load.__wrapped__(ModelSettings(source, "float32", session.device, form, None, 1))
    learner = PretrainedLearner(loaded, config.longest_context, config.longest_response)
    origin = make_origin(data, source.sha256)
    fitted = fit_lessons(learner, data, config, origin, folder / CHECKPOINTS, session)
    write_marker(folder / RECORD, {"model": source.name, **description(config, origin, fitted)})
    _save(loaded, folder)
    return outcome(folder, data, count_weights(learner.module), loaded.model.vocabulary, fitted)


def _save(loaded: LoadedModel, folder: Path) -> None:
    """Write model and tokenizer, the config last, so that if it is there, all is."""
    model: Any = loaded.model.model
    scratch = Path(tempfile.mkdtemp(prefix=".saving.", dir=folder))
    try:
        with quiet_transformers():
            model.save_pretrained(scratch)
            loaded.prompt_format.tokenizer.save_pretrained(scratch)
        # The library leaves weights unreadable to others; they should be as readable as any file the user creates.
        for path in scratch.glob("*.safetensors"):
            shutil.copymode(scratch / "config.json", path)
        for path in sorted(scratch.iterdir(), key=lambda path: path.name == "config.json"):
            path.replace(folder / path.name)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
