//! Recodes the cells of a table: ids by patterns, and labels to grades.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float64Array, LargeBinaryArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema};

use super::batch::Fault;
use super::{Ids, Numbers, Piece};
use crate::error::{Error, Kind, Result};
use crate::formats::{Recoding, labels_hint};
use crate::read::trec::Table;

/// Whether a column has text.
pub(super) fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

impl Piece {
    /// The rows with recoded ids, and with the grades of their labels. The error of a row comes with its
    /// number.
    pub fn recoded(self, recoding: &Recoding) -> std::result::Result<Self, Fault> {
        let columns = &self.columns;
        let kind =
            |column: usize| self.batch.schema_ref().fields().get(column).map(|field| field.data_type());
        let labels = columns.values.filter(|&column| {
            columns.table == Table::Qrels && (recoding.has_labels() || kind(column).is_some_and(is_text))
        });
        if recoding.is_none() && labels.is_none() {
            return Ok(self);
        }
        let mut arrays = self.batch.columns().to_vec();
        let ids = [
            recoding.has_queries().then_some(columns.queries),
            recoding.has_documents().then_some(columns.documents),
        ];
        for (number, column) in ids.into_iter().enumerate() {
            if let Some(array) = column.and_then(|column| arrays.get_mut(column)) {
                let recode: Id = if number == 0 { Recoding::query } else { Recoding::document };
                *array = recoded_ids(&**array, recoding, recode)?;
            }
        }
        if let Some(array) = labels.and_then(|column| arrays.get_mut(column)) {
            let name = labels.map_or("", |column| columns.name(column));
            let labels = array.clone();
            *array = grades(&**array, recoding).map_err(|(row, error)| {
                let texts = Ids::of(&labels).filter(|_| error.hint.is_empty());
                let texts = texts.map(|ids| {
                    (row..labels.len()).map(|row| ids.get(row, &mut [0; 20]).to_vec()).collect::<Vec<_>>()
                });
                let hint =
                    texts.map_or(String::new(), |texts| labels_hint(name, texts.iter().map(Vec::as_slice)));
                (row, if hint.is_empty() { error } else { error.hint(hint) })
            })?;
        }
        let named = self.batch.schema_ref().fields().iter().zip(&arrays);
        let fields: Vec<Field> =
            named.map(|(field, array)| Field::new(field.name(), array.data_type().clone(), true)).collect();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
            .map_err(|error| (0, Error::statement(Kind::Source, error.to_string())))?;
        Ok(Self { batch, ..self })
    }
}

type Id = for<'a> fn(&Recoding, &'a [u8]) -> Result<&'a [u8]>;

fn recoded_ids(array: &dyn Array, recoding: &Recoding, recode: Id) -> std::result::Result<ArrayRef, Fault> {
    let Some(ids) = Ids::of(array) else { return Ok(arrow_array::make_array(array.to_data())) };
    let nulls = array.logical_nulls();
    let mut builder = arrow_array::builder::LargeBinaryBuilder::new();
    for row in 0..array.len() {
        if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            builder.append_null();
        } else {
            let digits = &mut [0; 20];
            builder.append_value(recode(recoding, ids.get(row, digits)).map_err(|error| (row, error))?);
        }
    }
    let array: LargeBinaryArray = builder.finish();
    Ok(Arc::new(array))
}

/// The grades of a column of labels or numbers.
fn grades(array: &dyn Array, recoding: &Recoding) -> std::result::Result<ArrayRef, Fault> {
    let nulls = array.logical_nulls();
    let (texts, numbers) = (Ids::of(array).filter(|_| is_text(array.data_type())), Numbers::of(array));
    let grade = |row: usize| match (&texts, &numbers) {
        (Some(texts), _) => recoding.text(texts.get(row, &mut [0; 20]), Table::Qrels),
        (_, Some(Numbers::Booleans(values))) => recoding.truth(values.value(row), Table::Qrels),
        (_, Some(Numbers::Integers(values))) => recoding.whole(values.get(row), Table::Qrels),
        (_, Some(values)) => {
            let mut value = [f64::NAN];
            values.fill(row..row + 1, false, &mut value);
            let [value] = value;
            // The check of the numbers reports it.
            if value.is_nan() { Ok(value) } else { recoding.float(value, Table::Qrels) }
        }
        (None, None) => Ok(f64::NAN),
    };
    let grade = |row: usize| match nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
        true => Ok(None),
        false => grade(row).map(Some).map_err(|error| (row, error)),
    };
    let grades = (0..array.len()).map(grade).collect::<std::result::Result<Vec<_>, Fault>>()?;
    Ok(Arc::new(Float64Array::from(grades)))
}
