//! The gamma distribution with scale 1, of which chi-square is a multiple. The results are those of Cephes,
//! bit for bit also those of SciPy.

use spec_math::cephes64::{igam, igamci};

/// Returns P(X <= x), NaN where the shape is not positive or x is negative.
pub fn lower_gamma(shape: f64, x: f64) -> f64 {
    igam(shape, x)
}

/// Returns the x with P(X > x) = `upper`, NaN where the shape is not positive.
pub fn gamma_quantile(shape: f64, upper: f64) -> f64 {
    igamci(shape, upper)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exponential_distribution() {
        for x in [1e-9, 0.3, 1.0, 5.0, 600.0] {
            let expected = -f64::exp_m1(-x);
            assert!((lower_gamma(1.0, x) - expected).abs() <= 1e-15 * expected);
        }
        assert!((gamma_quantile(1.0, 0.05) + f64::ln(0.05)).abs() < 1e-14);
    }

    #[test]
    fn the_quantile_inverts_the_distribution() {
        for shape in [0.5, 2.0, 17.5, 5000.0] {
            for upper in [0.001, 0.2, 0.95] {
                assert!((lower_gamma(shape, gamma_quantile(shape, upper)) + upper - 1.0).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn arguments_out_of_range() {
        assert!(lower_gamma(-1.0, 1.0).is_nan());
        assert!(lower_gamma(1.0, -1.0).is_nan());
    }
}
