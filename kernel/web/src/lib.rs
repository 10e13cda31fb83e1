//! The kernel in a web page, where `docs/_static/web/kernel.js` calls it.
//!
//! The page writes a question in JSON and the content of two files into buffers, asks, and reads the answer
//! from another buffer. An answer is JSON, too: values by query, means, and the account of one query; or, for
//! differences of two runs, the p-value of their mean.

mod account;
mod randomization;
mod values;

use std::sync::{Mutex, PoisonError};

use gainful_core::convention::{Convention, Duplicates};
use gainful_core::evaluate::{Plan, SKIPPED, Table, evaluate_rows};
use gainful_core::explain::{AccountQuestion, Detail, QueryRun, explain};
use gainful_core::formats::{Loaded, Request, read_bytes};
use gainful_core::judgments::Judgments;
use gainful_core::measures::Measure;
use gainful_core::parallel::{Pace, Progress};
use gainful_core::read::trec::TableKind as Kind;
use gainful_core::{Error, Result};
use serde_json::{Map, Value, json};

use values::Object;

const ANSWER: usize = 3;

/// The question, the judgments, the run and the answer.
static BUFFERS: Mutex<[Vec<u8>; 4]> = Mutex::new([Vec::new(), Vec::new(), Vec::new(), Vec::new()]);

/// Makes room for the bytes of a buffer, and returns their address.
// The name is that of the export; no other library is linked into the page.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn reserve(buffer: usize, length: usize) -> *mut u8 {
    let mut buffers = BUFFERS.lock().unwrap_or_else(PoisonError::into_inner);
    buffers.get_mut(buffer).map_or(std::ptr::null_mut(), |bytes| {
        *bytes = vec![0; length];
        bytes.as_mut_ptr()
    })
}

/// Answers the question in the buffers, and returns the length of the answer.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> usize {
    let mut buffers = BUFFERS.lock().unwrap_or_else(PoisonError::into_inner);
    let [question, qrels, run, _] = &*buffers;
    let answer = answer(question, qrels, run).unwrap_or_else(|error| {
        json!({
            "error": error.to_string(),
            "query": error.query.as_deref().map(String::from_utf8_lossy),
            "document": error.document.as_deref().map(String::from_utf8_lossy),
        })
    });
    let bytes = answer.to_string().into_bytes();
    let length = bytes.len();
    if let Some(slot) = buffers.get_mut(ANSWER) {
        *slot = bytes;
    }
    length
}

/// Returns the address of the last answer.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn answered() -> *const u8 {
    let buffers = BUFFERS.lock().unwrap_or_else(PoisonError::into_inner);
    buffers.get(ANSWER).map_or(std::ptr::null(), |bytes| bytes.as_ptr())
}

fn answer(question: &[u8], qrels: &[u8], run: &[u8]) -> Result<Value> {
    let wrong = |why: &dyn std::fmt::Display| Error::statement(gainful_core::Kind::Argument, why.to_string());
    let question: Map<String, Value> = serde_json::from_slice(question).map_err(|error| wrong(&error))?;
    let progress = Progress::default();
    let mut pace = Pace { threads: 1, progress: &progress, tick: &mut |_| true };
    if let Some(differences) = question.get("differences").and_then(Value::as_array) {
        let differences: Vec<f64> = differences.iter().filter_map(Value::as_f64).collect();
        return randomization::test(&differences, &mut pace);
    }
    let text = |key: &str| question.get(key).and_then(Value::as_str);
    let object = |value: Option<&Value>| value.and_then(Value::as_object).cloned().unwrap_or_default();
    let convention = Convention::parse(&Object(object(question.get("convention"))))?;
    let signed = convention.negative == gainful_core::convention::Negative::Signed;
    let wanted = object(question.get("measure"));
    let word = |key: &str| wanted.get(key).and_then(Value::as_str).unwrap_or_default();
    let values = Object(object(wanted.get("values")));
    let measure = Measure::parse(word("name").to_owned(), word("formula"), &values, signed)?;

    let judged =
        read(qrels, text("qrels").unwrap_or("judgments"), Kind::Qrels, convention.duplicates, "judgments")?;
    let ranked = read(run, text("run").unwrap_or("run"), Kind::Run, Duplicates::Count, "run")?;
    let plan = Plan::new(convention, vec![measure])?;
    let judgments = plan.judgments(&judged.rows)?;
    let table = evaluate_rows(&plan, &judgments, &ranked.rows, ranked.scored, &mut pace)?;
    let mut answer = summarize(&table, &plan, &judged);
    if let (Some(id), Some(measure)) = (text("query"), plan.measures.first()) {
        let id = id.as_bytes();
        // Only this query's judgments, as in Python: the convention may refuse grades of others.
        let own = judged.rows.select(|query| (query.id == id).then(|| (0..query.values.len()).collect()));
        if let Some(number) = own.find(id) {
            let judgments = Judgments::new(&own, &plan.convention)?;
            let rows = ranked.rows.find(id).map(|number| ranked.rows.query(number));
            let ranking = rows.map(|rows| QueryRun { rows, scored: ranked.scored });
            let question =
                AccountQuestion { convention: &plan.convention, measure, depth: None, parts: Detail::All };
            let account = account::to_json(&explain(question, &judgments, number, ranking)?);
            if let Some(fields) = answer.as_object_mut() {
                fields.insert("account".to_owned(), account);
            }
        }
    }
    Ok(answer)
}

fn read(bytes: &[u8], name: &str, table: Kind, duplicates: Duplicates, role: &'static str) -> Result<Loaded> {
    let request = Request { duplicates, ..Request::new(Vec::new(), table) };
    read_bytes(bytes, name, &request).map_err(|error| error.role(role))
}

/// The means and the values by query, in byte order of their ids.
fn summarize(table: &Table, plan: &Plan, judged: &Loaded) -> Value {
    let geometric = plan.measures.first().is_some_and(|measure| measure.geometric);
    let summary = table.summary(0, None, geometric, plan.convention.unweighted);
    let queries: Vec<Value> = table
        .queries
        .iter()
        .zip(table.column(0).zip(table.flags(0)))
        .map(|(&query, (value, flags))| {
            json!({
                "id": String::from_utf8_lossy(judged.rows.query_id(query as usize)),
                "value": value,
                "skipped": flags & SKIPPED != 0,
            })
        })
        .collect();
    json!({
        "mean": plan.convention.rounding.mean(summary.mean),
        "n": summary.n,
        "no_relevant": summary.nothing,
        "counts": {
            "judged": table.counts.judged,
            "evaluated": table.counts.evaluated,
            "missing": table.counts.missing,
            "extra": table.counts.extra,
        },
        "queries": queries,
    })
}
