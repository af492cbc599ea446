//! The meaning of a change of the schema for those who depend on the emitted crate, as text for a terminal, a changelog or
//! a program.
//!
//! Two resolved schemas are compared rather than their texts: the elements of both are paired by name, and the keys of
//! each pair are compared. The key itself states the effect of a difference, next to its value.
//!
//! The tests verify each verdict with the compiler: both crates are emitted, and code that uses every public item of
//! the older one is compiled against the newer.
//!
//! `cargo-semver-checks` ignores the types of fields and arguments, so it is a second opinion only. A change of
//! behaviour needs a minor version.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use clap::builder::PossibleValue;
use serde::Serialize;

use super::list::align;
use crate::compiler::diagnostics::Place;
use crate::compiler::model::Api;
use crate::compiler::model::elements::{Element, KeyChange, Verdict, differences};

pub use crate::compiler::model::elements::Class;

/// The differences between two versions of a schema, most serious first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diff {
    /// The differences without duplicates.
    pub differences: Vec<Difference>,
}

/// A schema with the names of its files, which places refer to by index.
pub(crate) struct SchemaVersion<'a> {
    pub(crate) api: &'a Api,
    pub(crate) files: &'a [PathBuf],
}

/// Compares an older schema with a newer one.
pub(crate) fn diff(old: &SchemaVersion<'_>, new: &SchemaVersion<'_>) -> Diff {
    let mut findings = Findings::default();
    elements(&mut findings, &old.api.element(), &new.api.element());
    Diff { differences: findings.sorted().into_iter().map(|finding| name_file(finding, old, new)).collect() }
}

fn name_file(finding: Finding, old: &SchemaVersion<'_>, new: &SchemaVersion<'_>) -> Difference {
    let (files, place) = match finding.spot {
        VersionedPlace::New(place) => (new.files, place),
        VersionedPlace::Old(place) => (old.files, place),
    };
    Difference {
        class: finding.verdict.class,
        kind: finding.kind,
        subjects: finding.subjects,
        change: finding.change,
        means: finding.verdict.means.into_owned(),
        file: files.get(place.file as usize).cloned().unwrap_or_default(),
        line: place.line,
        column: place.column,
    }
}

impl Diff {
    /// Returns the part of the version number that has to increase.
    pub fn bump(&self) -> Bump {
        self.differences.iter().map(|difference| difference.class.bump()).max().unwrap_or(Bump::None)
    }

    /// Returns the number of differences of a class.
    pub fn count(&self, class: Class) -> usize {
        self.of(class).count()
    }

    /// Returns the differences of a class.
    pub fn of(&self, class: Class) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(move |difference| difference.class == class)
    }

    /// Returns the differences as text.
    pub fn render(&self, format: Format) -> String {
        render(self, format)
    }
}

/// A place in one of the two schemas. Places of removed elements sort last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum VersionedPlace {
    New(Place),
    Old(Place),
}

/// One difference between two versions of a schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// The effect on a crate that depends on the emitted one.
    pub class: Class,
    /// The kind of element that differs: an operation, a parameter, a field, a rule.
    pub kind: &'static str,
    /// The elements that differ, such as `unified.place-order.price`; several if one change shows in several elements.
    pub subjects: Vec<String>,
    /// The kind of difference.
    pub change: Change,
    /// The effect in Rust or on the wire.
    pub means: String,
    /// The file: of the newer schema, or of the older one if the element was removed.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: u32,
    /// The column in characters, counted from 1.
    pub column: u32,
}

/// The kind of difference between two versions of an element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "is", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Change {
    /// Added.
    Added,
    /// Removed.
    Removed,
    /// One of its keys changed.
    Changed {
        /// The key.
        what: &'static str,
        /// The older value; empty if there is none.
        old: String,
        /// The newer value; empty if there is none.
        new: String,
        /// True if the value is prose, which is too long for a table.
        prose: bool,
    },
}

/// A difference before the names of its files are resolved.
struct Finding {
    spot: VersionedPlace,
    kind: &'static str,
    subjects: Vec<String>,
    change: Change,
    verdict: Verdict,
}

/// All findings, without duplicates.
#[derive(Default)]
struct Findings {
    all: Vec<Finding>,
}

impl Findings {
    /// Adds a difference. A change that is written once and shows in several elements, such as a field that records
    /// include, is one difference with several subjects.
    fn add(&mut self, kind: &'static str, path: &str, spot: VersionedPlace, change: Change, verdict: Verdict) {
        let is_same = |other: &&mut Finding| {
            other.spot == spot && other.kind == kind && other.change == change && other.verdict == verdict
        };
        match self.all.iter_mut().find(is_same) {
            Some(same) => same.subjects.push(path.to_owned()),
            None => self.all.push(Finding { spot, kind, subjects: vec![path.to_owned()], change, verdict }),
        }
    }

    /// Returns the findings, most serious first, and ordered by place within a class.
    fn sorted(mut self) -> Vec<Finding> {
        self.all.sort_by(|a, b| {
            let key = |finding: &Finding| (finding.verdict.class, finding.spot);
            key(a).cmp(&key(b)).then_with(|| a.subjects.cmp(&b.subjects))
        });
        self.all
    }
}

/// The part of the version number that has to increase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Bump {
    /// None: nothing differs.
    None,
    /// The last number.
    Patch,
    /// The number in the middle.
    Minor,
    /// The first number.
    Major,
}

impl Class {
    /// Returns the part of the version number that has to increase for it.
    pub fn bump(self) -> Bump {
        match self {
            Self::Breaking => Bump::Major,
            Self::Behaviour | Self::Additive => Bump::Minor,
            Self::Documentation => Bump::Patch,
        }
    }
}

impl Bump {
    /// Returns the bump as a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }

    /// Returns the effect on a version, also below 1.0, where cargo treats the middle number as the first.
    pub fn example(self) -> &'static str {
        match self {
            Self::None => "the version stays",
            Self::Patch => "1.4.2 becomes 1.4.3; below 1.0, 0.4.2 becomes 0.4.3",
            Self::Minor => "1.4.2 becomes 1.5.0; below 1.0, 0.4.2 becomes 0.4.3",
            Self::Major => "1.4.2 becomes 2.0.0; below 1.0, 0.4.2 becomes 0.5.0",
        }
    }
}

impl clap::ValueEnum for Class {
    fn value_variants<'a>() -> &'a [Self] {
        Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (_, doc) = Self::ALL.iter().zip(Self::DOCS).find(|(class, _)| *class == self)?;
        Some(PossibleValue::new(self.as_str()).help(doc.trim().trim_end_matches('.')))
    }
}

impl Serialize for Class {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for Bump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Compares two versions of an element and everything within.
fn elements(to: &mut Findings, old: &Element, new: &Element) {
    for KeyChange { key, older, newer, places: [old_place, new_place], verdict } in differences(&old.keys, &new.keys) {
        let spot = new_place
            .map(VersionedPlace::New)
            .or(old_place.map(VersionedPlace::Old))
            .unwrap_or(VersionedPlace::New(new.written));
        let change = Change::Changed { what: key.name, old: older, new: newer, prose: key.is_prose };
        to.add(new.kind, &new.path, spot, change, verdict);
    }
    if old.form == new.form {
        for kind in kinds(old, new) {
            of_kind(to, kind, old, new);
        }
    }
}

/// Returns the kinds of elements in either version.
fn kinds(old: &Element, new: &Element) -> Vec<&'static str> {
    let mut kinds = Vec::new();
    for element in new.elements.iter().chain(&old.elements) {
        if !kinds.contains(&element.kind) {
            kinds.push(element.kind);
        }
    }
    kinds
}

/// Compares the elements of one kind in two versions of their parent.
fn of_kind(to: &mut Findings, kind: &str, old: &Element, new: &Element) {
    let olds: Vec<&Element> = old.elements.iter().filter(|element| element.kind == kind).collect();
    let news: Vec<&Element> = new.elements.iter().filter(|element| element.kind == kind).collect();
    let pairs = PairedElements::of(olds.clone(), news.clone());
    for removed in pairs.removed {
        let verdict = match &new.removed_within {
            Some((of, verdict)) if *of == kind => verdict.clone(),
            _ => removed.removed.clone(),
        };
        to.add(removed.kind, &removed.path, VersionedPlace::Old(removed.place), Change::Removed, verdict);
    }
    for (old, new) in &pairs.both {
        elements(to, old, new);
    }
    for more in pairs.added {
        let verdict = lost_conversion(&olds, more).unwrap_or_else(|| more.added.clone());
        to.add(more.kind, &more.path, VersionedPlace::New(more.place), Change::Added, verdict);
    }
    order(to, new, &pairs.both, &news);
}

/// Returns the verdict on a lost `From`, which can convert a type only as long as a single alternative has that type.
fn lost_conversion(olds: &[&Element], more: &Element) -> Option<Verdict> {
    let from = more.converts_from.as_ref()?;
    let same_type = olds.iter().filter(|old| old.converts_from.as_ref() == Some(from)).count();
    let means = format!("a new variant; the conversion from {from} is removed, because two variants would need it");
    (same_type == 1).then(|| Verdict { class: Class::Breaking, means: means.into() })
}

/// Reports a changed order of elements whose order matters. If two arguments have the same type, code with the old
/// order still compiles and means something else, which is worse than an error.
fn order(to: &mut Findings, of: &Element, both: &[(&Element, &Element)], news: &[&Element]) {
    let is_kept = |(old, new): &&(&Element, &Element)| old.order.is_some() && new.order.is_some();
    let older: Vec<&Element> = both.iter().filter(is_kept).map(|(_, new)| *new).collect();
    let is_one = |new: &&Element| older.iter().any(|kept| std::ptr::eq(*kept, *new));
    let newer: Vec<&Element> = news.iter().copied().filter(is_one).collect();
    let moved = older.iter().zip(&newer).find(|(old, new)| !std::ptr::eq(**old, **new)).map(|(_, new)| *new);
    if let Some((moved, order)) = moved.and_then(|moved| Some((moved, moved.order.as_ref()?))) {
        let names = |all: &[&Element]| all.iter().map(|one| one.names[0].as_str()).collect::<Vec<_>>().join(", ");
        let change = Change::Changed { what: "order", old: names(&older), new: names(&newer), prose: false };
        let place: Place = moved.place;
        to.add(order.kind, &of.path, VersionedPlace::New(place), change, order.verdict.clone());
    }
}

/// The elements of two versions, paired by their names.
struct PairedElements<'a> {
    /// The elements of both versions; those that kept their first name come first, in the order of the older version.
    both: Vec<(&'a Element, &'a Element)>,
    removed: Vec<&'a Element>,
    added: Vec<&'a Element>,
}

impl<'a> PairedElements<'a> {
    /// Pairs elements by their first name, and the rest by the second.
    fn of(removed: Vec<&'a Element>, added: Vec<&'a Element>) -> Self {
        let mut pairs = Self { both: Vec::new(), removed, added };
        for name in 0..2 {
            let mut left = Vec::new();
            for old in std::mem::take(&mut pairs.removed) {
                match pairs.added.iter().position(|new| old.names[name] == new.names[name]) {
                    Some(at) => pairs.both.push((old, pairs.added.remove(at))),
                    None => left.push(old),
                }
            }
            pairs.removed = left;
        }
        pairs
    }
}

/// A form of the differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// A table for a terminal.
    #[default]
    Table,
    /// Markdown for a changelog.
    Markdown,
    /// JSON for a program.
    Json,
}

fn render(diff: &Diff, format: Format) -> String {
    match format {
        Format::Table => table(diff),
        Format::Markdown => markdown(diff),
        Format::Json => json(diff),
    }
}

/// Returns the classes that have differences, most serious first.
fn classes(diff: &Diff) -> impl Iterator<Item = Class> {
    Class::ALL.iter().copied().filter(|class| diff.count(*class) > 0)
}

/// Returns the number of differences of each class.
fn counts(diff: &Diff) -> String {
    classes(diff).map(|class| format!("{} {class}", diff.count(class))).collect::<Vec<_>>().join(", ")
}

/// The punctuation of a format: how texts of the schema are quoted, and what separates old and new values.
struct Marks {
    quote: fn(&str) -> String,
    colon: &'static str,
    arrow: &'static str,
}

const TABLE: Marks = Marks { quote: str::to_owned, colon: ":", arrow: "->" };

const MARKDOWN: Marks = Marks { quote: code, colon: "", arrow: "→" };

impl Marks {
    /// Returns how something differs.
    fn change(&self, difference: &Difference) -> String {
        let Change::Changed { what, old, new, prose } = &difference.change else {
            return if difference.change == Change::Added { "new" } else { "removed" }.to_owned();
        };
        let Self { quote, colon, arrow } = self;
        let now = match (prose, old.is_empty(), new.is_empty()) {
            (true, false, false) => "reworded".to_owned(),
            (true, true, _) => "new text".to_owned(),
            (true, ..) => "text removed".to_owned(),
            (false, true, _) => format!("{} now", quote(new)),
            (false, _, true) => format!("{} no longer", quote(old)),
            (false, ..) => format!("{} {arrow} {}", quote(old), quote(new)),
        };
        format!("{what}{colon} {now}")
    }
}

/// Returns the place: `file:line:column`.
fn place(difference: &Difference) -> String {
    let file = difference.file.display().to_string().replace('\\', "/");
    format!("{file}:{}:{}", difference.line, difference.column)
}

/// Returns a block for each class, then the version that is needed.
fn table(diff: &Diff) -> String {
    if diff.bump() == Bump::None {
        return "no differences\n".to_owned();
    }
    let mut out = String::new();
    for class in classes(diff) {
        out.push_str(&format!("{class}\n{}\n", align(diff.of(class).map(table_row).collect())));
    }
    let bump = diff.bump();
    out.push_str(&format!("{}: needs a new {bump} version ({})\n", counts(diff), bump.example()));
    out
}

fn table_row(difference: &Difference) -> [String; 5] {
    [
        format!("  {}", difference.kind),
        difference.subjects.join(", "),
        TABLE.change(difference),
        difference.means.clone(),
        place(difference),
    ]
}

/// Returns a list for each class, under the headings of a changelog.
fn markdown(diff: &Diff) -> String {
    let bump = diff.bump();
    if bump == Bump::None {
        return "Nothing differs.\n".to_owned();
    }
    let mut out = format!("Needs a new **{bump}** version: {}.\n", bump.example());
    for class in classes(diff) {
        out.push_str(&format!("\n### {}\n\n", heading(class)));
        out.extend(diff.of(class).map(markdown_item));
    }
    out
}

fn heading(class: Class) -> &'static str {
    match class {
        Class::Breaking => "Breaking",
        Class::Behaviour => "Behaviour",
        Class::Additive => "Added",
        Class::Documentation => "Documentation",
    }
}

fn markdown_item(difference: &Difference) -> String {
    let subjects: Vec<_> = difference.subjects.iter().map(|subject| code(subject)).collect();
    let means = if difference.means.is_empty() { String::new() } else { format!("; {}", difference.means) };
    let (kind, change, place) = (difference.kind, MARKDOWN.change(difference), code(&place(difference)));
    format!("- {kind} {}: {change}{means} ({place})\n", subjects.join(", "))
}

/// Returns a code span whose fence is longer than any run of backticks in the text.
fn code(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest > 0 { format!("{fence} {text} {fence}") } else { format!("{fence}{text}{fence}") }
}

/// The complete JSON output.
#[derive(Serialize)]
struct JsonOutput<'a> {
    bump: Bump,
    counts: BTreeMap<Class, usize>,
    differences: &'a [Difference],
}

/// Returns a single object with the bump, the number of differences of each class, and the differences.
fn json(diff: &Diff) -> String {
    let counts = Class::ALL.iter().map(|class| (*class, diff.count(*class))).collect();
    let answer = JsonOutput { bump: diff.bump(), counts, differences: &diff.differences };
    // Plain data with texts as keys always has a JSON form.
    serde_json::to_string_pretty(&answer).unwrap_or_default() + "\n"
}
