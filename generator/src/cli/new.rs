//! `tradeapi-gen new`: writes an empty operation file, or drafts from another description.

use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use tradeapi_gen::{Diagnostics, DraftSource, Drafted, Generator};

use super::Output;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The family, which is a folder of the schema.
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    family: String,
    /// The operation: the last segment of its path. With `--from`, the heading of its section.
    #[arg(required_unless_present_any = ["from_openapi", "from_recording"], value_parser = NonEmptyStringValueParser::new())]
    operation: Option<String>,
    /// Draft the operation that a section of the documents describes; each document is named after its key in api.yaml.
    #[arg(long, value_name = "FOLDER")]
    from: Option<PathBuf>,
    /// Draft every operation of an OpenAPI file, of version 3 or 2, that the schema does not have.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["operation", "from"])]
    from_openapi: Option<PathBuf>,
    /// Draft every operation that a recording has calls of: a HAR 1.2 file, or the journal of a local exchange.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["operation", "from", "from_openapi"])]
    from_recording: Option<PathBuf>,
    /// Draft only these operations of the file: paths, which stand for those below them too, tags or ids.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with_all = ["operation", "from"],
          value_parser = NonEmptyStringValueParser::new())]
    only: Vec<String>,
}

impl Arguments {
    fn source(&self) -> Option<DraftSource> {
        let title = self.operation.clone().unwrap_or_default();
        let section = self.from.clone().map(|folder| DraftSource::Section { folder, title });
        let openapi = self.from_openapi.clone().map(DraftSource::OpenApi);
        section.or(openapi).or_else(|| self.from_recording.clone().map(DraftSource::Recording))
    }
}

pub(crate) fn run(generator: &Generator, arguments: &Arguments, output: &Output) -> Result<(), Diagnostics> {
    if let Some(path) = generator.new_family(&arguments.family)? {
        output.print(format_args!("wrote {}; `check` lists what is missing", path.display()));
    }
    match arguments.source() {
        Some(source) => show(&generator.draft_only(&arguments.family, &source, &arguments.only)?, output),
        None => {
            let operation = arguments.operation.as_deref().unwrap_or_default();
            let path = generator.new_operation(&arguments.family, operation)?;
            output.print(format_args!("wrote {}; `check` lists what is missing", path.display()));
        }
    }
    Ok(())
}

fn show(drafted: &Drafted, output: &Output) {
    for path in &drafted.written {
        output.print(format_args!("wrote {}", path.display()));
    }
    for line in &drafted.left_out {
        output.print(format_args!("left out {line}"));
    }
    for place in &drafted.unread {
        output.print(format_args!("not read: {place}"));
    }
    if !drafted.types.is_empty() {
        output.print(format_args!("new types: {}", drafted.types.join(", ")));
    }
    if let Some((read, left_empty, not_read)) = drafted.statements {
        let all = read + left_empty + not_read;
        output
            .print(format_args!("{all} statements: {read} read, {left_empty} left as empty keys, {not_read} not read"));
    }
    if !drafted.written.is_empty() {
        output.print("next: fill in what is empty, and decide each rule; `check` lists both");
    }
}
