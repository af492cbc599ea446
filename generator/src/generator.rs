//! The entry point: what to read and where to write.

#[cfg(feature = "cli")]
mod commands;
/// Nothing: build scripts are compiled without the tools.
#[cfg(not(feature = "cli"))]
mod commands {
    pub(super) type Cases = ();
    pub(super) const STRICTNESS: super::Strictness = super::Strictness { second: None, check: |_, _| {} };
}

#[cfg(feature = "cli")]
pub use commands::{
    DraftSource, Drafted, SiteOptions, Unfinished, compare_editor_schemas, editor_schemas, init_project,
    write_editor_schemas,
};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::compiler::check;
use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::earlier::{self, Earlier, RecordedFile};
use crate::compiler::emit::{self, Job, Layout};
use crate::compiler::load::{self, Reading, Remembered, SecondReader, Sources};
use crate::compiler::model::{self, Api, Counts};
use crate::compiler::select::Selection;
use crate::compiler::write::{self, Report, Writing};

/// The checks of a schema beside the rules of the compiler: as many as this build has, so that all commands agree on a
/// schema.
#[derive(Clone, Copy)]
struct Strictness {
    second: Option<SecondReader>,
    check: fn(&Api, &mut Diagnostics),
}

/// Reads a schema folder and writes a Rust client.
#[derive(Clone, Debug, Default)]
pub struct Generator {
    schema_dir: Option<PathBuf>,
    out_dir: Option<PathBuf>,
    layout: Layout,
    selection: Selection,
    remembered: Option<Remembered>,
}

/// A family, some of whose operations are emitted. Families and operations that are not named are left out.
#[derive(Clone, Debug)]
#[must_use]
pub struct Only {
    generator: Generator,
    family: String,
}

impl Only {
    /// Emits these operations and the types they reach.
    pub fn operations<S: Into<String>>(self, names: impl IntoIterator<Item = S>) -> Generator {
        let Self { mut generator, family } = self;
        generator.selection.add(family, names.into_iter().map(Into::into));
        generator
    }

    /// Emits the whole family.
    pub fn all(self) -> Generator {
        let Self { mut generator, family } = self;
        generator.selection.add_all(family);
        generator
    }
}

/// A schema without mistakes.
#[derive(Debug)]
pub struct Schema {
    pub(crate) api: Api,
    /// The names of its files, which places refer to by index.
    files: Vec<PathBuf>,
    cases: commands::Cases,
}

impl Generator {
    /// Creates a generator that reads `schema` and writes to `OUT_DIR`, which cargo sets for build scripts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the folder to read; `schema` by default.
    pub fn schema_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.schema_dir = Some(folder.into());
        self
    }

    /// Sets the output folder; by default the environment variable `OUT_DIR`.
    pub fn out_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(folder.into());
        self
    }

    /// Sets the layout of the emitted files; a module by default.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// Has this generator and its clones remember what each file says, so that later readings, also of other folders,
    /// parse only the files that differ. It is for programs that read a schema again and again; by default, nothing
    /// is remembered.
    pub fn remember(mut self) -> Self {
        self.remembered = Some(Remembered::default());
        self
    }

    /// Restricts the output to parts of the schema: a family, and then its operations.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), tradeapi_gen::Diagnostics> {
    /// tradeapi_gen::Generator::new()
    ///     .only("unified").operations(["place-order", "cancel-order"])
    ///     .only("broker").all()
    ///     .generate()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The whole schema is read and checked all the same.
    pub fn only(self, family: impl Into<String>) -> Only {
        Only { generator: self, family: family.into() }
    }

    /// Reads and checks the schema; writes nothing.
    ///
    /// # Errors
    /// Returns all mistakes of the schema.
    pub fn read(&self) -> Result<Schema, Diagnostics> {
        let folder = self.schema_folder();
        read(folder, folder, self.reading())
    }

    /// Reads, checks, emits and writes. Files whose bytes would not change are left alone, and nothing is made if the
    /// inputs are those of the last run; a hidden file in the output folder records that run.
    ///
    /// In a build script it also prints for cargo which files to watch.
    ///
    /// # Errors
    /// Returns all mistakes of the schema, or the file that cannot be written. With mistakes in the schema nothing is
    /// written.
    pub fn generate(&self) -> Result<Report, Diagnostics> {
        self.print_cargo_directives();
        let started = std::time::Instant::now();
        let report = self.generate_what_changed()?;
        Ok(Report { took: started.elapsed(), ..report })
    }

    fn generate_what_changed(&self) -> Result<Report, Diagnostics> {
        let (folder, mut to) = (self.schema_folder(), Diagnostics::default());
        let sources = Sources::read(folder, folder, &mut to);
        let how = (self.layout, &self.selection);
        let given = earlier::given(sources.texts(), &how);
        let earlier = self.out_folder().map(|out| Earlier::read(&out)).unwrap_or_default();
        if let Ok(out) = self.out_folder()
            && sources.are_sound
            && earlier.is_up_to_date(given, &out)
        {
            let writing = Writing::begin(&out, earlier.files.keys().cloned().collect(), &write::RUST, |_| None)?;
            earlier.files.keys().for_each(|name| writing.keep(name));
            return writing.finish().map(|report| Report { read: earlier.counts, ..report });
        }
        let schema = resolve_and_check(sources, folder, self.reading(), to)?;
        let (out, api) = (self.out_folder()?, self.selection.of(&schema.api)?);
        let jobs = emit::jobs(&api, self.layout);
        let writing = Writing::begin(&out, jobs.iter().map(|job| job.name.clone()).collect(), &write::RUST, |_| None)?;
        let files = emit::run(&jobs, |job| make(job, &earlier, &writing, &out.join(&job.name)));
        let report = writing.finish()?;
        let counts = schema.counts();
        Earlier { given, counts, files }.store(&out);
        Ok(Report { read: counts, ..report })
    }

    fn reading(&self) -> Reading<'_> {
        Reading { second: commands::STRICTNESS.second, remembered: self.remembered.as_ref() }
    }

    fn schema_folder(&self) -> &Path {
        self.schema_dir.as_deref().unwrap_or(Path::new("schema"))
    }

    fn out_folder(&self) -> Result<PathBuf, Diagnostics> {
        self.out_dir.clone().or_else(|| std::env::var_os("OUT_DIR").map(PathBuf::from)).ok_or_else(|| {
            let mut to = Diagnostics::default();
            to.whole(crate::Code::CannotWrite, "no output folder")
                .help("call `out_dir`, or run from a build script, where cargo sets OUT_DIR");
            to
        })
    }

    /// Prints the directives for cargo, which sets both variables only for build scripts, and parses their output.
    fn print_cargo_directives(&self) {
        let under_cargo = ["OUT_DIR", "HOST"].iter().all(|name| std::env::var_os(name).is_some());
        if !under_cargo {
            return;
        }
        for path in load::watched(self.schema_folder()) {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
}

/// Makes a file, and prints it unless its code is that of the earlier one.
fn make(job: &Job<'_>, earlier: &Earlier, writing: &Writing, path: &Path) -> RecordedFile {
    let file = job.make();
    let code = file.digest();
    if let Some(made) = earlier.files.get(&job.name).filter(|made| made.code == code && made.is_intact(path)) {
        writing.keep(&job.name);
        return *made;
    }
    let text = file.print();
    writing.put(&job.name, &text);
    RecordedFile { text: emit::digest(text.as_bytes()), code }
}

/// Reads and checks a schema; messages call its folder `shown`.
fn read(folder: &Path, shown: &Path, reading: Reading<'_>) -> Result<Schema, Diagnostics> {
    let mut to = Diagnostics::default();
    let sources = Sources::read(folder, shown, &mut to);
    resolve_and_check(sources, shown, reading, to)
}

/// Resolves and checks the files of a schema, in which mistakes may already have been found.
fn resolve_and_check(
    sources: Sources,
    shown: &Path,
    reading: Reading<'_>,
    mut to: Diagnostics,
) -> Result<Schema, Diagnostics> {
    let documents = load::load(sources, shown, reading, &mut to);
    let read = to.end_of_reading();
    let api = model::of(documents, &mut to);
    check::check(&api, &mut to);
    if reading.second.is_some() {
        (commands::STRICTNESS.check)(&api, &mut to);
    }
    to.drop_follow_ups(&read);
    to.fold_repeats();
    let files = to.files().to_vec();
    to.into_result().map(|()| Schema { api, files, cases: commands::Cases::default() })
}

impl Schema {
    /// Returns the number of operations, rules and other parts of the schema.
    pub fn counts(&self) -> Counts {
        Counts::of(&self.api)
    }

    /// Returns the emitted files by their names, without writing them.
    pub fn emit(&self, layout: Layout) -> BTreeMap<String, String> {
        emit::emit(&self.api, layout)
    }
}
