//! The commands that take more than one call of the library: `new`, `init`, `audit`, `diff` and `watch`.

mod output;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use tradeapi_gen::diff::{Class, Format};
use tradeapi_gen::{Announced, Audit, Diagnostics, Documents, DraftSource, Drafted, Generator, Schema, Standing};

pub(crate) use self::output::{Output, OutputFormat, completions, manual, misread};
use crate::ReportOptions;

#[derive(Args)]
pub(crate) struct NewArguments {
    /// The family, which is a folder of the schema.
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    family: String,
    /// The operation: the last segment of its path. With `--from`, the heading of its section.
    #[arg(required_unless_present_any = ["from_openapi", "from_recording", "all"], value_parser = NonEmptyStringValueParser::new())]
    operation: Option<String>,
    /// Draft the operation that a section of the documents describes; each document is named after its key in api.yaml.
    #[arg(long, value_name = "FOLDER")]
    from: Option<PathBuf>,
    /// Draft every operation that the documents describe and the schema does not have.
    #[arg(long, requires = "from", conflicts_with = "operation")]
    all: bool,
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

impl NewArguments {
    fn source(&self) -> Option<DraftSource> {
        let title = self.operation.clone().unwrap_or_default();
        let section = self.from.clone().map(|folder| match self.all {
            true => DraftSource::Sections(folder),
            false => DraftSource::Section { folder, title },
        });
        let openapi = self.from_openapi.clone().map(DraftSource::OpenApi);
        section.or(openapi).or_else(|| self.from_recording.clone().map(DraftSource::Recording))
    }
}

pub(crate) fn new(generator: &Generator, arguments: &NewArguments, output: &Output) -> Result<(), Diagnostics> {
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

#[derive(Args)]
pub(crate) struct InitArguments {
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

pub(crate) fn init(arguments: &InitArguments, output: &Output) -> Result<(), Diagnostics> {
    let InitArguments { folder, name, crates, git, .. } = arguments;
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

/// The exit code when no fact differs but words wait for review.
const WORDS_TO_REVIEW: u8 = 3;

#[derive(Args)]
pub(crate) struct AuditArguments {
    /// Folder with the documents, each named after its key in api.yaml.
    #[arg(long, value_name = "FOLDER", required_unless_present = "changes")]
    docs: Option<PathBuf>,
    /// Compare instead a list of announced changes: a Markdown file whose entries have dates.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["docs", "was", "accept"])]
    changes: Option<PathBuf>,
    /// The documents as they were reviewed, in another folder or at a git revision of this one: shows which words
    /// changed.
    #[arg(long, value_name = "FOLDER|REVISION", value_parser = NonEmptyStringValueParser::new())]
    was: Option<String>,
    /// Record the sections as they are now in the schema's files.
    #[arg(long)]
    accept: bool,
    /// Record also sections in which facts differ, and accept these differences.
    #[arg(long, requires = "accept")]
    as_is: bool,
    /// Compare what can be read of a schema with mistakes, such as one with drafts that are not filled in.
    #[arg(long, conflicts_with = "changes")]
    partly: bool,
}

impl AuditArguments {
    /// Returns the folder, which is given unless changes are.
    fn docs(&self) -> &Path {
        self.docs.as_deref().unwrap_or(Path::new(""))
    }

    /// Returns the documents now, and those before: each read by a function of the schema.
    fn documents(
        &self,
        read: impl Fn(&Path) -> Result<Documents, Diagnostics>,
        read_at: impl Fn(&Path, &str) -> Result<Documents, Diagnostics>,
    ) -> Result<[Documents; 2], Diagnostics> {
        let were = match &self.was {
            None => Documents::default(),
            Some(folder) if is_folder(folder) => read(Path::new(folder))?,
            Some(revision) => read_at(self.docs(), revision)?,
        };
        Ok([read(self.docs())?, were])
    }

    fn audit(&self, generator: &Generator) -> Result<Audit, Diagnostics> {
        if self.partly {
            let schema = generator.read_unfinished()?;
            let [now, were] =
                self.documents(|folder| schema.documents(folder), |folder, at| schema.documents_at(folder, at))?;
            return Ok(schema.audit(&now, &were));
        }
        let schema = generator.read()?;
        let [now, were] =
            self.documents(|folder| schema.documents(folder), |folder, at| schema.documents_at(folder, at))?;
        Ok(schema.audit(&now, &were))
    }
}

/// Returns whether a name is that of a folder rather than of a revision: it exists, or no revision can be written so.
fn is_folder(name: &str) -> bool {
    Path::new(name).is_dir() || name.starts_with(['/', '.']) || name.contains('\\')
}

pub(crate) fn audit(
    generator: &Generator,
    arguments: &AuditArguments,
    output: &Output,
) -> Result<ExitCode, Diagnostics> {
    if let Some(changes) = &arguments.changes {
        return Ok(announced(&generator.read()?.announced(changes)?, output));
    }
    let audit = arguments.audit(generator)?;
    if output.is_json() {
        output.print(audit.as_json().trim_end());
    } else {
        output.print(&audit);
    }
    if arguments.accept {
        let (written, kept) = if arguments.as_is { audit.accept_as_is()? } else { audit.accept()? };
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

/// Prints how the schema stands to a list of announced changes, and returns the exit code.
fn announced(announced: &Announced, output: &Output) -> ExitCode {
    if output.is_json() {
        output.print(announced.as_json().trim_end());
    } else {
        output.print(announced);
    }
    let count = |standings: &[Standing]| standings.iter().map(|standing| announced.count(*standing)).sum::<usize>();
    let (open, unread) =
        (count(&[Standing::Contradicted, Standing::Missing]), count(&[Standing::Unjudged, Standing::Unplaced]));
    if open + unread > 0 {
        output.done("next: read the entries that are not covered; write in the schema what holds, and `aligned` of the document");
    }
    match (open, unread) {
        (0, 0) => ExitCode::SUCCESS,
        (0, _) => ExitCode::from(WORDS_TO_REVIEW),
        _ => ExitCode::FAILURE,
    }
}

/// Returns what to do next; `None` if nothing is left to do.
fn next(audit: &Audit, is_accepted: bool) -> Option<&'static str> {
    if audit.contradictions() > 0 {
        return Some(
            "write in the schema what the documents say now; where a document contradicts itself, choose, and name both \
             readings in an entry of `contradictions`; then run `check`, and `audit` with `--accept`",
        );
    }
    if audit.differences() > 0 {
        return Some("write in the schema what the documents say now, run `check`, then `audit` with `--accept`");
    }
    (audit.reviews() > 0 && !is_accepted)
        .then_some("read what changed; where the schema still says the same, record it: `audit` with `--accept`")
}

#[derive(Args)]
pub(crate) struct DiffArguments {
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

impl DiffArguments {
    pub(crate) fn format_of_mistakes(&self) -> OutputFormat {
        match self.format {
            Format::Table | Format::Markdown => OutputFormat::Human,
            Format::Json => OutputFormat::Json,
        }
    }

    /// Returns the older schema and the newer one.
    fn schemas(&self) -> Result<(Schema, Schema), Diagnostics> {
        let of = |folder: &Path| Generator::new().schema_dir(folder);
        match self.old.as_ref().zip(self.new.as_ref()) {
            Some((old, new)) => Ok((of(old).read()?, of(new).read()?)),
            None => Ok((of(&self.schema).read_at(&self.against)?, of(&self.schema).read()?)),
        }
    }
}

pub(crate) fn diff(arguments: &DiffArguments, output: &Output) -> Result<ExitCode, Diagnostics> {
    let (older, newer) = arguments.schemas()?;
    let diff = older.diff(&newer);
    output.print(diff.render(arguments.format).trim_end());
    let fails = arguments.fail_on.iter().any(|class| diff.count(*class) > 0);
    Ok(if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The time between two looks at the folder. An editor that saves several files takes less time than this between two
/// of them.
const INTERVAL: Duration = Duration::from_millis(200);

/// Generates after each change, until Ctrl-C. Mistakes are printed, and the next change is awaited.
pub(crate) fn watch(generator: &Generator, folder: &Path, output: &Output) -> ! {
    output.done(format_args!("watching {}; Ctrl-C ends it", folder.display()));
    loop {
        // Taken before the watch, so that a change during the watch counts as one after it.
        let before = state(folder);
        match generator.generate() {
            Ok(report) => output.done(report),
            Err(diagnostics) => {
                output.mistakes(&diagnostics);
            }
        }
        wait_for_change(folder, &before);
    }
}

/// Waits until the folder has changed and then stayed the same for an interval.
fn wait_for_change(folder: &Path, before: &State) {
    let mut last = state(folder);
    loop {
        sleep(INTERVAL);
        let now = state(folder);
        if now == last && now != *before {
            return;
        }
        last = now;
    }
}

/// The modification time and the length of each file.
type State = BTreeMap<PathBuf, (Option<SystemTime>, u64)>;

fn state(folder: &Path) -> State {
    let mut state = State::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        // Editors keep temporary files beside those they edit.
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => state.extend(self::state(&path)),
            Ok(metadata) => {
                state.insert(path, (metadata.modified().ok(), metadata.len()));
            }
            Err(_) => {}
        }
    }
    state
}
