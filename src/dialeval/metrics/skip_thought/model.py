"""The Skip-Thought network (Kiros et al., 2015, section 2.1): GRUs that encode a sentence and decode its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

from dialeval.metrics.skip_thought.config import TrainConfig
from dialeval.metrics.skip_thought.data import END


class Batch(NamedTuple):
    """Sentences as word numbers, each list as long as the batch; a missing neighbour is empty."""

    here: list[list[int]]
    before: list[list[int]]
    after: list[list[int]]


class Loss(NamedTuple):
    """Negative log-probability of all neighbours' words, in nats, and how many words that are."""

    nats: Tensor
    words: int


class SkipThought(nn.Module):
    """One encoder and its two decoders; all share the word vectors, and the decoders the output words."""

    def __init__(self, part: Literal["uni", "bi"], vocabulary: int, config: TrainConfig) -> None:
        super().__init__()
        ways = 2 if part == "bi" else 1
        size = config.sentence_size
        self.words = nn.Embedding(vocabulary, config.word_size)
        self.encoder = nn.GRU(config.word_size, size // ways, batch_first=True, bidirectional=ways == 2)
        # A GRU whose input is the word beside the sentence has just the terms C h_i of equations 5 to 7.
        self.before = nn.GRU(config.word_size + size, size, batch_first=True)
        self.after = nn.GRU(config.word_size + size, size, batch_first=True)
        self.output = nn.Linear(size, vocabulary)

    def initialise(self, seed: int) -> None:
        """Weights as the paper draws them: orthogonal where recurrent, else uniform in [-0.1, 0.1]; biases 0."""
        draw = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for name, weight in self.named_parameters():
                if weight.dim() == 1:
                    weight.zero_()
                elif "weight_hh" in name:
                    for gate in weight.chunk(3):
                        nn.init.orthogonal_(gate, generator=draw)
                else:
                    weight.uniform_(-0.1, 0.1, generator=draw)

    def loss(self, batch: Batch) -> Loss:
        """Negative log-probability of the neighbours, given the sentences."""
        sentences = run_encoder(self.encoder, [self.words(torch.tensor(ids)) for ids in batch.here])
        states, targets = [], []
        for decoder, neighbours in ((self.before, batch.before), (self.after, batch.after)):
            some = [row for row, ids in enumerate(neighbours) if ids]
            if some:
                wanted = [torch.tensor([*neighbours[row], END]) for row in some]
                states.append(self._decode(decoder, sentences[some], wanted))
                targets += wanted
        target = torch.cat(targets)
        nats = nn.functional.cross_entropy(self.output(torch.cat(states)), target, reduction="sum")
        return Loss(nats, len(target))

    def _decode(self, decoder: nn.GRU, sentences: Tensor, wanted: Sequence[Tensor]) -> Tensor:
        """The decoder's state before each wanted word, the texts one after the other."""
        lengths = [len(ids) for ids in wanted]
        words = self.words(pad_sequence(list(wanted), batch_first=True)[:, :-1])
        # Nothing stands before the first word.
        words = nn.functional.pad(words, (0, 0, 1, 0))
        beside = sentences.unsqueeze(1).expand(-1, words.shape[1], -1)
        states, _ = decoder(torch.cat([words, beside], dim=2))
        return torch.cat([steps[:length] for steps, length in zip(states, lengths, strict=True)])


def make_encoders(config: TrainConfig, vocabulary: int) -> dict[str, SkipThought]:
    """The encoders that the config asks for, their weights not yet drawn."""
    return {part: SkipThought(part, vocabulary, config) for part in config.parts}


def run_encoder(gru: nn.GRU, sentences: Sequence[Tensor]) -> Tensor:
    """Each sentence's last state, the backward reading's after the forward's; sentences are (words, size)."""
    lengths = torch.tensor([len(words) for words in sentences])
    packed = pack_padded_sequence(
        pad_sequence(list(sentences), batch_first=True), lengths, batch_first=True, enforce_sorted=False
    )
    _, last = gru(packed)
    return torch.cat(list(last), dim=1)
