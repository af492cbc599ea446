//! Model -> files in memory, with a module for each kind of output.
//!
//! Tables are `const` and hold what differs from `DEFAULT`, and only what code reads: a rule that is not checked is
//! documentation. Items of one kind are declared by macros of the runtime (`open_enum!`, `record!`, `parameters!`,
//! `one_of!`, `by_value!`, `identifier!`, `codes!`, `client!`, `operations!`), so that emitted code names each value,
//! field and function once; a macro, unlike a derive, adds no dependency. Constructors stay ordinary code, because
//! people read them.

mod account;
mod batches;
mod code;
mod codes;
mod commands;
mod conditions;
mod confirm;
mod counterpart;
mod credentials;
mod declarations;
mod docs;
mod enums;
mod example;
mod front;
mod intents;
mod lifecycle;
mod lifecycle_drawing;
mod operation;
mod orders;
mod pages;
mod parameters;
mod reconcile;
mod records;
mod root;
mod rules;
mod scope;
mod trees;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) use batches::{DataShown, data_shown};
pub use code::Layout;
pub(crate) use code::{File, HEADER, digest};
pub(crate) use example::{ExampleCalls, example_calls};
pub(crate) use lifecycle_drawing::{Links, draw};

use crate::compiler::model::{Api, Family, Source};

/// A file to be emitted.
pub(crate) struct Job<'a> {
    /// The name relative to the output folder.
    pub(crate) name: String,
    file: Box<dyn Fn() -> File + Send + Sync + 'a>,
}

impl Job<'_> {
    /// Returns the file before it is printed.
    pub(crate) fn make(&self) -> File {
        (self.file)()
    }
}

/// Returns every file, by its name relative to the output folder.
pub(crate) fn emit(api: &Api, layout: Layout) -> BTreeMap<String, String> {
    run(&jobs(api, layout), |job| job.make().print())
}

/// Returns a job for each file.
pub(crate) fn jobs(api: &Api, layout: Layout) -> Vec<Job<'_>> {
    let root = match layout {
        Layout::Module => "api.rs",
        Layout::Crate => "lib.rs",
    };
    let mut jobs = vec![job(root, move || root::emit(api, layout))];
    jobs.extend(api.account.iter().map(|account| job("account.rs", move || account::emit(account))));
    if codes::of(api).next().is_some() {
        jobs.push(job("codes.rs", move || codes::emit(api)));
    }
    jobs.extend(api.families.iter().flat_map(|family| family_jobs(api, family, layout)));
    jobs.push(job("cli.rs", move || commands::emit(api, layout)));
    if layout == Layout::Crate && !api.guide.is_empty() {
        jobs.push(job("guide.rs", move || front::chapters(api)));
    }
    if layout == Layout::Crate {
        jobs.push(job("cli/main.rs", move || commands::main(api)));
    }
    jobs
}

fn job<'a>(name: impl Into<String>, file: impl Fn() -> File + Send + Sync + 'a) -> Job<'a> {
    Job { name: name.into(), file: Box::new(file) }
}

fn family_jobs<'a>(api: &'a Api, family: &'a Family, layout: Layout) -> Vec<Job<'a>> {
    let folder = module_name(&family.name);
    let file = |name: &str| format!("{folder}/{name}.rs");
    let mut jobs = vec![
        job(file("mod"), move || root::emit_family(api, family)),
        job(file("errors"), move || enums::emit_errors(family)),
    ];
    if !family.choices.is_empty() {
        jobs.push(job(file("choices"), move || enums::emit_choices(family)));
    }
    if !family.enums.is_empty() {
        jobs.push(job(file("enums"), move || enums::emit(api, family, layout)));
    }
    if !family.identifiers.is_empty() {
        jobs.push(job(file("identifiers"), move || enums::emit_identifiers(family)));
    }
    if let Some(lifecycle) = &family.lifecycle {
        jobs.push(job(file("lifecycle"), move || lifecycle::emit(api, family, lifecycle)));
    }
    if records::emitted(family).next().is_some() {
        jobs.push(job(file("records"), move || records::emit(api, family)));
    }
    for operation in &family.operations {
        let name = file(operation.function.trim_start_matches("r#"));
        jobs.push(job(name, move || operation::emit(api, family, operation, layout)));
    }
    jobs
}

/// Runs all jobs; returns what is made of each, by its name. Files do not depend on each other, so every core takes the
/// next job that is left.
pub(crate) fn run<T: Send>(jobs: &[Job<'_>], make: impl Fn(&Job<'_>) -> T + Sync) -> BTreeMap<String, T> {
    let next = AtomicUsize::new(0);
    let work = || {
        let left = std::iter::from_fn(|| jobs.get(next.fetch_add(1, Ordering::Relaxed)));
        left.map(|job| (job.name.clone(), make(job))).collect::<Vec<_>>()
    };
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..cores.min(jobs.len())).map(|_| scope.spawn(work)).collect();
        let mut made: BTreeMap<_, _> = work().into_iter().collect();
        for other in others {
            made.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        made
    })
}

/// Returns the module of a family.
fn module_name(family: &str) -> String {
    crate::compiler::model::field_name(family).unwrap_or_default()
}

/// Returns the place in the documents, as Markdown.
fn source_line(api: &Api, source: &Source) -> String {
    let title = docs::escape(api.document_title(source.document()));
    match source.section() {
        Some(section) => format!("Source: {title}, section *{}*.", docs::escape(section)),
        None => format!("Source: {title}."),
    }
}
