//! Python bindings of the kernel. They only convert arguments, results and errors.

mod arguments;
mod arrow;
mod columnar;
mod columns;
mod decompressed;
mod distributions;
mod entries;
mod errors;
mod evaluate;
mod evaluator;
mod explain;
mod files;
mod formulas;
mod id_texts;
mod ids;
mod lines;
mod listing;
mod mapping;
mod names;
mod pace;
mod query_rows;
mod rankings;
mod recommendations;
mod reconcile;
mod remote;
mod resample;
mod resample_pairs;
mod row_rules;
mod rows;
mod unjudged;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _kernel {
    #[pymodule_init]
    fn init(_module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        if crate::pace::ALLOCATOR.renew() {
            Ok(())
        } else {
            Err(pyo3::exceptions::PyMemoryError::new_err(()))
        }
    }

    #[pymodule_export]
    use crate::arguments::{Needs, needs};
    #[pymodule_export]
    use crate::arrow::{arrow_stream, parquet_bytes, rows_stream};
    #[pymodule_export]
    use crate::columnar::{Columnar, column_names, columns_of_files, columns_of_stream};
    #[pymodule_export]
    use crate::columns::{are_columns, are_ids, find_columns};
    #[pymodule_export]
    use crate::decompressed::{Decompressed, check_size};
    #[pymodule_export]
    use crate::distributions::{gamma_quantile, lower_gamma};
    #[pymodule_export]
    use crate::evaluate::{Evaluated, Figures, evaluate, evaluated};
    #[pymodule_export]
    use crate::evaluator::Evaluator;
    #[pymodule_export]
    use crate::explain::{explain_list, explain_query};
    #[pymodule_export]
    use crate::files::{FormatInfo, IdMap, detect, read, read_bytes, read_judged, row_formats, write};
    #[pymodule_export]
    use crate::formulas::{formula, plain};
    #[pymodule_export]
    use crate::lines::{TopicLines, fixed};
    #[pymodule_export]
    use crate::listing::Listing;
    #[pymodule_export]
    use crate::mapping::{
        has_lists, questions, rows_from_columns, rows_from_mapping, rows_from_objects, rows_from_records,
    };
    #[pymodule_export]
    use crate::names::{names_of, names_with, plain_name};
    #[pymodule_export]
    use crate::query_rows::{RowTexts, evaluated_rows, query_rows, row_texts};
    #[pymodule_export]
    use crate::rankings::Rankings;
    #[pymodule_export]
    use crate::recommendations::{BlockEvaluator, rows_from_sparse};
    #[pymodule_export]
    use crate::reconcile::{reconcile_search, reconcile_survey};
    #[pymodule_export]
    use crate::remote::Remote;
    #[pymodule_export]
    use crate::resample::{bootstrap_means, flip_sums, permutation_ranges};
    #[pymodule_export]
    use crate::resample_pairs::{
        count_far_pairs, count_pairs_outside, order_statistics_of_pairs, step_down_pairs,
    };
    #[pymodule_export]
    use crate::row_rules::RowRules;
    #[pymodule_export]
    use crate::rows::{DiskRows, Rows, rows_from_state};
    #[pymodule_export]
    use crate::unjudged::{label_effects, sample_labels, unjudged_documents};
}
