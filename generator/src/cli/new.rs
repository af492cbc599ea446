//! `tradeapi-gen new`: an empty file of an operation, or drafts of what something else says.

use std::path::PathBuf;

use clap::Args;
use tradeapi_gen::{Diagnostics, DraftSource, Drafted, Generator};

use super::Output;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The family, which is a folder of the schema.
    family: String,
    /// The operation: the last segment of its path. With `--from`, the heading of its section.
    operation: String,
    /// Draft the operation that a section of the documents describes; each document is named after its key in api.yaml.
    #[arg(long, value_name = "FOLDER")]
    from: Option<PathBuf>,
}

pub(crate) fn run(generator: &Generator, arguments: Arguments, output: &Output) -> Result<(), Diagnostics> {
    let Arguments { family, operation, from } = arguments;
    let Some(folder) = from else {
        let path = generator.new_operation(&family, &operation)?;
        output.print(format_args!("wrote {}; `check` says what is wrong with it", path.display()));
        return Ok(());
    };
    show(&generator.draft(&family, &DraftSource::Section { folder, title: operation })?, output);
    Ok(())
}

fn show(drafted: &Drafted, output: &Output) {
    for path in &drafted.written {
        output.print(format_args!("wrote {}", path.display()));
    }
    for line in &drafted.left_out {
        output.print(format_args!("left out {line}"));
    }
    if !drafted.types.is_empty() {
        output.print(format_args!("new types: {}", drafted.types.join(", ")));
    }
    if !drafted.written.is_empty() {
        output.print("next: fill in what is empty, and decide each rule; `check` lists both");
    }
}
