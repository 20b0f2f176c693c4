"""Resampling, correlation, agreement and tests over rows of numbers; nothing here knows of dialogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dialeval.lazy import lazily

if TYPE_CHECKING:
    from dialeval.stats.agreement.coefficients import (
        AGREEMENTS as AGREEMENTS,
        agreement_limits as agreement_limits,
    )
    from dialeval.stats.correlation.bootstrap import (
        bootstrap_level as bootstrap_level,
        five_numbers as five_numbers,
        over_scores as over_scores,
    )
    from dialeval.stats.correlation.coefficients import correlations as correlations
    from dialeval.stats.correlation.jackknife import true_correlation as true_correlation
    from dialeval.stats.correlation.levels import identity_correlation as identity_correlation
    from dialeval.stats.correlation.pairwise import (
        acc_eq as acc_eq,
        calibrate_ties as calibrate_ties,
        pairwise_accuracy as pairwise_accuracy,
        soft_pairwise_accuracy as soft_pairwise_accuracy,
    )
    from dialeval.stats.estimate import Estimate as Estimate, Statistic as Statistic
    from dialeval.stats.ranks import (
        Jackknifed as Jackknifed,
        Measured as Measured,
        Ranks as Ranks,
        RankTable as RankTable,
        rank_jackknifed as rank_jackknifed,
        rank_systems as rank_systems,
    )
    from dialeval.stats.resampling.bootstrap import (
        bootstrap as bootstrap,
        percentile_interval as percentile_interval,
    )
    from dialeval.stats.resampling.clusters import design_effect as design_effect
    from dialeval.stats.resampling.intervals import (
        ABSENCES as ABSENCES,
        Absence as Absence,
        Spread as Spread,
        spread_of as spread_of,
        spread_of_difference as spread_of_difference,
        spread_of_identical as spread_of_identical,
        spread_without as spread_without,
    )
    from dialeval.stats.resampling.jackknife import (
        jackknife_error as jackknife_error,
        jackknife_interval as jackknife_interval,
        jackknife_p as jackknife_p,
        leave_out as leave_out,
        skewed_t_interval as skewed_t_interval,
        two_way_interval as two_way_interval,
    )
    from dialeval.stats.resampling.proportions import (
        clopper_pearson as clopper_pearson,
        proportion as proportion,
    )
    from dialeval.stats.strengths import Preferences as Preferences, bradley_terry as bradley_terry
    from dialeval.stats.tests.equivalence import equivalence_p as equivalence_p
    from dialeval.stats.tests.multiple import (
        AdjustedFamily as AdjustedFamily,
        adjust_families as adjust_families,
        combined_p as combined_p,
        holm as holm,
        looks as looks,
    )
    from dialeval.stats.tests.paired import (
        Sums as Sums,
        bootstrap_differences as bootstrap_differences,
        bootstrap_p as bootstrap_p,
        difference_of as difference_of,
        mcnemar as mcnemar,
        permutation_p as permutation_p,
    )
    from dialeval.stats.tests.power import (
        d_z as d_z,
        items_needed as items_needed,
        required_items as required_items,
        wins_of as wins_of,
    )
else:
    __getattr__ = lazily(__name__, __file__)
