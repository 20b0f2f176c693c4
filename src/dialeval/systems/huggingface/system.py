"""Models in the Hugging Face format: systems that answer and give log-probabilities, and models of plain texts."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Literal, NamedTuple

import numpy as np

from dialeval.core import Floats, Integers, Signature
from dialeval.data.types import Context, Response
from dialeval.errors import DialevalError, Unsuitable
from dialeval.systems.decoding import Decoding, Hypothesis, context_seed, decode
from dialeval.systems.huggingface import EMBEDDED
from dialeval.systems.huggingface.files import ModelFiles, find_model
from dialeval.systems.huggingface.loader import AT_ONCE, LoadedModel, ModelSettings, Precision, load
from dialeval.systems.huggingface.prompts import Form, ModelPrompt, Tokens, not_in_template

_LONG: Final = 256
"""Tokens that are kept free for a response to be scored, so that its context does not depend on its length."""


@dataclass(frozen=True, slots=True)
class HuggingFace:
    """A language model by name or folder; ``smollm2-135m-instruct`` needs no download.

    Chat templates are honoured if the model has one (``prompt`` None). A context that is longer than the window, or
    than ``max_context`` tokens, loses its oldest turns: ``dropped`` counts them, and a warning says how many contexts
    were cut. A response's log-probability includes the token that ends its turn unless ``score_end`` is false; context
    and response are tokenised apart.
    """

    name: str
    model: str = EMBEDDED
    revision: str | None = None
    """Branch, tag or commit of a hub model."""
    hub: bool = False
    """Whether the model may be downloaded; one that was downloaded before is found by name without."""
    decoding: Decoding = field(default_factory=Decoding)
    dtype: Precision = "float32"
    device: str = "auto"
    batch_size: int | Literal["auto"] = "auto"
    """Responses at once; halved if memory runs out. Changes no text."""
    prompt: Form | None = None
    system_prompt: str | None = None
    score_end: bool = True
    max_context: int | None = None

    def __post_init__(self) -> None:
        for key in ("batch_size", "max_context"):
            value = getattr(self, key)
            if isinstance(value, int) and value < 1:
                raise DialevalError(f"{key}: found {value}, expected a whole number of at least 1.")
        if self.revision is not None and self.model == EMBEDDED:
            raise DialevalError(f"{EMBEDDED} has no revisions. Leave 'revision' out, or name a hub model.")

    @property
    def signature(self) -> Signature:
        """All that could move its responses, beside the seed."""
        files = self._files
        facts = {
            "model": files.fact,
            "revision": self.revision,
            "dtype": self.dtype,
            "prompt": self._form(files),
            "system_prompt": self.system_prompt
            and hashlib.sha256(self.system_prompt.encode()).hexdigest()[:12],
            "max_context": str(self.max_context) if self.max_context else None,
            "decoding": self.decoding.fact,
            "end": "scored" if self.score_end else "left_out",
        }
        return Signature("huggingface", (), tuple((key, value) for key, value in facts.items() if value))

    @property
    def resources(self) -> Mapping[str, str]:
        """The model's name and the sha256 of its files."""
        return {self._files.name: self._files.sha256}

    def generate(
        self, contexts: Sequence[Context], *, n: int = 1, seed: int = 0
    ) -> list[tuple[Response, ...]]:
        """At most ``n`` responses to each context, best first; greedy search has one, beams as many as there are.

        Beams give different texts; samples are drawn independently, so a text may come twice.
        """
        if not contexts or n < 1:
            return [() for _ in contexts]
        loaded = self._load()
        prompts = self._prompts(loaded, contexts, self.decoding.longest)
        order = sorted(range(len(contexts)), key=lambda index: len(prompts[index].tokens))
        asked = [(prompts[index].tokens, context_seed(seed, contexts[index])) for index in order]
        by_index = dict(zip(order, loaded.pace.over(asked, partial(self._decode, loaded, n)), strict=True))
        return [self._responses(loaded, by_index[index]) for index in range(len(contexts))]

    def refuses(self, context: Context) -> str | None:
        """Return why the model cannot answer here: calls of tools, or a role that chat templates do not know."""
        return None if self._form(self._files) == "plain" else not_in_template(context)

    def logprob(self, contexts: Sequence[Context], responses: Sequence[str]) -> Floats:
        """Natural-log probability of each whole response given its context, shape (responses,).

        Candidates of one context share its encoding, wherever they stand in the call. An empty response has the
        probability of ending at once.
        """
        if len(contexts) != len(responses):
            raise Unsuitable(
                f"Found {len(contexts)} contexts and {len(responses)} responses; expected one for one."
            )
        if not contexts:
            return np.zeros(0)
        from dialeval.systems.huggingface.models import Pair

        loaded = self._load()
        prompts = self._prompts(loaded, contexts, max(_LONG, self.decoding.longest))
        pairs = [
            Pair(prompt.tokens, self._scored(loaded, text, prompt))
            for prompt, text in zip(prompts, responses, strict=True)
        ]
        return np.array(loaded.model.logprobs(pairs, loaded.pace), dtype=np.float64)

    def tokens(self, responses: Sequence[str]) -> Integers:
        """Return the tokens that each response is scored by, its end counted unless ``score_end`` is false."""
        loaded = self._load()
        counts = {text: len(loaded.prompt_format.response(text)) + self.score_end for text in set(responses)}
        return np.array([counts[text] for text in responses], dtype=np.int64)

    def dropped(self, contexts: Sequence[Context]) -> Integers:
        """Return how many of each context's oldest turns are left out, because the window is too short."""
        loaded = self._load()
        room = self._room(loaded, self.decoding.longest)
        return np.array(
            [loaded.prompt_format.prompt(context, room).dropped for context in contexts], dtype=np.int64
        )

    def fits(self, contexts: Sequence[Context]) -> list[bool]:
        """Return whether each context is read whole, with room for a response that is to be scored."""
        loaded = self._load()
        room = self._room(loaded, max(_LONG, self.decoding.longest))
        return [not loaded.prompt_format.prompt(context, room).cut for context in contexts]

    @property
    def _files(self) -> ModelFiles:
        return find_model(self.model, self.revision, hub=self.hub)

    def _form(self, files: ModelFiles) -> Form:
        if self.prompt == "chat" and not files.has_template:
            raise Unsuitable(
                f"{files.name} has no chat template, so it cannot be prompted by 'chat'. Leave 'prompt' out, or set "
                "'prompt: plain'."
            )
        return self.prompt or ("chat" if files.has_template else "plain")

    def _load(self) -> LoadedModel:
        files, at_once = self._files, AT_ONCE if self.batch_size == "auto" else self.batch_size
        return load(
            ModelSettings(files, self.dtype, self.device, self._form(files), self.system_prompt, at_once)
        )

    def _room(self, loaded: LoadedModel, response: int) -> int:
        # A window too short for both is shared by halves.
        room = max(loaded.room(response), loaded.window // 2)
        return min(room, self.max_context or room)

    def _prompts(self, loaded: LoadedModel, contexts: Sequence[Context], response: int) -> list[ModelPrompt]:
        room = self._room(loaded, response)
        by_context = {
            context: loaded.prompt_format.prompt(context, room) for context in dict.fromkeys(contexts)
        }
        cut = [prompted for prompted in by_context.values() if prompted.cut]
        if cut:
            logging.getLogger(__name__).warning(
                "%s: %d of %d contexts exceed the %d tokens there is room for; %d of their oldest turns are left out.",
                self.name,
                len(cut),
                len(by_context),
                room,
                sum(prompted.dropped for prompted in cut),
            )
        return [by_context[context] for context in contexts]

    def _decode(
        self, loaded: LoadedModel, n: int, asked: Sequence[tuple[Tokens, int]], size: int
    ) -> list[list[Hypothesis]]:
        rows = n if self.decoding.samples else self.decoding.most or 1
        prefixes, seeds = zip(*asked[: max(size // rows, 1)], strict=True)
        return decode(loaded.model, prefixes, self.decoding, n=n, seeds=seeds)

    def _responses(self, loaded: LoadedModel, hypotheses: Sequence[Hypothesis]) -> tuple[Response, ...]:
        said = [
            Response(loaded.prompt_format.text(hypothesis.tokens), hypothesis.logprob)
            for hypothesis in hypotheses
        ]
        if self.decoding.samples:
            return tuple(said)
        # Two beams can be spelt differently and read alike: the better one is kept.
        different: dict[str, Response] = {}
        for response in said:
            different.setdefault(response.text, response)
        return tuple(different.values())

    def _scored(self, loaded: LoadedModel, text: str, prompt: ModelPrompt) -> tuple[int, ...]:
        tokens = loaded.prompt_format.response(text)
        if self.score_end:
            tokens = (*tokens, loaded.end)
        if not tokens:
            raise Unsuitable("An empty response has no probability without its end. Set 'score_end: true'.")
        if not loaded.seq2seq and len(prompt.tokens) + len(tokens) > loaded.window:
            raise Unsuitable(
                f"A response of {len(tokens)} tokens and a context of {len(prompt.tokens)} do not fit into a window "
                f"of {loaded.window}. Set 'max_context' to at most {max(loaded.window - len(tokens), 1)}."
            )
        return tokens


_WORD: Final = "a"


class Frame(NamedTuple):
    """Tokens before and after a text."""

    lead: Tokens
    tail: Tokens


@dataclass(frozen=True, slots=True)
class TextModel:
    """A language model by name or folder that continues texts as they stand."""

    model: str = EMBEDDED
    hub: bool = False
    """Whether the model may be downloaded."""
    dtype: Precision = "float32"

    @property
    def fact(self) -> str:
        """Name and hash of the model as a signature shows them."""
        return self._files.fact

    @property
    def resources(self) -> Mapping[str, str]:
        """The model's name and the sha256 of its files."""
        return {self._files.name: self._files.sha256}

    @property
    def seq2seq(self) -> bool:
        """Whether an encoder reads what comes before."""
        return self._load().seq2seq

    @property
    def end(self) -> str:
        """The text of the token that ends a document, or a response."""
        tokenizer = self._load().prompt_format.tokenizer
        text: str = tokenizer.eos_token or tokenizer.decode([self._load().end])
        return text

    @property
    def frame(self) -> Frame:
        """The tokens that the tokenizer puts around a text."""
        tokenizer = self._load().prompt_format.tokenizer
        whole = tokenizer(_WORD)["input_ids"]
        word = tokenizer(_WORD, add_special_tokens=False)["input_ids"]
        start = next(place for place in range(len(whole)) if whole[place : place + len(word)] == word)
        return Frame(tuple(whole[:start]), tuple(whole[start + len(word) :]))

    def room(self, continuation: int) -> int:
        """Return how many tokens may come before this many of a continuation; a window too short for both is halved."""
        loaded = self._load()
        return max(loaded.room(continuation), loaded.window // 2)

    def longest(self, continuation: int) -> int:
        """Return how many tokens of this many of a continuation fit beside that."""
        return min(continuation, max(self._load().window // 2, 1))

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of each text, without those that the tokenizer puts around it."""
        if not texts:
            return []
        tokenizer = self._load().prompt_format.tokenizer
        return [tuple(ids) for ids in tokenizer(list(texts), add_special_tokens=False)["input_ids"]]

    def logprobs(self, before: Sequence[Tokens], after: Sequence[Tokens]) -> Floats:
        """Natural-log probability of each continuation after its beginning, shape (continuations,).

        Whatever continuations share of what comes before them is read once, wherever they stand in the call.
        """
        from dialeval.systems.huggingface.models import Pair

        if not after:
            return np.zeros(0)
        loaded = self._load()
        pairs = [Pair(first, then) for first, then in zip(before, after, strict=True)]
        return np.array(loaded.model.logprobs(pairs, loaded.pace), dtype=np.float64)

    @property
    def _files(self) -> ModelFiles:
        return find_model(self.model, None, hub=self.hub)

    def _load(self) -> LoadedModel:
        return load(ModelSettings(self._files, self.dtype, "auto", "plain", None, AT_ONCE))
