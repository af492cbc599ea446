//! The command line: arguments in, text and an exit code out. Everything else is in the library.

mod cli;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, CommandFactory, Parser, Subcommand};
use tradeapi_gen::{Code, Diagnostics, Generator, Layout, RuleTests, Schema, SiteOptions};

use cli::{Output, OutputFormat};

/// Turns the hand-written YAML schema of an API into a Rust client.
///
/// Exit codes: 0 success, 1 the schema or the output is wrong, 2 wrong usage, 3 words of a document wait for review.
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
        target: Target,
        /// Write nothing; exit with 1 if the folder is out of date.
        #[arg(long)]
        check: bool,
    },
    /// Reads the schema and reports every mistake.
    Check(SchemaFolder),
    /// Compares the documents, or a list of announced changes, with the schema; exits with 1 when a fact differs, with 3
    /// when only words wait for review.
    Audit {
        #[command(flatten)]
        schema: SchemaFolder,
        #[command(flatten)]
        arguments: cli::AuditArguments,
    },
    /// Prints the facts of the schema, one per line.
    Facts {
        #[command(flatten)]
        schema: SchemaFolder,
        /// Print what can be read of a schema with mistakes, such as one with a draft.
        #[arg(long)]
        partly: bool,
        /// Print instead what was observed on the wire, and no document states.
        #[arg(long, conflicts_with = "partly")]
        observed: bool,
    },
    /// Prints the operations as a table.
    List(SchemaFolder),
    /// Prints the rules of the documents and how each is enforced.
    Rules(SchemaFolder),
    /// Shows what a change of the schema means for dependent crates, and the version that it needs.
    Diff(cli::DiffArguments),
    /// Shows where the schema has to change for a report of drift.
    Drift {
        /// The report, as `DriftReport::to_json` writes it.
        report: PathBuf,
        #[command(flatten)]
        schema: SchemaFolder,
    },
    /// Explains a code of a mistake, such as E0203, or shows everything about an operation.
    Explain {
        /// A code, the id of an operation such as `unified.place-order`, or its name if only one family has it.
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        what: String,
        #[command(flatten)]
        schema: SchemaFolder,
    },
    /// Writes the file of a new operation, to be filled in: an empty one, or a draft from a document, OpenAPI or
    /// recorded calls.
    New {
        #[command(flatten)]
        arguments: cli::NewArguments,
        #[command(flatten)]
        schema: SchemaFolder,
    },
    /// Writes a new project: a crate that generates a client from a small schema, with a test and CI.
    Init(cli::InitArguments),
    /// Generates whenever a file of the schema is saved, until Ctrl-C.
    Watch(Target),
    /// Writes the schema language or the schema in another form.
    Export {
        #[command(subcommand)]
        what: Export,
    },
    /// Prints a script that completes commands and options in a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Prints the manual page.
    Man {
        /// The command whose page to print, such as `generate` or `export site`; without one, the page that lists all.
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        command: Vec<String>,
    },
}

#[derive(Subcommand)]
enum Export {
    /// The schema language as JSON Schema (draft 7), for editors.
    JsonSchema {
        /// Folder for the files.
        #[arg(long, value_name = "FOLDER", default_value = "schema/.schema")]
        out: PathBuf,
        /// Write nothing; exit with 1 if the files are out of date.
        #[arg(long)]
        check: bool,
        #[command(flatten)]
        report: ReportOptions,
    },
    /// The API as static HTML pages, without external requests.
    Site {
        #[command(flatten)]
        schema: SchemaFolder,
        /// Folder for the files, which holds nothing else.
        #[arg(long, value_name = "FOLDER")]
        out: PathBuf,
        /// Write nothing; exit with 1 if the folder is out of date.
        #[arg(long)]
        check: bool,
        /// Revision of the git repository since which changes are shown.
        #[arg(long, value_name = "REVISION", value_parser = NonEmptyStringValueParser::new())]
        since: Option<String>,
        /// Folder with the documents, each named after its key in api.yaml: they get pages, and rules link to their
        /// lines.
        #[arg(long, value_name = "FOLDER")]
        docs: Option<PathBuf>,
        /// List of the tests that show rules: an operation, a rule and `module::test` on each line, separated by tabs.
        #[arg(long, value_name = "FILE")]
        proofs: Option<PathBuf>,
    },
    /// The outcomes of requests as JSON, for clients in any language: what each end of a call proves, and which queries
    /// settle the rest. The JSON Schema of the file goes beside it, and says how the file is read.
    Outcomes {
        #[command(flatten)]
        schema: SchemaFolder,
        /// File to write.
        #[arg(long, value_name = "FILE", default_value = "generated/outcomes.json")]
        out: PathBuf,
        /// Write nothing; exit with 1 if one of the files is out of date.
        #[arg(long)]
        check: bool,
    },
    /// The API as OpenAPI 3.1; what it cannot express is kept in `x-` keys, and counted.
    Openapi {
        #[command(flatten)]
        schema: SchemaFolder,
        /// File to write.
        #[arg(long, value_name = "FILE", default_value = "generated/openapi.json")]
        out: PathBuf,
        /// Add the families that no document describes.
        #[arg(long)]
        observed: bool,
        /// State rules with conditions, too, for validators and drafts. Many tools that generate code lose members then.
        #[arg(long)]
        exact: bool,
        /// Write nothing; exit with 1 if the file is out of date.
        #[arg(long)]
        check: bool,
    },
}

impl Command {
    /// Returns how the command prints mistakes.
    fn format(&self) -> OutputFormat {
        match self {
            Self::Generate { target, .. } | Self::Watch(target) => target.schema.report.format,
            Self::Check(schema) | Self::Facts { schema, .. } | Self::List(schema) | Self::Rules(schema) => {
                schema.report.format
            }
            Self::Audit { schema, .. }
            | Self::Drift { schema, .. }
            | Self::Explain { schema, .. }
            | Self::New { schema, .. } => schema.report.format,
            Self::Export { what: Export::JsonSchema { report, .. } } => report.format,
            Self::Export {
                what: Export::Openapi { schema, .. } | Export::Outcomes { schema, .. } | Export::Site { schema, .. },
            } => schema.report.format,
            Self::Init(arguments) => arguments.report.format,
            Self::Diff(arguments) => arguments.format_of_mistakes(),
            Self::Completions { .. } | Self::Man { .. } => OutputFormat::Human,
        }
    }
}

/// Where the schema is and where the client goes.
#[derive(Args)]
struct Target {
    #[command(flatten)]
    schema: SchemaFolder,
    /// Folder for the emitted files.
    #[arg(long, value_name = "FOLDER", default_value = "generated/src")]
    out: PathBuf,
    /// Emit a module to `include!`, rather than a crate.
    #[arg(long)]
    module: bool,
    /// Emit only these: a family, or operations as `family.operation`.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires_all = ["module", "out"],
          value_parser = NonEmptyStringValueParser::new())]
    only: Vec<String>,
}

impl Target {
    fn generator(self) -> Generator {
        let layout = if self.module { Layout::Module } else { Layout::Crate };
        let generator = self.schema.generator().out_dir(self.out).layout(layout);
        self.only.iter().fold(generator, |generator, name| match name.split_once('.') {
            Some((family, operation)) => generator.only(family).operations([operation]),
            None => generator.only(name).all(),
        })
    }
}

#[derive(Args)]
struct SchemaFolder {
    /// Folder with the schema.
    #[arg(long, value_name = "FOLDER", default_value = "schema")]
    schema: PathBuf,
    #[command(flatten)]
    report: ReportOptions,
}

#[derive(Args)]
struct ReportOptions {
    /// The form in which mistakes are printed: `human` and `short` to standard error, `json` to standard output, one
    /// object per line. With `json`, `audit`, `explain`, `facts`, `list` and `rules` print their results as such
    /// objects, too.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl SchemaFolder {
    fn generator(self) -> Generator {
        Generator::new().schema_dir(self.schema)
    }

    fn read(self) -> Result<Schema, Diagnostics> {
        self.generator().read()
    }
}

fn main() -> ExitCode {
    let Cli { command } = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return cli::misread(&error),
    };
    let output = Output::new(command.format());
    let code = run(command, &output).unwrap_or_else(|diagnostics| output.mistakes(&diagnostics));
    output.end(code)
}

fn run(command: Command, output: &Output) -> Result<ExitCode, Diagnostics> {
    match command {
        Command::Generate { target, check: true } => {
            return Ok(output.differences(&target.generator().compare()?, "generate"));
        }
        Command::Generate { target, check: false } => output.done(target.generator().generate()?),
        Command::Check(schema) => {
            let schema = schema.read()?;
            let counts = schema.counts();
            output.done(format_args!("no mistakes: {} operations, {} rules", counts.operations, counts.rules));
            schema.aligned().iter().for_each(|line| output.done(format_args!("{line}")));
        }
        Command::Audit { schema, arguments } => return cli::audit(&schema.generator(), &arguments, output),
        Command::Facts { schema, partly: true, .. } => output.facts(&schema.generator().facts_as_read()?),
        Command::Facts { schema, observed: true, .. } => output.facts(&schema.read()?.observed_facts()),
        Command::Facts { schema, .. } => output.facts(&schema.read()?.facts()),
        Command::List(schema) => {
            let schema = schema.read()?;
            output.print(if output.is_json() { schema.list_as_json() } else { schema.list() }.trim_end());
        }
        Command::Rules(schema) => {
            let schema = schema.read()?;
            output.print(if output.is_json() { schema.rules_as_json() } else { schema.rules() }.trim_end());
        }
        Command::Diff(arguments) => return cli::diff(&arguments, output),
        Command::Drift { report, schema } => output.print(schema.read()?.drift(&report)?),
        Command::Explain { what, schema } => output.print(explained(&what, schema, output)?),
        Command::New { arguments, schema } => cli::new(&schema.generator(), &arguments, output)?,
        Command::Init(arguments) => cli::init(&arguments, output)?,
        Command::Watch(target) => {
            let folder = target.schema.schema.clone();
            cli::watch(&target.generator().remember(), &folder, output);
        }
        Command::Export { what } => return export(what, output),
        Command::Completions { shell } => output.print(cli::completions(Cli::command(), shell).trim_end()),
        Command::Man { command } => output.print(cli::manual(Cli::command(), &command).trim_end()),
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the page of a diagnostic, or what the schema says of one of its parts.
fn explained(what: &str, schema: SchemaFolder, output: &Output) -> Result<String, Diagnostics> {
    match Code::parse(what) {
        Some(code) if output.is_json() => Ok(code.as_json()),
        Some(code) => Ok(code.explanation().trim_end().to_owned()),
        None if Code::is_written_like(what) => Err(Code::unknown(what)),
        None if output.is_json() => schema.read()?.explain_as_json(what),
        None => Ok(schema.read()?.explain(what)?.trim_end().to_owned()),
    }
}

fn export(what: Export, output: &Output) -> Result<ExitCode, Diagnostics> {
    match what {
        Export::JsonSchema { out, check: true, .. } => {
            let differences = tradeapi_gen::compare_editor_schemas(&out)?;
            return Ok(output.differences(&differences, "export json-schema"));
        }
        Export::JsonSchema { out, check: false, .. } => {
            for path in tradeapi_gen::write_editor_schemas(&out)? {
                output.print(format_args!("wrote {}", path.display()));
            }
        }
        Export::Openapi { schema, out, observed, exact, check } => {
            let schema = schema.read()?;
            let schema = if observed { schema } else { schema.documented() };
            let openapi = if exact { schema.exact_openapi() } else { schema.openapi() };
            if check {
                return Ok(output.differences(&openapi.compare(&out)?, "export openapi"));
            }
            let what = if openapi.write(&out)? { "wrote" } else { "left alone" };
            output.done(format_args!("{what} {}: {openapi}", out.display()));
        }
        Export::Outcomes { schema, out, check } => {
            let outcomes = schema.read()?.outcomes();
            if check {
                return Ok(output.differences(&outcomes.compare(&out)?, "export outcomes"));
            }
            let what = if outcomes.write(&out)? { "wrote" } else { "left alone" };
            output.done(format_args!("{what} {}: {outcomes}", out.display()));
        }
        Export::Site { schema, out, check, since, docs, proofs } => {
            let generator = schema.generator();
            let older = since.as_ref().map(|revision| generator.read_at(revision)).transpose()?;
            let schema = generator.read()?;
            let documents = docs.map(|folder| schema.documents(&folder)).transpose()?;
            let tests = proofs.map(|list| RuleTests::read(&list)).transpose()?;
            let since = since.as_deref().zip(older.as_ref());
            let site = schema.site(&SiteOptions { since, documents: documents.as_ref(), tests: tests.as_ref() })?;
            if check {
                return Ok(output.differences(&site.compare(&out)?, "export site"));
            }
            let report = site.write(&out)?;
            let (written, removed) = (report.written.len(), report.removed.len());
            output.done(format_args!("{site} in {}; {written} written, {removed} removed", out.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}
