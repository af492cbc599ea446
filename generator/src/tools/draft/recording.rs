//! Recorded calls -> drafts: HAR 1.2, or the journal of a local exchange. Conclusions from samples are guesses, and are
//! marked so.
//!
//! Headers are not read and no sample is copied, because a recording contains secrets.
//!
//! Words become values of enums only if they occur several times, under names that no secret has.

mod body;
mod calls;
mod observed;
mod operation;
mod sample;

use std::collections::BTreeMap;
use std::path::Path;

use super::{Source, Wanted};
use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::model::{Api, Method};
use crate::compiler::plain_text;
use calls::{Call, most_called, template};
use operation::RecordedOperation;
pub(crate) use sample::Sample;

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
