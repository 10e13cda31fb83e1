"""Statistical inference on arrays: intervals, tests, power, correlation, agreement.

The functions take arrays of numbers and do not depend on files, runs or measures.
"""

from __future__ import annotations

from gainful._lazy import load_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.inference.bootstrap import bca_interval as bca_interval
    from gainful.inference.bootstrap import percentile_interval as percentile_interval
    from gainful.inference.choice import chosen_best as chosen_best
    from gainful.inference.crossed import CrossedMean as CrossedMean
    from gainful.inference.crossed import ShardEffect as ShardEffect
    from gainful.inference.crossed import crossed_mean as crossed_mean
    from gainful.inference.crossed import shard_anova as shard_anova
    from gainful.inference.crossed import shard_differences as shard_differences
    from gainful.inference.design import Design as Design
    from gainful.inference.effects import RandomEffects as RandomEffects
    from gainful.inference.effects import dominance as dominance
    from gainful.inference.effects import hedges_g as hedges_g
    from gainful.inference.effects import hedges_g_interval as hedges_g_interval
    from gainful.inference.effects import random_effects as random_effects
    from gainful.inference.effects import sign_test as sign_test
    from gainful.inference.effects import wilcoxon_test as wilcoxon_test
    from gainful.inference.interval import gaffke_interval as gaffke_interval
    from gainful.inference.interval import geometric_interval as geometric_interval
    from gainful.inference.interval import interval_method as interval_method
    from gainful.inference.interval import mean_interval as mean_interval
    from gainful.inference.letters import equal_means_test as equal_means_test
    from gainful.inference.paired import paired_t as paired_t
    from gainful.inference.paired import tost as tost
    from gainful.inference.pairwise import benjamini_hochberg as benjamini_hochberg
    from gainful.inference.pairwise import holm as holm
    from gainful.inference.pairwise import joint_tukey as joint_tukey
    from gainful.inference.pairwise import max_t_pairs as max_t_pairs
    from gainful.inference.posterior import Posterior as Posterior
    from gainful.inference.posterior import RankPosterior as RankPosterior
    from gainful.inference.posterior import mean_posterior as mean_posterior
    from gainful.inference.posterior import rank_posterior as rank_posterior
    from gainful.inference.power import achieved_power as achieved_power
    from gainful.inference.power import detectable_difference as detectable_difference
    from gainful.inference.power import queries_needed as queries_needed
    from gainful.inference.prediction_powered import PredictedMean as PredictedMean
    from gainful.inference.prediction_powered import predicted_mean as predicted_mean
    from gainful.inference.proportions import always_valid_alpha as always_valid_alpha
    from gainful.inference.proportions import always_valid_bound as always_valid_bound
    from gainful.inference.proportions import binomial_interval as binomial_interval
    from gainful.inference.proportions import confidence_sequence as confidence_sequence
    from gainful.inference.proportions import ratio_interval as ratio_interval
    from gainful.inference.randomization import max_t as max_t
    from gainful.inference.randomization import randomization_bound as randomization_bound
    from gainful.inference.randomization import randomization_test as randomization_test
    from gainful.inference.randomization import randomized_tukey as randomized_tukey
    from gainful.inference.rank_correlation import correlation_interval as correlation_interval
    from gainful.inference.rank_correlation import kendall_tau as kendall_tau
    from gainful.inference.rank_correlation import rbo_ext as rbo_ext
    from gainful.inference.rank_correlation import tau_ap as tau_ap
    from gainful.inference.rank_correlation import tau_ap_b as tau_ap_b
    from gainful.inference.rater_model import DawidSkene as DawidSkene
    from gainful.inference.rater_model import dawid_skene as dawid_skene
    from gainful.inference.raters import alpha_interval as alpha_interval
    from gainful.inference.raters import kappa_interval as kappa_interval
    from gainful.inference.raters import krippendorff_alpha as krippendorff_alpha
    from gainful.inference.raters import weighted_kappa as weighted_kappa

load_on_use(
    globals(),
    {
        "proportions": [
            "always_valid_alpha",
            "always_valid_bound",
            "binomial_interval",
            "confidence_sequence",
            "ratio_interval",
        ],
        "bootstrap": ["bca_interval", "percentile_interval"],
        "choice": ["chosen_best"],
        "pairwise": ["benjamini_hochberg", "holm", "max_t_pairs", "joint_tukey"],
        "crossed": [
            "CrossedMean",
            "ShardEffect",
            "crossed_mean",
            "shard_anova",
            "shard_differences",
        ],
        "design": ["Design"],
        "effects": [
            "dominance",
            "hedges_g",
            "hedges_g_interval",
            "sign_test",
            "wilcoxon_test",
            "RandomEffects",
            "random_effects",
        ],
        "letters": ["equal_means_test"],
        "interval": ["gaffke_interval", "geometric_interval", "interval_method", "mean_interval"],
        "randomization": ["max_t", "randomized_tukey", "randomization_bound", "randomization_test"],
        "rank_correlation": [
            "correlation_interval",
            "rbo_ext",
            "kendall_tau",
            "tau_ap",
            "tau_ap_b",
        ],
        "paired": ["paired_t", "tost"],
        "posterior": ["Posterior", "mean_posterior", "RankPosterior", "rank_posterior"],
        "power": ["achieved_power", "detectable_difference", "queries_needed"],
        "prediction_powered": ["PredictedMean", "predicted_mean"],
        "rater_model": ["DawidSkene", "dawid_skene"],
        "raters": ["krippendorff_alpha", "weighted_kappa", "alpha_interval", "kappa_interval"],
    },
)
