//! Recodes the cells of a table: ids by patterns, places as ids, and labels to grades.

use std::sync::Arc;

use arrow_array::builder::LargeBinaryBuilder;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::{Field, Schema};

use super::batch::RowError;
use super::ids::{Integers, is_text};
use super::roles::PlaceColumns;
use super::{IdColumn, NumberColumn, Piece};
use crate::error::{Error, Kind, Result};
use crate::formats::{Cells, Composer, Recoding, labels_hint};
use crate::read::trec::TableKind;
use crate::spans::{bad_weight, is_weight, write_label};

impl Piece {
    /// The rows with recoded ids, and with the grades of their labels. The error of a row comes with its
    /// number.
    pub fn recoded(self, recoding: &Recoding) -> std::result::Result<Self, RowError> {
        let columns = &self.columns;
        let kind =
            |column: usize| self.batch.schema_ref().fields().get(column).map(|field| field.data_type());
        let labels = columns.values.filter(|&column| {
            columns.table == TableKind::Qrels && (recoding.has_labels() || kind(column).is_some_and(is_text))
        });
        if recoding.is_none() && labels.is_none() {
            return self.composed();
        }
        let mut arrays = self.batch.columns().to_vec();
        let ids = [
            recoding.has_queries().then_some(columns.queries),
            recoding.has_documents().then_some(columns.documents),
        ];
        for (number, column) in ids.into_iter().enumerate() {
            if let Some(array) = column.and_then(|column| arrays.get_mut(column)) {
                let recode: RecodeId = if number == 0 { Recoding::query } else { Recoding::document };
                *array = recoded_ids(&**array, recoding, recode)?;
            }
        }
        if let Some(array) = labels.and_then(|column| arrays.get_mut(column)) {
            let name = labels.map_or("", |column| columns.name(column));
            let labels = array.clone();
            *array = grades(&**array, recoding).map_err(|(row, error)| {
                let texts = IdColumn::of(&labels).filter(|_| error.hint.is_empty());
                let texts = texts.map(|ids| {
                    (row..labels.len()).map(|row| ids.get(row, &mut [0; 20]).to_vec()).collect::<Vec<_>>()
                });
                let hint =
                    texts.map_or(String::new(), |texts| labels_hint(name, texts.iter().map(Vec::as_slice)));
                (row, if hint.is_empty() { error } else { error.hint(hint) })
            })?;
        }
        let batch = with_arrays(&self.batch, arrays)?;
        Self { batch, ..self }.composed()
    }

    /// The rows with the ids of their places, and with labels that have their weights.
    pub fn composed(self) -> std::result::Result<Self, RowError> {
        let columns = &self.columns;
        if columns.places.is_none() && columns.weights.is_none() || self.empty {
            return Ok(self);
        }
        let mut arrays = self.batch.columns().to_vec();
        let array = |column: usize| self.batch.columns().get(column).map(|array| &**array);
        if let Some(places) = &columns.places
            && let Some(documents) = array(columns.documents)
            && let (Some(starts), Some(ends)) = (array(places.start), array(places.end))
        {
            let PlaceColumns { composer, tokens, .. } = places;
            let names = composer.offsets();
            let starts = OffsetColumns::of(starts, composer, &names.start);
            let ends = OffsetColumns::of(ends, composer, &names.end);
            let name = names.tokens.as_deref().unwrap_or_default();
            let tokens = tokens.and_then(array).map(|array| OffsetColumns::of(array, composer, name));
            let cells = |row: usize| -> Result<Cells> {
                let tokens = tokens.as_ref().map_or(Ok(None), |tokens| tokens.get(row))?;
                Ok(Cells { start: starts.get(row)?, end: ends.get(row)?, tokens })
            };
            let compose = |id: &[u8], row: usize, into: &mut Vec<u8>| composer.compose(id, cells(row)?, into);
            if let Some(ids) = composed_ids(documents, compose)?
                && let Some(array) = arrays.get_mut(columns.documents)
            {
                *array = ids;
            }
        }
        if let (Some(labels), Some(weights)) = (columns.labels, columns.weights)
            && let (Some(own), Some(weights)) = (array(labels), array(weights))
            && let Some(numbers) = NumberColumn::of(weights)
        {
            let nulls = weights.logical_nulls();
            let compose = |label: &[u8], row: usize, into: &mut Vec<u8>| {
                let mut weight = [1.0];
                if nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)) {
                    numbers.fill(row..row + 1, false, &mut weight);
                }
                let [weight] = weight;
                if !is_weight(weight) {
                    return Err(bad_weight(&weight.to_string()));
                }
                write_label(label, weight, into);
                Ok(())
            };
            if let Some(ids) = composed_ids(own, compose)?
                && let Some(array) = arrays.get_mut(labels)
            {
                *array = ids;
            }
        }
        let columns = Arc::new(columns.composed());
        Ok(Self { batch: with_arrays(&self.batch, arrays)?, columns, ..self })
    }
}

/// A column of offsets.
struct OffsetColumns<'a> {
    composer: &'a Composer,
    name: &'a str,
    nulls: Option<NullBuffer>,
    cells: OffsetCells<'a>,
}

enum OffsetCells<'a> {
    Integers(Integers<'a>),
    Numbers(NumberColumn<'a>),
    Texts(IdColumn<'a>),
    Nothing,
}

impl<'a> OffsetColumns<'a> {
    fn of(array: &'a dyn Array, composer: &'a Composer, name: &'a str) -> Self {
        let cells = match (Integers::of(array), is_text(array.data_type()), NumberColumn::of(array)) {
            (Some(integers), ..) => OffsetCells::Integers(integers),
            (None, true, _) => IdColumn::of(array).map_or(OffsetCells::Nothing, OffsetCells::Texts),
            (None, false, Some(numbers)) => OffsetCells::Numbers(numbers),
            (None, false, None) => OffsetCells::Nothing,
        };
        Self { composer, name, nulls: array.logical_nulls(), cells }
    }

    fn get(&self, row: usize) -> Result<Option<u64>> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return Ok(None);
        }
        match &self.cells {
            OffsetCells::Integers(integers) => self.composer.integer(self.name, integers.get(row)),
            OffsetCells::Texts(texts) => self.composer.text(self.name, texts.get(row, &mut [0; 20])),
            OffsetCells::Numbers(numbers) => match numbers.text(row) {
                Some(text) => self.composer.text(self.name, text.as_bytes()),
                None => {
                    let mut number = [f64::NAN];
                    numbers.fill(row..row + 1, false, &mut number);
                    let [number] = number;
                    self.composer.number(self.name, number)
                }
            },
            OffsetCells::Nothing => Ok(None),
        }
    }
}

/// A batch with other columns, of any types.
fn with_arrays(batch: &RecordBatch, arrays: Vec<ArrayRef>) -> std::result::Result<RecordBatch, RowError> {
    let named = batch.schema_ref().fields().iter().zip(&arrays);
    let fields: Vec<Field> =
        named.map(|(field, array)| Field::new(field.name(), array.data_type().clone(), true)).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
        .map_err(|error| (0, Error::statement(Kind::Source, error.to_string())))
}

/// New ids for those of a column; `None` if it has no ids.
fn composed_ids(
    array: &dyn Array,
    compose: impl Fn(&[u8], usize, &mut Vec<u8>) -> Result<()>,
) -> std::result::Result<Option<ArrayRef>, RowError> {
    let Some(ids) = IdColumn::of(array) else { return Ok(None) };
    let nulls = array.logical_nulls();
    let mut builder = LargeBinaryBuilder::with_capacity(array.len(), 0);
    let mut id = Vec::new();
    for row in 0..array.len() {
        if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            builder.append_null();
            continue;
        }
        id.clear();
        compose(ids.get(row, &mut [0; 20]), row, &mut id).map_err(|error| (row, error))?;
        builder.append_value(&id);
    }
    Ok(Some(Arc::new(builder.finish())))
}

type RecodeId = for<'a> fn(&Recoding, &'a [u8]) -> Result<&'a [u8]>;

fn recoded_ids(
    array: &dyn Array,
    recoding: &Recoding,
    recode: RecodeId,
) -> std::result::Result<ArrayRef, RowError> {
    let ids = composed_ids(array, |id, _, into| {
        into.extend_from_slice(recode(recoding, id)?);
        Ok(())
    })?;
    Ok(ids.unwrap_or_else(|| arrow_array::make_array(array.to_data())))
}

/// The grades of a column of labels or numbers.
fn grades(array: &dyn Array, recoding: &Recoding) -> std::result::Result<ArrayRef, RowError> {
    let nulls = array.logical_nulls();
    let (texts, numbers) =
        (IdColumn::of(array).filter(|_| is_text(array.data_type())), NumberColumn::of(array));
    let grade = |row: usize| match (&texts, &numbers) {
        (Some(texts), _) => recoding.text(texts.get(row, &mut [0; 20]), TableKind::Qrels),
        (_, Some(NumberColumn::Booleans(values))) => recoding.truth(values.value(row), TableKind::Qrels),
        (_, Some(NumberColumn::Integers(values))) => recoding.whole(values.get(row), TableKind::Qrels),
        (_, Some(values)) => {
            let mut value = [f64::NAN];
            values.fill(row..row + 1, false, &mut value);
            let [value] = value;
            // The check of the numbers reports it.
            if value.is_nan() { Ok(value) } else { recoding.float(value, TableKind::Qrels) }
        }
        (None, None) => Ok(f64::NAN),
    };
    let grade = |row: usize| match nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
        true => Ok(None),
        false => grade(row).map(Some).map_err(|error| (row, error)),
    };
    let grades = (0..array.len()).map(grade).collect::<std::result::Result<Vec<_>, RowError>>()?;
    Ok(Arc::new(Float64Array::from(grades)))
}
