"""Inference on plain numbers and arrays: how sure a mean is, whether two differ, how orders agree.

Nothing here knows of files, runs or measures.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gainful.inference.bootstrap import bca_interval, percentile_interval
    from gainful.inference.choice import chosen_best
    from gainful.inference.corrections import benjamini_hochberg, holm
    from gainful.inference.design import Design
    from gainful.inference.effects import dominance, hedges_g
    from gainful.inference.interval import geometric_interval, mean_interval
    from gainful.inference.many import max_t, randomised_tukey
    from gainful.inference.paired import paired_t, tost
    from gainful.inference.pairwise import max_t_pairs
    from gainful.inference.power import achieved_power, detectable_difference, queries_needed
    from gainful.inference.proportion import binomial_interval
    from gainful.inference.randomisation import randomisation_bound, randomisation_test
    from gainful.inference.rank_biased_overlap import rbo_ext
    from gainful.inference.rank_correlation import kendall_tau, tau_ap, tau_ap_b
    from gainful.inference.raters import krippendorff_alpha, weighted_kappa
    from gainful.inference.raters_bootstrap import alpha_interval, kappa_interval
    from gainful.inference.ratio import ratio_interval
    from gainful.inference.signed_ranks import sign_test, wilcoxon_test
    from gainful.inference.tukey_families import joint_tukey

# Each name with the module that it is loaded from when first used: an evaluation of one query needs
# no interval, and none of them NumPy.
_PLACES = {
    "Design": "design",
    "achieved_power": "power",
    "max_t_pairs": "pairwise",
    "alpha_interval": "raters_bootstrap",
    "bca_interval": "bootstrap",
    "benjamini_hochberg": "corrections",
    "binomial_interval": "proportion",
    "chosen_best": "choice",
    "detectable_difference": "power",
    "dominance": "effects",
    "geometric_interval": "interval",
    "hedges_g": "effects",
    "holm": "corrections",
    "joint_tukey": "tukey_families",
    "kappa_interval": "raters_bootstrap",
    "kendall_tau": "rank_correlation",
    "krippendorff_alpha": "raters",
    "max_t": "many",
    "mean_interval": "interval",
    "paired_t": "paired",
    "percentile_interval": "bootstrap",
    "queries_needed": "power",
    "randomisation_bound": "randomisation",
    "randomisation_test": "randomisation",
    "randomised_tukey": "many",
    "ratio_interval": "ratio",
    "rbo_ext": "rank_biased_overlap",
    "sign_test": "signed_ranks",
    "tau_ap": "rank_correlation",
    "tau_ap_b": "rank_correlation",
    "tost": "paired",
    "weighted_kappa": "raters",
    "wilcoxon_test": "signed_ranks",
}

__all__ = [
    "Design",
    "achieved_power",
    "alpha_interval",
    "bca_interval",
    "benjamini_hochberg",
    "binomial_interval",
    "chosen_best",
    "detectable_difference",
    "dominance",
    "geometric_interval",
    "hedges_g",
    "holm",
    "joint_tukey",
    "kappa_interval",
    "kendall_tau",
    "krippendorff_alpha",
    "max_t",
    "max_t_pairs",
    "mean_interval",
    "paired_t",
    "percentile_interval",
    "queries_needed",
    "randomisation_bound",
    "randomisation_test",
    "randomised_tukey",
    "ratio_interval",
    "rbo_ext",
    "sign_test",
    "tau_ap",
    "tau_ap_b",
    "tost",
    "weighted_kappa",
    "wilcoxon_test",
]


# Hidden from type checkers, which would else believe in every name.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        place = _PLACES.get(name)
        if place is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"gainful.inference.{place}"), name)
