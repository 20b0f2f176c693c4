"""Encoder-decoder models: next tokens for search, and responses scored with each context encoded once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

from dialeval.systems.huggingface.models import Pair, Tokens, token_sums
from dialeval.systems.huggingface.pace import Pace
from dialeval.systems.tensors import normalised, pad


class _State(NamedTuple):
    states: Tensor
    """What the encoder made of the contexts."""
    mask: Tensor
    cache: Any


class _Encoded(NamedTuple):
    """Contexts as the encoder sees them, and which row is whose."""

    states: Tensor
    mask: Tensor
    row: Mapping[Tokens, int]


@dataclass(frozen=True, slots=True, eq=False)
class Seq2Seq:
    """An encoder-decoder model as search and scoring see it."""

    model: Any
    end: frozenset[int]
    fill: int
    opening: Tokens
    """What the decoder reads before any response: its start token, and what the tokenizer puts first."""

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""
        return int(self.model.config.get_text_config(decoder=True).vocab_size)

    def start(self, prefixes: Sequence[Sequence[int]]) -> tuple[Tensor, _State]:
        """Log-probabilities of the first token of each response, and the state there."""
        from transformers import DynamicCache, EncoderDecoderCache

        states, mask = self._encode(prefixes)
        config = self.model.config.get_text_config(decoder=True)
        cache = EncoderDecoderCache(DynamicCache(config=config), DynamicCache(config=config))
        opening = torch.tensor([self.opening] * len(prefixes), device=self.model.device)
        return self._forward(opening, _State(states, mask, cache))

    def step(self, tokens: Tensor, state: _State) -> tuple[Tensor, _State]:
        """Log-probabilities after one more token per row."""
        return self._forward(tokens[:, None], state)

    def select(self, state: _State, rows: Tensor) -> _State:
        """The state of these rows."""
        if len(rows) == len(state.mask) and bool((rows == torch.arange(len(rows), device=rows.device)).all()):
            return state
        state.cache.batch_select_indices(rows)
        return _State(state.states[rows], state.mask[rows], state.cache)

    def logprobs(self, pairs: Sequence[Pair], pace: Pace) -> list[float]:
        """The log-probability of each pair's response given its context."""
        of_context: dict[Tokens, list[int]] = {}
        for index, pair in enumerate(pairs):
            of_context.setdefault(pair.prefix, []).append(index)
        contexts = sorted(of_context, key=len)
        by_index: dict[int, float] = {}
        while contexts:
            encoded = pace.attempt(partial(self._encode_some, contexts))
            order = [index for context in encoded.row for index in of_context[context]]
            order.sort(key=lambda index: len(pairs[index].response))
            with torch.inference_mode():
                scores = pace.over([pairs[index] for index in order], partial(self._score_rows, encoded))
                by_index.update(zip(order, scores, strict=True))
            contexts = contexts[len(encoded.row) :]
        return [by_index[index] for index in range(len(pairs))]

    def _encode_some(self, contexts: Sequence[Tokens], size: int) -> _Encoded:
        with torch.inference_mode():
            states, mask = self._encode(contexts[:size])
        return _Encoded(states, mask, {context: index for index, context in enumerate(contexts[:size])})

    def _score_rows(self, encoded: _Encoded, pairs: Sequence[Pair], size: int) -> list[float]:
        pairs = pairs[:size]
        rows_of_pairs = torch.tensor([encoded.row[pair.prefix] for pair in pairs], device=encoded.mask.device)
        read = [(*self.opening, *pair.response[:-1]) for pair in pairs]
        ids = pad(read, fill=self.fill, device=rows_of_pairs.device).ids
        logits = self._decode(
            ids, encoded.states[rows_of_pairs], encoded.mask[rows_of_pairs], use_cache=False
        ).logits
        starts = [ids.shape[1] * index + len(self.opening) - 1 for index in range(len(pairs))]
        rows = [range(start, start + len(pair.response)) for start, pair in zip(starts, pairs, strict=True)]
        return token_sums(logits.flatten(0, 1), rows, [pair.response for pair in pairs])

    def _encode(self, prefixes: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        ids, here = pad(prefixes, fill=self.fill, device=self.model.device)
        mask = here.long()
        states: Tensor = self.model.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
        return states, mask

    def _forward(self, ids: Tensor, state: _State) -> tuple[Tensor, _State]:
        out = self._decode(ids, state.states, state.mask, use_cache=True, past_key_values=state.cache)
        return normalised(out.logits[:, -1]), _State(state.states, state.mask, out.past_key_values)

    def _decode(self, ids: Tensor, states: Tensor, mask: Tensor, **more: Any) -> Any:
        from transformers.modeling_outputs import BaseModelOutput

        encoded: Any = BaseModelOutput()
        encoded.last_hidden_state = states
        return self.model(decoder_input_ids=ids, encoder_outputs=encoded, attention_mask=mask, **more)
