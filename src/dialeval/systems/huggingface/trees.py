"""Token sequences merged where they begin alike, so that a model reads every shared beginning once.

A tree is one row of tokens with the depth of each and a mask by which a token sees its ancestors alone. A causal model
that takes positions and a mask then gives every token the state that it would have in a row of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(slots=True)
class Tree:
    """Nodes in an order in which ancestors come first."""

    tokens: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    _children: dict[tuple[int, int], int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.tokens)

    def shared(self, path: Sequence[int]) -> int:
        """How many tokens of ``path``, from its beginning, are in the tree."""
        node = -1
        for depth, token in enumerate(path):
            below = self._children.get((node, token))
            if below is None:
                return depth
            node = below
        return len(path)

    def add(self, path: Sequence[int]) -> list[int]:
        """The nodes of ``path``, new ones added."""
        nodes: list[int] = []
        node = -1
        for depth, token in enumerate(path):
            below = self._children.get((node, token))
            if below is None:
                below = self._children[node, token] = len(self.tokens)
                self.tokens.append(token)
                self.depths.append(depth)
                self.parents.append(node)
            nodes.append(node := below)
        return nodes

    def ancestors(self) -> NDArray[np.bool_]:
        """Whether each node (row) sees each other (column): itself and what lies above it, shape (nodes, nodes)."""
        seen = np.zeros((len(self), len(self)), dtype=np.bool_)
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                seen[node] = seen[parent]
            seen[node, node] = True
        return seen
