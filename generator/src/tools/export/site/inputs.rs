//! Inputs of the site besides the model: the files of the schema, the documents, and the tests that demonstrate rules.

use std::collections::BTreeMap;
use std::path::Path;

use crate::compiler::diagnostics::{Code, Diagnostics};

/// Inputs of the site besides the model.
#[derive(Clone, Debug, Default)]
pub(crate) struct SiteInputs {
    /// The files of the schema, in the order of the indices in places.
    pub(crate) schema: Vec<SourceFile>,
    /// The documents by their keys; empty if the site has none.
    pub(crate) documents: BTreeMap<String, DocumentFile>,
    pub(crate) tests: RuleTests,
}

/// A file of the schema.
#[derive(Clone, Debug)]
pub(crate) struct SourceFile {
    /// The name relative to the folder of the schema.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// A document, with the lines of the places that rules name.
#[derive(Clone, Debug, Default)]
pub(crate) struct DocumentFile {
    pub(crate) text: String,
    /// The line of each place, such as `Place Order, rule 4`.
    pub(crate) lines: BTreeMap<String, usize>,
}

/// The tests that show how the exchange treats requests that keep or break a rule.
#[derive(Clone, Debug, Default)]
pub struct RuleTests {
    /// The tests by the subject and the id of the rule.
    tests: BTreeMap<(String, String), RuleTest>,
}

/// A test and its location.
#[derive(Clone, Debug)]
pub(crate) struct RuleTest {
    pub(crate) name: String,
    /// The file with the test, beside the list.
    pub(crate) file: String,
    pub(crate) line: usize,
}

impl RuleTests {
    /// Reads a list of tests. A line has the family or the operation of a rule, the id of the rule, and the test as
    /// `module::name`, separated by tabs; the module is a Rust file beside the list.
    ///
    /// # Errors
    /// Fails if a file cannot be read, if a line has another form, or if a test is not in its file.
    pub fn read(list: &Path) -> Result<Self, Diagnostics> {
        let mut to = Diagnostics::default();
        let mut tests = BTreeMap::new();
        for (number, line) in (1..).zip(read(list, &mut to).lines()) {
            let columns: Vec<&str> = line.split('\t').collect();
            let found = match columns[..] {
                [about, rule, test] => {
                    found(list, test, &mut to).map(|found| ((about.to_owned(), rule.to_owned()), found))
                }
                _ => None,
            };
            match found {
                Some((rule, test)) => {
                    tests.insert(rule, test);
                }
                None => {
                    to.whole(Code::CannotRead, format!("{}:{number} names no test: {line}", list.display())).help(
                        "a line is `operation<TAB>rule<TAB>module::test`, and the module is a file beside the list",
                    );
                }
            }
        }
        to.into_result().map(|()| Self { tests })
    }

    /// Returns the test that demonstrates a rule.
    pub(crate) fn of(&self, about: &str, rule: &str) -> Option<&RuleTest> {
        self.tests.get(&(about.to_owned(), rule.to_owned()))
    }

    /// Returns the rules that have a test, each with its subject.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &(String, String)> {
        self.tests.keys()
    }
}

fn found(list: &Path, test: &str, to: &mut Diagnostics) -> Option<RuleTest> {
    let (module, name) = test.rsplit_once("::")?;
    let file = format!("{}.rs", module.replace("::", "/"));
    let path = list.with_file_name(&file);
    let start = format!("fn {name}(");
    let at = read(&path, to).lines().position(|line| {
        let line = line.trim_start();
        line.trim_start_matches("pub ").trim_start_matches("async ").starts_with(&start)
    })?;
    Some(RuleTest { name: name.to_owned(), file, line: at + 1 })
}

fn read(path: &Path, to: &mut Diagnostics) -> String {
    crate::compiler::plain_text::read(path).unwrap_or_else(|error| {
        to.whole(Code::CannotRead, format!("cannot read {}: {error}", path.display()))
            .help("name a list of tests, and keep it beside the files that have them");
        String::new()
    })
}
