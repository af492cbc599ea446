//! `tradeapi-gen diff`: compares two versions of the schema, given as folders or as revisions.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use tradeapi_gen::diff::{Class, Format};
use tradeapi_gen::{Diagnostics, Generator, Schema};

use super::{Output, OutputFormat};

#[derive(Args)]
pub(crate) struct Arguments {
    /// Folder with the older schema; without folders, the schema is compared with an earlier revision of its own.
    #[arg(requires = "new")]
    old: Option<PathBuf>,
    /// Folder with the newer schema.
    new: Option<PathBuf>,
    /// Revision of the git repository that has the older schema; the newer one is the folder as it is now.
    #[arg(long, value_name = "REVISION", default_value = "HEAD", conflicts_with = "old",
          value_parser = NonEmptyStringValueParser::new())]
    against: String,
    /// Folder with the schema that is compared with a revision.
    #[arg(long, value_name = "FOLDER", default_value = "schema", conflicts_with = "old")]
    schema: PathBuf,
    /// The form of the differences; with `json`, mistakes of a schema have it, too.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Exit with 1 when there is a difference of one of these classes.
    #[arg(long, value_name = "CLASS", value_enum, value_delimiter = ',')]
    fail_on: Vec<Class>,
}

impl Arguments {
    pub(crate) fn format_of_mistakes(&self) -> OutputFormat {
        match self.format {
            Format::Table | Format::Markdown => OutputFormat::Human,
            Format::Json => OutputFormat::Json,
        }
    }

    /// The older schema and the newer one.
    fn schemas(&self) -> Result<(Schema, Schema), Diagnostics> {
        let of = |folder: &Path| Generator::new().schema_dir(folder);
        match self.old.as_ref().zip(self.new.as_ref()) {
            Some((old, new)) => Ok((of(old).read()?, of(new).read()?)),
            None => Ok((of(&self.schema).read_at(&self.against)?, of(&self.schema).read()?)),
        }
    }
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<ExitCode, Diagnostics> {
    let (older, newer) = arguments.schemas()?;
    let diff = older.diff(&newer);
    output.print(diff.render(arguments.format).trim_end());
    let fails = arguments.fail_on.iter().any(|class| diff.count(*class) > 0);
    Ok(if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
