"""SelF-Eval's model: an encoder and its head, of the paper, or of the authors' script."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from dialeval.encoder.segments import special_ids
from dialeval.selfeval.config import SelfEvalConfig
from dialeval.selfeval.heads import turn_spans
from dialeval.selfeval.reading import marked
from dialeval.training.finetuning import FinetunedEncoder, Finetuning


class SelfEvalModel(FinetunedEncoder):
    """Scores of dialogues: [first token ; mean of tokens] through a tanh layer, then a sigmoid (equation 1)."""

    def __init__(self, finetuning: Finetuning, config: SelfEvalConfig) -> None:
        super().__init__(finetuning, config.outputs, seed=config.schedule.seed)
        self.released = config.profile == "released"
        if self.released:
            size = int(self.encoder.config.hidden_size)  # type: ignore[union-attr, arg-type]
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(config.schedule.seed)
                self.head = _released_head(size)
            self.to(finetuning.device)

    def ids(self, dialogues: Sequence[Sequence[str]]) -> list[list[int]]:
        """Token ids of dialogues given as texts of turns."""
        return self.tokens([marked(turns) for turns in dialogues])

    def forward(self, tokens: Sequence[Sequence[int]]) -> Tensor:
        """Logits, shape (dialogues, outputs)."""
        return self._released_logits(tokens) if self.released else super().forward(tokens)

    def _released_logits(self, tokens: Sequence[Sequence[int]]) -> Tensor:
        """As the authors' script has it: a vector for each turn, then mean and maximum over all and the first token."""
        states, _ = self.states(tokens)
        end = special_ids(self.reader)[1]
        pooled = []
        for row, ids in enumerate(tokens):
            turns = [states[row, a:b] for a, b in turn_spans(ids, end)]
            vectors = torch.stack([torch.cat([turn.mean(0), turn.max(0).values]) for turn in turns])
            all_of_it = torch.cat([states[row, :1], nn.functional.elu(self.head["turn"](vectors))])
            pooled.append(torch.cat([all_of_it.mean(0), all_of_it.max(0).values]))
        hidden = nn.functional.elu(self.head["first"](torch.stack(pooled)))
        out: Tensor = self.head["last"](nn.functional.elu(self.head["second"](hidden)))
        return out


def _released_head(size: int) -> nn.ModuleDict:
    return nn.ModuleDict(
        {
            "turn": nn.Linear(2 * size, size),
            "first": nn.Linear(2 * size, size // 2),
            "second": nn.Linear(size // 2, size // 4),
            "last": nn.Linear(size // 4, 1),
        }
    )
