//! `tradeapi-gen init`: writes a new project.

use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use tradeapi_gen::Diagnostics;

use super::Output;
use crate::ReportOptions;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The folder of the project, new or empty.
    folder: PathBuf,
    /// The name of the crate [default: that of the folder].
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    name: Option<String>,
    /// A checkout of this repository, whose crates the project depends on: `.` within one.
    #[arg(long, value_name = "FOLDER")]
    crates: PathBuf,
    /// The repository of tradeapi-gen to depend on instead, so that other machines find it, too.
    #[arg(long, value_name = "URL", value_parser = NonEmptyStringValueParser::new())]
    git: Option<String>,
    #[command(flatten)]
    pub(crate) report: ReportOptions,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<(), Diagnostics> {
    let Arguments { folder, name, crates, git, .. } = arguments;
    for path in tradeapi_gen::init_project(folder, name.as_deref(), crates, git.as_deref())? {
        output.print(format_args!("wrote {}", path.display()));
    }
    if git.is_none() {
        output.print(format_args!(
            "not written: CI, because other machines do not have the dependencies in {}; name their repository with `--git`",
            crates.display()
        ));
    }
    output.print(format_args!("next: `cargo test` in {}", folder.display()));
    Ok(())
}
