//! `tradeapi-gen audit`: the documents against the schema, and what to do next.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use tradeapi_gen::{Audit, Diagnostics, Schema};

use super::Output;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Folder with the documents, each named after its key in api.yaml.
    #[arg(long, value_name = "FOLDER")]
    docs: PathBuf,
    /// A change of wording alone fails too.
    #[arg(long)]
    strict: bool,
    /// Record the sections as they are now in the schema's files.
    #[arg(long)]
    accept: bool,
}

pub(crate) fn run(schema: &Schema, arguments: &Arguments, output: &Output) -> Result<ExitCode, Diagnostics> {
    let audit = schema.audit(&arguments.docs)?;
    output.print(&audit);
    if arguments.accept {
        let (written, kept) = audit.accept()?;
        let kept = match kept {
            0 => String::new(),
            kept => format!(", {kept} kept because a fact of the section differs"),
        };
        output.print(format_args!("{written} digest(s) recorded{kept}"));
    }
    if let Some(next) = next(&audit, arguments.accept) {
        output.print(format_args!("next: {next}"));
    }
    let waits = audit.reviews() > 0 || arguments.strict && audit.rewordings() > 0;
    let fails = audit.differences() > 0 || waits && !arguments.accept;
    Ok(if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// What a maintainer does about it.
fn next(audit: &Audit, is_accepted: bool) -> Option<&'static str> {
    if audit.differences() > 0 {
        return Some("write in the schema what the documents say now, run `check`, then `audit` with `--accept`");
    }
    let changes = audit.reviews() + audit.rewordings();
    (changes > 0 && !is_accepted)
        .then_some("read what changed; where the schema still says the same, record it: `audit` with `--accept`")
}
