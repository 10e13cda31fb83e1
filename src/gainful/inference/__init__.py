"""Statistical inference on arrays: intervals, tests, power, correlation, agreement.

The functions take arrays of numbers and do not depend on files, runs or measures.
"""

from __future__ import annotations

from gainful._lazy import load_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.inference.betting import confidence_sequence as confidence_sequence
    from gainful.inference.bootstrap import bca_interval as bca_interval
    from gainful.inference.bootstrap import percentile_interval as percentile_interval
    from gainful.inference.choice import chosen_best as chosen_best
    from gainful.inference.corrections import benjamini_hochberg as benjamini_hochberg
    from gainful.inference.corrections import holm as holm
    from gainful.inference.design import Design as Design
    from gainful.inference.effects import dominance as dominance
    from gainful.inference.effects import hedges_g as hedges_g
    from gainful.inference.effects import hedges_g_interval as hedges_g_interval
    from gainful.inference.equal_means import equal_means_test as equal_means_test
    from gainful.inference.interval import gaffke_interval as gaffke_interval
    from gainful.inference.interval import geometric_interval as geometric_interval
    from gainful.inference.interval import interval_method as interval_method
    from gainful.inference.interval import mean_interval as mean_interval
    from gainful.inference.many import max_t as max_t
    from gainful.inference.many import randomized_tukey as randomized_tukey
    from gainful.inference.meta_analysis import RandomEffects as RandomEffects
    from gainful.inference.meta_analysis import random_effects as random_effects
    from gainful.inference.order_intervals import correlation_interval as correlation_interval
    from gainful.inference.paired import paired_t as paired_t
    from gainful.inference.paired import tost as tost
    from gainful.inference.pairwise import max_t_pairs as max_t_pairs
    from gainful.inference.posterior import Posterior as Posterior
    from gainful.inference.posterior import mean_posterior as mean_posterior
    from gainful.inference.posterior_ranks import RankPosterior as RankPosterior
    from gainful.inference.posterior_ranks import rank_posterior as rank_posterior
    from gainful.inference.power import achieved_power as achieved_power
    from gainful.inference.power import detectable_difference as detectable_difference
    from gainful.inference.power import queries_needed as queries_needed
    from gainful.inference.prediction_powered import PredictedMean as PredictedMean
    from gainful.inference.prediction_powered import predicted_mean as predicted_mean
    from gainful.inference.proportion import binomial_interval as binomial_interval
    from gainful.inference.randomization import randomization_bound as randomization_bound
    from gainful.inference.randomization import randomization_test as randomization_test
    from gainful.inference.rank_biased_overlap import rbo_ext as rbo_ext
    from gainful.inference.rank_correlation import kendall_tau as kendall_tau
    from gainful.inference.rank_correlation import tau_ap as tau_ap
    from gainful.inference.rank_correlation import tau_ap_b as tau_ap_b
    from gainful.inference.rater_model import DawidSkene as DawidSkene
    from gainful.inference.rater_model import dawid_skene as dawid_skene
    from gainful.inference.raters import krippendorff_alpha as krippendorff_alpha
    from gainful.inference.raters import weighted_kappa as weighted_kappa
    from gainful.inference.raters_jackknife import alpha_interval as alpha_interval
    from gainful.inference.raters_jackknife import kappa_interval as kappa_interval
    from gainful.inference.ratio import ratio_interval as ratio_interval
    from gainful.inference.signed_ranks import sign_test as sign_test
    from gainful.inference.signed_ranks import wilcoxon_test as wilcoxon_test
    from gainful.inference.tukey_families import joint_tukey as joint_tukey

load_on_use(
    globals(),
    {
        "betting": ["confidence_sequence"],
        "bootstrap": ["bca_interval", "percentile_interval"],
        "choice": ["chosen_best"],
        "corrections": ["benjamini_hochberg", "holm"],
        "design": ["Design"],
        "effects": ["dominance", "hedges_g", "hedges_g_interval"],
        "equal_means": ["equal_means_test"],
        "interval": [
            "gaffke_interval",
            "geometric_interval",
            "interval_method",
            "mean_interval",
        ],
        "many": ["max_t", "randomized_tukey"],
        "meta_analysis": ["RandomEffects", "random_effects"],
        "order_intervals": ["correlation_interval"],
        "paired": ["paired_t", "tost"],
        "pairwise": ["max_t_pairs"],
        "posterior": ["Posterior", "mean_posterior"],
        "power": ["achieved_power", "detectable_difference", "queries_needed"],
        "prediction_powered": ["PredictedMean", "predicted_mean"],
        "proportion": ["binomial_interval"],
        "randomization": ["randomization_bound", "randomization_test"],
        "rank_biased_overlap": ["rbo_ext"],
        "rank_correlation": ["kendall_tau", "tau_ap", "tau_ap_b"],
        "posterior_ranks": ["RankPosterior", "rank_posterior"],
        "rater_model": ["DawidSkene", "dawid_skene"],
        "raters": ["krippendorff_alpha", "weighted_kappa"],
        "raters_jackknife": ["alpha_interval", "kappa_interval"],
        "ratio": ["ratio_interval"],
        "signed_ranks": ["sign_test", "wilcoxon_test"],
        "tukey_families": ["joint_tukey"],
    },
)
