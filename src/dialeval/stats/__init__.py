"""Resampling, correlation, agreement and tests over rows of numbers; nothing here knows of dialogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dialeval.lazy import lazily

if TYPE_CHECKING:
    from dialeval.stats.agreement.alpha import krippendorff_alpha
    from dialeval.stats.agreement.coefficients import AGREEMENTS
    from dialeval.stats.agreement.icc import icc, icc_limits
    from dialeval.stats.agreement.kappa import (
        cohen_kappa,
        counts_of,
        fleiss_kappa,
        mean_cohen_kappa,
        pairwise_cohen,
        percent_agreement,
    )
    from dialeval.stats.agreement.limits import AgreementLimits, agreement_limits
    from dialeval.stats.correlation.bootstrap import (
        bootstrap_correlation,
        bootstrap_level,
    )
    from dialeval.stats.correlation.coefficients import COEFFICIENTS, correlations, kendall, pearson, spearman
    from dialeval.stats.correlation.dependent import perm_both, williams
    from dialeval.stats.correlation.grouped import grouped_correlation
    from dialeval.stats.correlation.identity import IdentityCorrelation, identity_correlation
    from dialeval.stats.correlation.instability import five_numbers, over_scores
    from dialeval.stats.correlation.levels import LEVELS, Level, level_correlation
    from dialeval.stats.correlation.pairwise import (
        acc_eq,
        calibrate_ties,
        pairwise_accuracy,
        soft_pairwise_accuracy,
    )
    from dialeval.stats.correlation.true_means import TrueCorrelation, true_correlation
    from dialeval.stats.estimate import Coefficient, Estimate
    from dialeval.stats.ranks import Jackknifed, Measured, Ranks, RankTable, rank_jackknifed, rank_systems
    from dialeval.stats.resampling.bootstrap import Aggregate, Bounds, bootstrap, percentile_interval
    from dialeval.stats.resampling.clusters import DesignEffect, design_effect, intraclass, repeated
    from dialeval.stats.resampling.intervals import (
        Absence,
        Spread,
        UnitInterval,
        difference_interval,
        interval_of,
        spread_of,
        spread_of_difference,
        spread_of_identical,
        spread_without,
    )
    from dialeval.stats.resampling.jackknife import (
        jackknife_error,
        jackknife_interval,
        jackknife_p,
        leave_out,
        skewed_t_interval,
    )
    from dialeval.stats.resampling.prediction_powered import (
        PartlyRated,
        PPIEstimate,
        ppi_difference,
        ppi_mean,
    )
    from dialeval.stats.resampling.proportions import (
        clopper_pearson,
        clustered_proportion,
        paired_proportions,
    )
    from dialeval.stats.resampling.two_way import two_way_interval
    from dialeval.stats.strengths import BradleyTerry, Preferences, bradley_terry
    from dialeval.stats.tests.contingency import fisher_exact
    from dialeval.stats.tests.effects import Wins, d_z, wins_of
    from dialeval.stats.tests.equivalence import Verdict, equivalence_p, verdict
    from dialeval.stats.tests.looks import Looks, combined_p, looks
    from dialeval.stats.tests.multiple import Adjusted, Family, adjust_families, benjamini_hochberg, holm
    from dialeval.stats.tests.paired import (
        Sums,
        bootstrap_differences,
        bootstrap_p,
        difference_of,
        mcnemar,
        paired_bootstrap,
        permutation_p,
        permutation_test,
    )
    from dialeval.stats.tests.power import (
        ItemsNeeded,
        PilotPlan,
        items_needed,
        plan_from_pilot,
        required_items,
    )
    from dialeval.stats.tests.t_tests import TTest, student_t, welch_t
else:
    __getattr__ = lazily(__name__, __file__)

__all__ = [
    "AGREEMENTS",
    "COEFFICIENTS",
    "LEVELS",
    "Absence",
    "Adjusted",
    "Aggregate",
    "AgreementLimits",
    "Bounds",
    "BradleyTerry",
    "Coefficient",
    "DesignEffect",
    "Estimate",
    "Family",
    "IdentityCorrelation",
    "ItemsNeeded",
    "Jackknifed",
    "Level",
    "Looks",
    "Measured",
    "PPIEstimate",
    "PartlyRated",
    "PilotPlan",
    "Preferences",
    "RankTable",
    "Ranks",
    "Spread",
    "Sums",
    "TTest",
    "TrueCorrelation",
    "UnitInterval",
    "Verdict",
    "Wins",
    "acc_eq",
    "adjust_families",
    "agreement_limits",
    "benjamini_hochberg",
    "bootstrap",
    "bootstrap_correlation",
    "bootstrap_differences",
    "bootstrap_level",
    "bootstrap_p",
    "bradley_terry",
    "calibrate_ties",
    "clopper_pearson",
    "clustered_proportion",
    "cohen_kappa",
    "combined_p",
    "correlations",
    "counts_of",
    "d_z",
    "design_effect",
    "difference_interval",
    "difference_of",
    "equivalence_p",
    "fisher_exact",
    "five_numbers",
    "fleiss_kappa",
    "grouped_correlation",
    "holm",
    "icc",
    "icc_limits",
    "identity_correlation",
    "interval_of",
    "intraclass",
    "items_needed",
    "jackknife_error",
    "jackknife_interval",
    "jackknife_p",
    "kendall",
    "krippendorff_alpha",
    "leave_out",
    "level_correlation",
    "looks",
    "mcnemar",
    "mean_cohen_kappa",
    "over_scores",
    "paired_bootstrap",
    "paired_proportions",
    "pairwise_accuracy",
    "pairwise_cohen",
    "pearson",
    "percent_agreement",
    "percentile_interval",
    "perm_both",
    "permutation_p",
    "permutation_test",
    "plan_from_pilot",
    "ppi_difference",
    "ppi_mean",
    "rank_jackknifed",
    "rank_systems",
    "repeated",
    "required_items",
    "skewed_t_interval",
    "soft_pairwise_accuracy",
    "spearman",
    "spread_of",
    "spread_of_difference",
    "spread_of_identical",
    "spread_without",
    "student_t",
    "true_correlation",
    "two_way_interval",
    "verdict",
    "welch_t",
    "williams",
    "wins_of",
]
