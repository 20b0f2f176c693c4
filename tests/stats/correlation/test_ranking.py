import numpy as np
import scipy.stats
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from dialeval.stats.correlation.ranking import levels_within, midranks, order_within

stacks = hnp.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 12)), elements=st.integers(-3, 3))


@given(stacks)
def test_midranks_of_stacks_equal_scipys(values):
    np.testing.assert_array_equal(midranks(values), scipy.stats.rankdata(values, axis=-1))


def test_no_values_have_no_ranks():
    assert midranks(np.empty((3, 0))).shape == (3, 0)


def test_order_within_groups_tells_where_ties_begin_and_end():
    values, group = np.array([2.0, 1.0, 2.0, 9.0, 0.0]), np.array([0, 0, 0, 1, 1])
    ordered = order_within(values, group)
    assert ordered.order.tolist() == [1, 0, 2, 4, 3]
    assert ordered.first.tolist() == [1, 0, 1, 4, 3]
    assert ordered.last.tolist() == [3, 1, 3, 5, 4]
    assert ordered.fresh.tolist() == [True, True, False, True, True]


def test_equal_values_of_two_groups_do_not_tie():
    ordered = order_within(np.array([1.0, 1.0]), np.array([0, 1]))
    assert ordered.fresh.all()


def test_a_second_key_orders_ties_further():
    values, group = np.zeros(3), np.zeros(3, np.int64)
    ordered = order_within(values, group, np.array([3.0, 1.0, 1.0]))
    assert ordered.order.tolist() == [1, 2, 0]
    assert ordered.fresh.tolist() == [True, False, True]


def test_levels_number_the_distinct_values_of_each_group():
    values, group = np.array([2.0, -1.0, 2.0, 9.0, 0.0, 9.0]), np.array([0, 0, 0, 1, 1, 2])
    assert levels_within(values, group).tolist() == [2, 1, 2, 2, 1, 1]
