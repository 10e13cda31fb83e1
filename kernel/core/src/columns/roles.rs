//! The roles of the columns of a table.

use std::sync::Arc;

use arrow_array::builder::LargeBinaryBuilder;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema};

use super::ids::is_text;
use super::uuids::{EXTENSION, are_uuids, written_out};
use super::{IdColumn, NumberColumn, RowNames};
use crate::error::{Error, Kind, Result, quoted};
use crate::formats::Composer;
use crate::read::trec::TableKind;
use crate::roles::{Field as Shape, Kinds};
use crate::rows::query_of_system;

/// What is known of the columns before rows are read: their names, and the kinds of their values.
#[must_use]
pub fn shape(schema: &Schema) -> Shape {
    let mut shape = Shape::new("", 0);
    for field in schema.fields() {
        show(shape.member(field.name(), 0), field.data_type());
    }
    shape
}

/// Adds what a type says of its values; those of other types have no meaning.
fn show(shape: &mut Shape, kind: &DataType) {
    shape.see(match kind {
        DataType::Boolean => Kinds::BOOL,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Kinds::TEXT,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            Kinds::TEXT
        }
        kind if kind.is_numeric() => Kinds::NUMBER,
        DataType::Dictionary(_, values) => return show(shape, values),
        DataType::RunEndEncoded(_, values) => return show(shape, values.data_type()),
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            match item.data_type() {
                DataType::Struct(_) => Kinds::OBJECTS,
                kind if kind.is_nested() => Kinds::LISTS,
                _ => Kinds::IDS,
            }
        }
        DataType::Struct(_) | DataType::Map(..) => Kinds::OBJECT,
        _ => Kinds::NULL,
    });
}

/// The columns with offsets, and what composes ids of them.
#[derive(Debug, Clone)]
pub struct PlaceColumns {
    pub composer: Composer,
    pub start: usize,
    pub end: usize,
    pub tokens: Option<usize>,
}

impl PlaceColumns {
    fn all(&self) -> impl Iterator<Item = usize> + use<> {
        [self.start, self.end].into_iter().chain(self.tokens)
    }
}

/// The numbers of the columns by role, and the kind of table.
#[derive(Debug, Clone)]
pub struct Columns {
    pub table: TableKind,
    pub queries: usize,
    pub documents: usize,
    pub values: Option<usize>,
    /// The values must be whole.
    pub whole: bool,
    pub ranks: Option<usize>,
    pub labels: Option<usize>,
    pub weights: Option<usize>,
    pub systems: Option<usize>,
    pub places: Option<PlaceColumns>,
    names: Vec<String>,
    /// The columns of UUIDs, which are converted to text.
    uuids: Vec<usize>,
}

impl Columns {
    /// Finds the columns with these names in a schema.
    pub fn new(table: TableKind, schema: &Schema, names: &RowNames) -> Result<Self> {
        let place = |name: &String| {
            let found = schema.fields().iter().position(|field| field.name() == name);
            found.ok_or_else(|| {
                let columns: Vec<String> =
                    schema.fields().iter().take(12).map(|field| quoted(field.name().as_bytes())).collect();
                Error::new(
                    Kind::Column,
                    format!("columns {}", columns.join(", ")),
                    format!("a column {}", quoted(name.as_bytes())),
                )
                .hint("files that are read as one table need the same columns")
            })
        };
        let mut seen = std::collections::HashSet::new();
        let chosen = [Some(&names.query), Some(&names.document), names.value.as_ref(), names.label.as_ref()];
        let ends = names.offsets.iter().flat_map(|offsets| [Some(&offsets.start), Some(&offsets.end)]);
        for name in chosen.into_iter().chain(ends).flatten().filter(|name| seen.insert(name.as_str())) {
            if schema.fields().iter().filter(|field| field.name() == name).count() > 1 {
                let found = format!("several columns are named {}", quoted(name.as_bytes()));
                return Err(Error::statement(Kind::Column, found).hint("remove or rename all but one"));
            }
        }
        let values = names.value.as_ref().map(place).transpose()?;
        let mut ranks = names.rank.as_ref().map(place).transpose()?;
        // Ranks that are not numbers matter only if ranks order the documents.
        let numeric =
            |column: usize| schema.fields().get(column).is_some_and(|field| field.data_type().is_numeric());
        if values.is_some() && !ranks.is_some_and(numeric) {
            ranks = None;
        }
        let places = names.offsets.as_ref().map(|offsets| {
            Ok::<_, Box<Error>>(PlaceColumns {
                start: place(&offsets.start)?,
                end: place(&offsets.end)?,
                tokens: offsets.tokens.as_ref().map(place).transpose()?,
                composer: Composer::new(offsets.clone(), ""),
            })
        });
        let mut columns = Self {
            table,
            queries: place(&names.query)?,
            documents: place(&names.document)?,
            values,
            whole: names.whole,
            ranks,
            labels: names.label.as_ref().map(place).transpose()?,
            weights: names.weight.as_ref().map(place).transpose()?,
            places: places.transpose()?,
            systems: names.system.as_ref().map(place).transpose()?,
            names: schema.fields().iter().map(|field| field.name().clone()).collect(),
            uuids: Vec::new(),
        };
        columns.check(schema)?;
        let uuids =
            columns.ids().filter(|&column| schema.fields().get(column).is_some_and(|field| are_uuids(field)));
        columns.uuids = uuids.collect();
        Ok(columns)
    }

    /// Refuses columns of types that cannot be ids or numbers. A column of type Null is refused when its rows
    /// come.
    fn check(&self, schema: &Schema) -> Result<()> {
        let kind = |column: usize| {
            let kind = schema.fields().get(column).map(|field| field.data_type());
            kind.filter(|kind| **kind != DataType::Null)
        };
        for column in self.ids() {
            // The integers of periods and the like are not what people see.
            let field = schema.fields().get(column).filter(|field| field.data_type().is_integer());
            if let Some(name) = field.and_then(|field| field.metadata().get(EXTENSION)) {
                return Err(self.no_ids(column, name).hint("cast the column to text"));
            }
            if let Some(kind) = kind(column).filter(|kind| !IdColumn::takes(kind)) {
                return Err(self.wrong_ids(column, kind));
            }
        }
        for (place, column) in
            self.places.iter().flat_map(|places| places.all().map(move |column| (places, column)))
        {
            let takes = |kind: &DataType| kind.is_numeric() || is_text(kind);
            if let Some(kind) = kind(column).filter(|kind| !takes(kind)) {
                return Err(place.composer.no_offset(self.name(column), &format!("type {kind}")));
            }
        }
        for column in [self.values, self.ranks, self.weights].into_iter().flatten() {
            let has_labels = self.table == TableKind::Qrels && self.values == Some(column);
            let takes = |kind: &DataType| NumberColumn::takes(kind) || has_labels && is_text(kind);
            if let Some(kind) = kind(column).filter(|kind| !takes(kind)) {
                return Err(self.wrong_numbers(column, kind));
            }
        }
        Ok(())
    }

    /// The numbers of the columns of ids.
    fn ids(&self) -> impl Iterator<Item = usize> + use<> {
        [Some(self.queries), Some(self.documents), self.labels, self.systems].into_iter().flatten()
    }

    /// Prepares a batch of these columns: converts UUIDs to text, and puts systems before the ids of queries.
    pub fn plain(&self, batch: RecordBatch) -> std::result::Result<RecordBatch, ArrowError> {
        let batch = if self.uuids.is_empty() { batch } else { written_out(&batch, &self.uuids)? };
        match self.systems {
            Some(systems) => with_systems(&batch, self.queries, systems),
            None => Ok(batch),
        }
    }

    /// The numbers of all columns.
    pub fn all(&self) -> impl Iterator<Item = usize> {
        let optional = [self.values, self.ranks, self.labels, self.weights, self.systems];
        let places = self.places.iter().flat_map(PlaceColumns::all);
        [self.queries, self.documents].into_iter().chain(optional.into_iter().flatten()).chain(places)
    }

    /// The roles of a batch whose documents are places and whose labels have weights.
    pub(super) fn composed(&self) -> Self {
        Self { places: None, weights: None, ..self.clone() }
    }

    /// The columns that are used, and their roles without the other columns.
    #[must_use]
    pub fn alone(&self) -> (Vec<usize>, Self) {
        let mut kept: Vec<usize> = self.all().collect();
        kept.sort_unstable();
        kept.dedup();
        let place = |column: usize| kept.iter().position(|&other| other == column).unwrap_or(0);
        let alone = Self {
            table: self.table,
            queries: place(self.queries),
            documents: place(self.documents),
            values: self.values.map(place),
            whole: self.whole,
            ranks: self.ranks.map(place),
            labels: self.labels.map(place),
            weights: self.weights.map(place),
            places: self.places.clone().map(|places| PlaceColumns {
                start: place(places.start),
                end: place(places.end),
                tokens: places.tokens.map(place),
                ..places
            }),
            systems: self.systems.map(place),
            names: kept.iter().map(|&column| self.name(column).to_owned()).collect(),
            uuids: self.uuids.iter().map(|&column| place(column)).collect(),
        };
        (kept, alone)
    }

    #[must_use]
    pub fn name(&self, column: usize) -> &str {
        self.names.get(column).map_or("", String::as_str)
    }

    pub(super) fn wrong_ids(&self, column: usize, kind: &DataType) -> Box<Error> {
        let error = self.no_ids(column, kind);
        if kind.is_floating() {
            error.hint(
                "data frames convert integers with missing values to floats; convert the column to text",
            )
        } else {
            error.hint("cast the column to text")
        }
    }

    fn no_ids(&self, column: usize, kind: impl std::fmt::Display) -> Box<Error> {
        let found = format!("column '{}' of type {kind}", self.name(column));
        Error::new(Kind::Column, found, "text, bytes or integers")
    }

    pub(super) fn wrong_numbers(&self, column: usize, kind: &DataType) -> Box<Error> {
        Error::new(Kind::Column, format!("column '{}' of type {kind}", self.name(column)), "numbers")
            .hint("cast the column to a floating-point type")
    }
}

/// A batch in which the name of a row's system is before the id of its query. A row without a query has none.
fn with_systems(
    batch: &RecordBatch,
    queries: usize,
    systems: usize,
) -> std::result::Result<RecordBatch, ArrowError> {
    let schema = batch.schema();
    let mut fields: Vec<Arc<Field>> = schema.fields().to_vec();
    let mut arrays: Vec<ArrayRef> = batch.columns().to_vec();
    let (Some(ids), Some(names)) = (arrays.get(queries).cloned(), arrays.get(systems).cloned()) else {
        return Ok(batch.clone());
    };
    // Columns of other types are refused as such.
    let (Some(id), Some(name)) = (IdColumn::of(&*ids), IdColumn::of(&*names)) else {
        return Ok(batch.clone());
    };
    let mut joined = LargeBinaryBuilder::new();
    for row in 0..batch.num_rows() {
        let (system, query) = (&mut [0; 20], &mut [0; 20]);
        let system = if names.is_null(row) { &[] } else { name.get(row, system) };
        if system.contains(&0) {
            return Err(ArrowError::InvalidArgumentError("the name of a system contains a NUL byte".into()));
        }
        match ids.is_null(row) {
            true => joined.append_null(),
            false => joined.append_value(query_of_system(system, id.get(row, query))),
        }
    }
    if let (Some(field), Some(array)) = (fields.get_mut(queries), arrays.get_mut(queries)) {
        *field = Arc::new(Field::new(field.name(), DataType::LargeBinary, true));
        *array = Arc::new(joined.finish());
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
}
