//! A sample of an answer in a document.

use std::collections::BTreeMap;

use serde_json::Value;

use super::observed::ObservedValues;
use super::operation::data_within;
use crate::compiler::model::Envelope;
use crate::tools::draft::{Answer, Data, DraftField, JsonKind};

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

    /// The answer with its fields, and a remark about their source.
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

/// The start of a comment, outside of texts.
fn comment_in(line: &str) -> Option<usize> {
    let mut is_text = false;
    let mut is_escaped = false;
    line.char_indices().find_map(|(at, c)| {
        is_text ^= c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        (!is_text && line[at..].starts_with("//")).then_some(at)
    })
}
