from __future__ import annotations

from hypothesis import given, strategies as st

from dialeval.systems.huggingface.causal import Tree

PATHS = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=6), min_size=1, max_size=8)


def test_a_shared_beginning_is_there_once():
    tree = Tree()
    assert tree.add([7, 8, 9]) == [0, 1, 2]
    assert tree.shared([7, 8, 5]) == 2
    assert tree.add([7, 8, 5]) == [0, 1, 3]
    assert (tree.tokens, tree.depths, tree.parents) == ([7, 8, 9, 5], [0, 1, 2, 2], [-1, 0, 1, 1])
    assert tree.ancestors().tolist() == [
        [True, False, False, False],
        [True, True, False, False],
        [True, True, True, False],
        [True, True, False, True],
    ]


@given(paths=PATHS)
def test_every_path_sees_itself_and_nothing_else(paths):
    tree = Tree()
    places = [tree.add(path) for path in paths]
    seen = tree.ancestors()
    for path, nodes in zip(paths, places, strict=True):
        assert [tree.tokens[node] for node in nodes] == path
        assert [tree.depths[node] for node in nodes] == list(range(len(path)))
        for at, node in enumerate(nodes):
            assert sorted(seen[node].nonzero()[0].tolist()) == sorted(nodes[: at + 1])
        assert tree.shared(path) == len(path)


@given(paths=PATHS)
def test_there_are_as_many_nodes_as_different_beginnings(paths):
    tree = Tree()
    for path in paths:
        tree.add(path)
    assert len(tree) == len({tuple(path[: end + 1]) for path in paths for end in range(len(path))})
