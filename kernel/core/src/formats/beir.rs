//! BEIR folders: `corpus.jsonl`, `queries.jsonl`, and the judgments in `qrels/SPLIT.tsv`.

use std::path::{Path, PathBuf};

use super::format::without_compression;
use super::{Format, Request};
use crate::error::{Error, Kind, Result, quoted};
use crate::read::source::Source;
use crate::read::trec::TableKind;

const SPLIT: &str = "test";

/// The sources of a request, with each BEIR folder replaced by its file of judgments, and whether there was
/// one.
pub(super) fn files(request: &Request) -> Result<(Vec<Source>, bool)> {
    let folders = request.table == TableKind::Qrels && matches!(request.format, None | Some(Format::Beir));
    let mut folder_seen = false;
    let mut sources = Vec::with_capacity(request.sources.len());
    for source in &request.sources {
        match source {
            Source::Path(path) if folders && path.is_dir() => {
                folder_seen = true;
                sources.push(Source::Path(file_in(path, request.split.as_deref())?));
            }
            other => sources.push(other.clone()),
        }
    }
    if request.format == Some(Format::Beir)
        && !folder_seen
        && let Some(split) = &request.split
    {
        let found = format!("split={}", quoted(split.as_bytes()));
        return Err(Error::new(Kind::Parameter, found, "no split, since a file is one split"));
    }
    Ok((sources, folder_seen))
}

fn file_in(folder: &Path, split: Option<&str>) -> Result<PathBuf> {
    let name = folder.display().to_string();
    let inner = folder.join("qrels");
    let inner = if inner.is_dir() { inner } else { folder.to_owned() };
    let entries = std::fs::read_dir(&inner).map_err(|error| Source::Path(inner.clone()).failed(&error))?;
    let mut splits: Vec<(String, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let file = entry.file_name();
            let plain = without_compression(file.to_str()?);
            Some((plain.strip_suffix(".tsv")?.to_owned(), entry.path()))
        })
        .collect();
    splits.sort();
    if splits.is_empty() {
        let found = "a folder without Parquet or Arrow files and without BEIR's qrels/test.tsv";
        return Err(Error::statement(Kind::Source, found).file(name).hint("name the file in it"));
    }
    let wanted = split.unwrap_or(SPLIT);
    match splits.iter().find(|(split, _)| split == wanted) {
        Some((_, path)) => Ok(path.clone()),
        None => {
            let known: Vec<&str> = splits.iter().map(|(split, _)| split.as_str()).collect();
            let found = format!("no split {}", quoted(wanted.as_bytes()));
            let hint = format!("choose ⟪split⟫ from {}", known.join(", "));
            Err(Error::statement(Kind::NotFound, found).file(name).hint(hint))
        }
    }
}
