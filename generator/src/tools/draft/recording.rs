//! Recorded calls -> drafts: HAR 1.2, or the journal of a local exchange. Conclusions from samples are guesses, and are
//! marked so.
//!
//! Headers are not read and no sample is copied, because a recording contains secrets.
//!
//! Words become values of enums only if they occur several times, under names that no secret has.
//!
//! A sample of an answer in a document is read in the same way.

mod calls;
mod observed;
mod operation;

use std::collections::BTreeMap;
use std::path::Path;

use calls::{Call, most_called, template};
use operation::RecordedOperation;
use serde_json::Value;

use self::observed::ObservedValues;
use self::operation::data_within;
use super::{Answer, Data, DraftField, JsonKind, Source, Wanted};
use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::model::{Api, Envelope, Method};
use crate::compiler::plain_text;

/// Drafts of the operations with calls in a recording, as far as they are wanted.
///
/// # Errors
/// Fails if the file cannot be read, or is not a recording.
pub(crate) fn drafts(api: &Api, path: &Path, wanted: &Wanted) -> Result<Source, Diagnostics> {
    let mut to = Diagnostics::default();
    let shown = path.display();
    let text = match plain_text::read(path) {
        Ok(text) => text,
        Err(error) => {
            to.whole(Code::CannotRead, format!("cannot read {shown}: {error}")).help("name a recording");
            return Err(to);
        }
    };
    let Some(calls) = calls::read(&text) else {
        to.whole(Code::CannotRead, format!("{shown} is not a recording"))
            .help("name a HAR 1.2 file, as browsers export it, or the journal of a local exchange");
        return Err(to);
    };
    let (operations, skipped) = sorted(api, &calls, wanted);
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let drafts = operations.into_iter().map(|((path, method), operation)| operation.draft(&file, &method, &path));
    let skipped = skipped.into_iter().map(|(what, count)| format!("{what} ({count} of the recorded calls)"));
    Ok(Source { drafts: drafts.collect(), left_out: skipped.collect(), ..Source::default() })
}

/// The operations by their path and method, and the number of calls that were skipped for each reason.
type Sorted = (BTreeMap<(String, String), RecordedOperation>, BTreeMap<String, usize>);

fn sorted(api: &Api, calls: &[Call], wanted: &Wanted) -> Sorted {
    let host = most_called(calls);
    let (mut operations, mut skipped) = Sorted::default();
    for call in calls.iter().filter(|call| wanted.has(&template(&call.path), std::iter::empty())) {
        let why = match &call.answer {
            _ if call.host != host => format!("{}: another host than {host}", call.host),
            _ if !Method::ALL.iter().any(|method| method.as_str() == call.method) => {
                format!("{} {}: the schema language does not have this method", call.method, call.path)
            }
            None => format!("{} {}: without an answer", call.method, call.path),
            Some((status, answer)) => {
                let key = (template(&call.path), call.method.clone());
                operations.entry(key).or_default().see(api, call, *status, answer.as_ref());
                continue;
            }
        };
        *skipped.entry(why).or_default() += 1;
    }
    (operations, skipped)
}

/// A sample in JSON, possibly with comments.
pub(crate) struct Sample {
    value: Value,
    /// The comments by the names before them; `None` where a name has several.
    comments: BTreeMap<String, Option<String>>,
}

impl Sample {
    /// Parses an object or a list; `None` for any other text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_json = text.trim_start().starts_with(['{', '[']);
        let mut comments = BTreeMap::new();
        let mut bare = String::new();
        for line in text.lines().filter(|_| is_json) {
            let end = comment_in(line).unwrap_or(line.len());
            bare.push_str(&line[..end]);
            bare.push('\n');
            let name =
                line[..end].trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"')).map(|(name, _)| name);
            if let (Some(name), Some(comment)) = (name, line.get(end + 2..)) {
                let said = comments.entry(name.to_owned()).or_insert_with(|| Some(comment.trim().to_owned()));
                *said = said.take().filter(|said| said == comment.trim());
            }
        }
        Some(Self { value: serde_json::from_str(&bare).ok()?, comments })
    }

    /// Returns the answer with its fields, and a remark about their source.
    pub(crate) fn answer(&self, envelope: Option<&Envelope>, remark: &str) -> Answer {
        let within = envelope.map_or(Some(&self.value), |envelope| data_within(envelope, &self.value));
        let mut seen = ObservedValues::default();
        within.into_iter().for_each(|data| seen.see(data));
        let mut fields = seen.item.as_deref().unwrap_or(&seen).fields();
        self.comment(&mut fields);
        let data = Data { fields, remarks: vec![remark.to_owned()], ..Data::default() };
        match seen.kind() {
            JsonKind::Object if !data.fields.is_empty() => Answer::Object(data),
            JsonKind::List if !data.fields.is_empty() => Answer::Array(data),
            _ => Answer::Unknown(vec![remark.to_owned()]),
        }
    }

    /// Replaces the counts of a recording by the comments of the sample.
    fn comment(&self, fields: &mut [DraftField]) {
        for field in fields {
            field.remarks.retain(|remark| !remark.starts_with("Seen "));
            field.remarks.extend(self.comments.get(&field.name).cloned().flatten());
            self.comment(&mut field.fields);
        }
    }
}

/// Returns the start of a comment, outside of texts.
fn comment_in(line: &str) -> Option<usize> {
    let mut is_text = false;
    let mut is_escaped = false;
    line.char_indices().find_map(|(at, c)| {
        is_text ^= c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        (!is_text && line[at..].starts_with("//")).then_some(at)
    })
}
