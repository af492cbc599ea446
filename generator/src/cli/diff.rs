//! `tradeapi-gen diff`: compares two versions of the schema, given as folders or as revisions.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use tradeapi_gen::diff::{Class, Format};
use tradeapi_gen::{Diagnostics, Generator};

use super::Output;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Folder with the older schema.
    #[arg(required_unless_present = "against", conflicts_with = "against")]
    old: Option<PathBuf>,
    /// Folder with the newer schema.
    #[arg(required_unless_present = "against")]
    new: Option<PathBuf>,
    /// Revision of the git repository that has the older schema; the newer one is the folder as it is now.
    #[arg(long, value_name = "REVISION")]
    against: Option<String>,
    /// Folder with the schema, with `--against`.
    #[arg(long, value_name = "FOLDER", default_value = "schema")]
    schema: PathBuf,
    /// How the differences are written.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Exit with 1 when there is a difference of one of these classes.
    #[arg(long, value_name = "CLASS", value_enum, value_delimiter = ',')]
    fail_on: Vec<Class>,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<ExitCode, Diagnostics> {
    let read = |folder: &PathBuf| Generator::new().schema_dir(folder).read();
    let newer = arguments.new.as_ref().unwrap_or(&arguments.schema);
    let older = match (&arguments.against, &arguments.old) {
        (Some(revision), _) => Generator::new().schema_dir(newer).read_at(revision)?,
        (None, older) => read(older.as_ref().unwrap_or(&arguments.schema))?,
    };
    let diff = older.diff(&read(newer)?);
    output.print(diff.render(arguments.format).trim_end());
    let fails = arguments.fail_on.iter().any(|class| diff.count(*class) > 0);
    Ok(if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
