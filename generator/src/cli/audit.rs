//! `tradeapi-gen audit`: compares the documents with the schema, and says what to do next.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use tradeapi_gen::{Audit, Diagnostics, Documents, Schema};

use super::Output;

/// The exit code when no fact differs but words wait for review.
const WORDS_TO_REVIEW: u8 = 3;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Folder with the documents, each named after its key in api.yaml.
    #[arg(long, value_name = "FOLDER")]
    docs: PathBuf,
    /// The documents as they were reviewed, in another folder or at a git revision of this one: shows which words
    /// changed.
    #[arg(long, value_name = "FOLDER|REVISION", value_parser = NonEmptyStringValueParser::new())]
    was: Option<String>,
    /// Record the sections as they are now in the schema's files.
    #[arg(long)]
    accept: bool,
}

impl Arguments {
    fn were(&self, schema: &Schema) -> Result<Documents, Diagnostics> {
        match &self.was {
            None => Ok(Documents::default()),
            Some(folder) if is_folder(folder) => schema.documents(Path::new(folder)),
            Some(revision) => schema.documents_at(&self.docs, revision),
        }
    }
}

/// Returns whether a name is that of a folder rather than of a revision: it exists, or no revision can be written so.
fn is_folder(name: &str) -> bool {
    Path::new(name).is_dir() || name.starts_with(['/', '.']) || name.contains('\\')
}

pub(crate) fn run(schema: &Schema, arguments: &Arguments, output: &Output) -> Result<ExitCode, Diagnostics> {
    let audit = schema.audit(&schema.documents(&arguments.docs)?, &arguments.were(schema)?);
    if output.is_json() {
        output.print(audit.as_json().trim_end());
    } else {
        output.print(&audit);
    }
    if arguments.accept {
        let (written, kept) = audit.accept()?;
        let kept = match kept {
            0 => String::new(),
            kept => format!(", {kept} kept because a fact of the section differs"),
        };
        output.done(format_args!("{written} digest(s) recorded{kept}"));
    }
    if let Some(next) = next(&audit, arguments.accept) {
        output.done(format_args!("next: {next}"));
    }
    Ok(match (audit.differences(), audit.reviews()) {
        (0, 0) => ExitCode::SUCCESS,
        (0, _) if arguments.accept => ExitCode::SUCCESS,
        (0, _) => ExitCode::from(WORDS_TO_REVIEW),
        _ => ExitCode::FAILURE,
    })
}

/// Returns what to do next; `None` if nothing is left to do.
fn next(audit: &Audit, is_accepted: bool) -> Option<&'static str> {
    if audit.differences() > 0 {
        return Some("write in the schema what the documents say now, run `check`, then `audit` with `--accept`");
    }
    (audit.reviews() > 0 && !is_accepted)
        .then_some("read what changed; where the schema still says the same, record it: `audit` with `--accept`")
}
