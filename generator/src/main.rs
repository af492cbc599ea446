//! The command line: arguments in, text and an exit code out. Everything else is in the library.

mod compare;

use std::fmt::Display;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use tradeapi_gen::{Diagnostics, Difference, Generator, Layout, Schema};

/// Turns hand-written YAML specs of an API into a Rust client.
///
/// Exit codes: 0 fine, 1 the schema or the output is wrong, 2 wrong usage.
#[derive(Parser)]
#[command(name = "tradeapi-gen", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Reads the schema and writes the client.
    Generate {
        #[command(flatten)]
        schema: SchemaFolder,
        /// Folder for the emitted files.
        #[arg(long, value_name = "FOLDER", default_value = "generated/src")]
        out: PathBuf,
        /// Emit a module to `include!`, rather than a crate.
        #[arg(long)]
        module: bool,
        /// Write nothing; exit with 1 when the folder is not what the schema gives.
        #[arg(long)]
        check: bool,
    },
    /// Reads the schema and reports every mistake.
    Check(SchemaFolder),
    /// Compares the documents with the schema; exits with 1 when a fact differs.
    Audit {
        #[command(flatten)]
        schema: SchemaFolder,
        /// Folder with the documents, each named after its key in api.yaml.
        #[arg(long, value_name = "FOLDER")]
        docs: PathBuf,
        /// A change of wording alone fails too.
        #[arg(long)]
        strict: bool,
        /// Record the sections as they are now in the schema's files.
        #[arg(long)]
        accept: bool,
    },
    /// Prints what the schema claims about the API, one fact a line.
    Facts(SchemaFolder),
    /// Prints the operations as a table.
    List(SchemaFolder),
    /// Prints the rules of the documents and what is made of each.
    Rules(SchemaFolder),
    /// Says what a change of the schema means for those who depend on the crate, and the version it deserves.
    Diff(compare::Arguments),
}

#[derive(Args)]
struct SchemaFolder {
    /// Folder with the schema.
    #[arg(long, value_name = "FOLDER", default_value = "schema")]
    schema: PathBuf,
}

impl SchemaFolder {
    fn read(self) -> Result<Schema, Diagnostics> {
        Generator::new().schema_dir(self.schema).read()
    }
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(code) => code,
        Err(diagnostics) => {
            eprintln!("{diagnostics}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode, Diagnostics> {
    match command {
        Command::Generate { schema, out, module, check } => {
            let layout = if module { Layout::Module } else { Layout::Crate };
            let generator = Generator::new().schema_dir(schema.schema).out_dir(out).layout(layout);
            if check {
                return Ok(show_differences(&generator.compare()?));
            }
            print(generator.generate()?);
        }
        Command::Check(schema) => {
            let counts = schema.read()?.counts();
            print(format_args!("no mistakes in {} operations with {} rules", counts.operations, counts.rules));
        }
        Command::Audit { schema, docs, strict, accept } => {
            let audit = schema.read()?.audit(&docs)?;
            print(&audit);
            if accept {
                let (written, kept) = audit.accept()?;
                print(format_args!("{written} digest(s) recorded, {kept} kept because a fact of the section differs"));
            }
            let fails = audit.differences() > 0 || strict && audit.rewordings() > 0;
            return Ok(if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS });
        }
        Command::Facts(schema) => print(schema.read()?.facts().join("\n")),
        Command::List(schema) => print(schema.read()?.list().trim_end()),
        Command::Rules(schema) => print(schema.read()?.rules().trim_end()),
        Command::Diff(arguments) => return compare::run(&arguments),
    }
    Ok(ExitCode::SUCCESS)
}

fn show_differences(differences: &[Difference]) -> ExitCode {
    if differences.is_empty() {
        print("the output is what the schema gives");
        return ExitCode::SUCCESS;
    }
    for difference in differences {
        eprintln!("{}: {}", difference.change, difference.path.display());
        if !difference.diff.is_empty() {
            eprintln!("{}", difference.diff);
        }
    }
    eprintln!("{} file(s) differ; run `cargo run --release -- generate` and commit the result", differences.len());
    ExitCode::FAILURE
}

/// A reader that closes the pipe early, such as `head`, is no failure.
fn print(text: impl Display) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stdout(), "{text}");
}
