//! What the site shows beside the model: the files of the schema, the documents, and the tests that show rules.

use std::collections::BTreeMap;
use std::path::Path;

use crate::diagnostics::{Code, Diagnostics};

/// What the site shows beside the model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beside {
    /// The files of the schema, in the order in which places refer to them.
    pub(crate) schema: Vec<SourceFile>,
    /// The documents, if the site has them, by their keys.
    pub(crate) documents: BTreeMap<String, DocumentFile>,
    pub(crate) tests: RuleTests,
}

/// A file of the schema.
#[derive(Clone, Debug)]
pub(crate) struct SourceFile {
    /// Its name below the folder of the schema.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// A document, and the lines of what rules name as their places.
#[derive(Clone, Debug, Default)]
pub(crate) struct DocumentFile {
    pub(crate) text: String,
    /// The line of each place, such as `Place Order, rule 4`.
    pub(crate) lines: BTreeMap<String, usize>,
}

/// The tests that show how the exchange treats requests that a rule is about.
#[derive(Clone, Debug, Default)]
pub struct RuleTests {
    /// By what the rule is about, and by its id.
    tests: BTreeMap<(String, String), RuleTest>,
}

/// A test, and where it is.
#[derive(Clone, Debug)]
pub(crate) struct RuleTest {
    pub(crate) name: String,
    /// The file beside the list that names the test.
    pub(crate) file: String,
    pub(crate) line: usize,
}

impl RuleTests {
    /// Reads a list of tests. A line has the family or the operation that a rule is about, the id of the rule, and the test
    /// as `module::name`, parted by tabulators; the module is a Rust file beside the list.
    ///
    /// # Errors
    /// A file that cannot be read, a line of another form, or a test that is not in its file.
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

    /// The test that shows a rule.
    pub(crate) fn of(&self, about: &str, rule: &str) -> Option<&RuleTest> {
        self.tests.get(&(about.to_owned(), rule.to_owned()))
    }

    /// The rules that have a test, each after what it is about.
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
    std::fs::read_to_string(path).unwrap_or_else(|error| {
        to.whole(Code::CannotRead, format!("cannot read {}: {error}", path.display()))
            .help("name a list of tests, and keep it beside the files that have them");
        String::new()
    })
}
