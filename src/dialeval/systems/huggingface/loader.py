"""Models and tokenizers loaded once per process, from safetensors alone and without remote code; batch sizes."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

from dialeval.errors import ResourceUnavailable, RunFailed, first_line, lack_of_memory
from dialeval.resources.huggingface import quiet_transformers
from dialeval.systems.huggingface.files import ModelFiles, embedded_folder
from dialeval.systems.huggingface.prompts import Form, PromptFormat, line_end, prompt_format, turn_end

if TYPE_CHECKING:
    from dialeval.systems.huggingface.models import Causal, Pair


Precision: TypeAlias = Literal["float32", "bfloat16", "float16", "int8"]

AT_ONCE: Final = 32
"""Responses at once if the user leaves it to us."""
_PREFIX: Final = (5, 6)
_RESPONSES: Final = ((7, 8, 9, 10), (7, 11, 12, 13), (14, 15))


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """All that decides what is loaded."""

    files: ModelFiles
    dtype: Precision
    device: str
    form: Form
    system_prompt: str | None
    at_once: int


@dataclass(frozen=True, slots=True, eq=False)
class LoadedModel:
    """A model in memory."""

    model: Any
    """A ``Causal`` or a ``Seq2Seq``."""
    prompt_format: PromptFormat
    end: int
    """The token that ends a response."""
    window: int
    """Tokens that fit: of context and response together, or of the context if an encoder reads it."""
    seq2seq: bool
    pace: Pace

    def room(self, response: int) -> int:
        """Return how many tokens of context fit beside this many of a response, at least one."""
        return self.window if self.seq2seq else max(self.window - response, 1)


@lru_cache(maxsize=2)
def load(settings: ModelSettings) -> LoadedModel:
    """The model and what it takes to speak to it; the last two are kept."""
    folder = settings.files.folder or embedded_folder()
    from dialeval.resources.device import find_device

    device = str(find_device(settings.device))
    tokenizer, model = _read(folder, settings.dtype, device)
    seq2seq = bool(model.config.is_encoder_decoder)
    end, ends = _ends(tokenizer, model, settings.form, seq2seq=seq2seq)
    return LoadedModel(
        model=_wrapped(model, tokenizer, ends, seq2seq=seq2seq),
        prompt_format=prompt_format(tokenizer, settings.form, settings.system_prompt, seq2seq=seq2seq),
        end=end,
        window=_window(model.config, tokenizer),
        seq2seq=seq2seq,
        pace=Pace(settings.at_once),
    )


def _read(folder: Path, dtype: Precision, device: str) -> tuple[Any, Any]:
    import torch

    local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    floats = torch.float32 if dtype == "int8" else getattr(torch, dtype)
    with quiet_transformers() as transformers:
        try:
            config = transformers.AutoConfig.from_pretrained(folder, **local)
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **local)
            kind = "AutoModelForSeq2SeqLM" if config.is_encoder_decoder else "AutoModelForCausalLM"
            model, told = getattr(transformers, kind).from_pretrained(
                folder, use_safetensors=True, dtype=floats, output_loading_info=True, **local
            )
        # Whatever the library raises about files that are not a model, which changes with its versions.
        except Exception as error:
            reason = first_line(error)
            raise ResourceUnavailable(
                f"No language model could be loaded from {folder}: {reason}. Check that the folder holds "
                "config.json, a tokenizer and the safetensors of one causal or encoder-decoder model."
            ) from error
    if told["missing_keys"]:
        absent = sorted(told["missing_keys"])
        raise ResourceUnavailable(
            f"{folder} lacks {len(absent)} of its model's weights (first: {absent[0]}), and random ones would take "
            "their place. Give the folder of a whole language model."
        )
    if dtype == "int8":
        from dialeval.systems.huggingface.models import quantise

        quantise(model)
    return tokenizer, model.eval().to(device)


def _wrapped(model: Any, tokenizer: Any, ends: frozenset[int], *, seq2seq: bool) -> Any:
    from dialeval.systems.huggingface.models import Causal, Seq2Seq

    fill = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else min(ends)
    if not seq2seq:
        return Causal(model, ends, fill, tree_reach(model, fill))
    start = getattr(model.generation_config, "decoder_start_token_id", None)
    start = model.config.decoder_start_token_id if start is None else start
    # BART and its like begin every text with a token of their own, which no response is credited for.
    first = tokenizer("", add_special_tokens=True)["input_ids"][:1]
    lead = tuple(first) if first and first[0] not in ends else ()
    return Seq2Seq(model, ends, fill, (fill if start is None else start, *lead))


def _ends(tokenizer: Any, model: Any, form: Form, *, seq2seq: bool) -> tuple[int, frozenset[int]]:
    """The token that ends a response, and all tokens at which generation stops."""
    given = model.generation_config.eos_token_id
    given = model.config.get_text_config().eos_token_id if given is None else given
    listed = [given] if isinstance(given, int) else list(given or ())
    ends = frozenset(token for token in (*listed, tokenizer.eos_token_id) if token is not None)
    if not ends:
        raise ResourceUnavailable(
            f"{tokenizer.name_or_path} names no end-of-text token, so no response of it would end. Add 'eos_token' "
            "to its tokenizer_config.json."
        )
    line = line_end(tokenizer) if form == "plain" and not seq2seq else None
    end = turn_end(tokenizer, form, ends) if line is None else line
    return end, ends | {end}


def _window(config: Any, tokenizer: Any) -> int:
    text = config.get_text_config()
    known = [getattr(text, name, None) for name in ("max_position_embeddings", "n_positions", "max_seq_len")]
    sizes = [size for size in (*known, tokenizer.model_max_length) if isinstance(size, int) and size > 0]
    # Tokenizers that know no limit give an enormous one.
    return min(sizes, default=sys.maxsize)


def tree_reach(model: Any, fill: int) -> int:
    """The longest sequence that the model scores as part of a tree as it does alone; 0 if it does not at all.

    Some architectures tell positions by their order in the row, or remember what a mask hides: a small tree is tried.
    Some slide a window over the context, which a tree's mask does not do.
    """
    import torch

    from dialeval.systems.huggingface.models import Causal, Pair, accepts

    config = model.config.get_text_config()
    if not accepts(model, "position_ids"):
        return 0
    top = int(config.vocab_size)
    prefix = tuple(token % top for token in _PREFIX)
    pairs = [Pair(prefix, tuple(token % top for token in response)) for response in _RESPONSES]
    first_two = [Pair(prefix, pair.response[:2]) for pair in pairs[1:]]
    ours = Causal(model, frozenset(), fill, reach=sys.maxsize)
    try:
        with torch.inference_mode():
            shared = ours.score_tree(pairs, len(pairs)) + _by_steps(ours, first_two)
            alone = ours.score_rows([*pairs, *first_two], len(pairs) + len(first_two))
    # An architecture that cannot take the mask says so in its own way.
    except (RuntimeError, TypeError, ValueError, IndexError):
        return 0
    rounding = 1e-4 if model.dtype == torch.float32 else 0.25
    if any(abs(a - b) >= rounding for a, b in zip(shared, alone, strict=True)):
        return 0
    return int(getattr(config, "sliding_window", None) or sys.maxsize)


def _by_steps(model: Causal, pairs: Sequence[Pair]) -> list[float]:
    """Scores of responses of two tokens to one prefix, whose keys and values they share."""
    import torch

    logprobs, state = model.start([pairs[0].prefix])
    first, second = torch.tensor([pair.response for pair in pairs], device=logprobs.device).T
    after, _ = model.step(first, model.select(state, torch.zeros_like(first)))
    return [float(score) for score in logprobs[0, first] + after.gather(1, second[:, None])[:, 0]]


T = TypeVar("T")
R = TypeVar("R")


@dataclass(slots=True)
class Pace:
    """A number of responses at once that memory has been enough for so far."""

    size: int

    def over(self, items: Sequence[T], work: Callable[[Sequence[T], int], Sequence[R]]) -> Iterator[R]:
        """Yield what ``work`` makes of every item, in order.

        It is given the items that are left and how many it may take at once, and answers for as many of the first as it
        took, at least one.
        """
        done = 0
        while done < len(items):
            results = self.attempt(partial(work, items[done:]))
            yield from results
            done += len(results)

    def attempt(self, work: Callable[[int], T]) -> T:
        """Return what ``work`` gives for the largest size that memory is enough for; it is kept from then on."""
        while True:
            try:
                return work(self.size)
            except (RuntimeError, MemoryError) as error:
                if lack_of_memory(error) is None:
                    raise
            if self.size == 1:
                raise RunFailed(
                    "Memory ran out with one response at a time. Give 'max_context' fewer tokens, 'dtype' a smaller "
                    "type, or 'device' one with more memory."
                )
            self.size //= 2
            _free()
            logging.getLogger(__name__).warning("Out of memory; continuing with %d at once.", self.size)


def _free() -> None:
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
