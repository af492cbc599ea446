//! Documents, compared with their drafts by a second reader, which knows rows of tables and items, and nothing else.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_yaml::Value as Yaml;
use tradeapi_gen::{Diagnostics, DraftSource, Generator};

use crate::compare::Share;
use crate::draft::Drafts;
use crate::stated::{Operation, Stated};

const API: &str = "api: sample\ndoc: An API to be drafted.\ndocuments:\n";
const FAMILY: &str = "family: sample\ntitle: Sample\ndoc: An API to be drafted.\nnumbers: json\nerrors: {}\n";

/// The columns of the table: so many of the statements that rows have were read, the rest is left empty or listed.
pub(crate) const HEAD: &str = "\
| documents | operations | parameters | needs | defaults | bounds | values | wrong in silence |
|---|---|---|---|---|---|---|---|";

/// The measurements of a folder.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    operations: Share,
    parameters: Share,
    needs: Share,
    defaults: Share,
    bounds: Share,
    values: Share,
    /// Statements of drafts that no row has, and values of a row that its draft lacks.
    pub(crate) wrong: Vec<String>,
}

impl std::fmt::Display for Measured {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { operations, parameters, needs, defaults, bounds, values, wrong } = self;
        write!(f, "{operations} | {parameters} | {needs} | {defaults} | {bounds} | {values} | {}", wrong.len())
    }
}

/// Drafts every section of the documents of a folder, which may hold an `api.yaml` with their `reading`.
pub(crate) fn measure(folder: &Path, room: &Path) -> Result<Measured, Diagnostics> {
    let family = room.join("schema/sample");
    std::fs::create_dir_all(&family).unwrap();
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut documents: Vec<_> = files.filter(|path| path.extension().is_some_and(|ext| ext == "md")).collect();
    documents.sort();
    let stem = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    let keys: String = documents.iter().map(|path| format!("  {}: {{ title: Sample }}\n", stem(path))).collect();
    let api = std::fs::read_to_string(folder.join("api.yaml")).unwrap_or_else(|_| format!("{API}{keys}"));
    std::fs::write(room.join("schema/api.yaml"), &api).unwrap();
    std::fs::write(family.join("family.yaml"), FAMILY).unwrap();
    let generator = Generator::new().schema_dir(room.join("schema"));
    let drafted = generator.draft("sample", &DraftSource::Sections(folder.to_owned()))?;
    let drafts = Drafts::of(&family);
    let mut measured = Measured::default();
    let api: Yaml = serde_yaml::from_str(&api).unwrap();
    let all: String = documents.iter().map(|path| std::fs::read_to_string(path).unwrap() + "\n").collect();
    for path in documents {
        let marks = |key: &str, usual: &[&str]| {
            let own = api["documents"][stem(&path).as_str()]["reading"][key].as_sequence().into_iter().flatten();
            let own = own.filter_map(|mark| mark.as_str().map(str::to_owned));
            own.chain(usual.iter().map(|mark| (*mark).to_owned())).collect()
        };
        let marks = Marks { required: marks("required", &REQUIRED), optional: marks("optional", &OPTIONAL) };
        let own = drafts.operations.iter().filter(|operation| operation.document == stem(&path));
        measured.document(&std::fs::read_to_string(&path).unwrap(), &all, own, &marks);
    }
    let is_operation = |path: &&PathBuf| !["types.yaml", "family.yaml"].iter().any(|other| path.ends_with(other));
    measured.operations.read = drafted.written.iter().filter(is_operation).count();
    Ok(measured)
}

/// The marks of needs.
struct Marks {
    required: Vec<String>,
    optional: Vec<String>,
}

/// A row of a table: its line, and its cells.
struct Row<'a> {
    line: usize,
    cells: Vec<&'a str>,
}

impl Row<'_> {
    fn text(&self) -> String {
        self.cells.join(" | ")
    }

    /// Returns the cells behind the name, in which code has the marks of Markdown.
    fn notes(&self) -> String {
        let tags = ["<code>", "</code>", "<tt>", "</tt>"];
        tags.iter().fold(self.cells[1..].join(" | "), |text, tag| text.replace(tag, "`"))
    }

    /// Returns the words in code behind the name.
    fn codes(&self) -> BTreeSet<String> {
        self.notes().split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }

    /// Returns whether a sentence requires one of these names, under no condition and with no other codes.
    fn offers(&self, names: &BTreeSet<&str>) -> bool {
        const DUE: [&str; 4] = ["must", "required", "mandatory", "needs"];
        const CASES: [&str; 5] = ["For", "If", "When", "In", "Under"];
        let text = self.notes().replace(". ", "\n").replace(['<', '>', ';', '|'], "\n");
        text.lines().any(|sentence| {
            let mut codes = sentence.split('`').skip(1).step_by(2);
            let words = sentence.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
            let words: Vec<&str> = words.collect();
            let is_case = sentence.split(" or ").next().is_some_and(|start| start.contains(':'))
                || words.first().is_some_and(|word| CASES.contains(word));
            let (is_due, is_choice) = (words.iter().any(|word| DUE.contains(word)), words.contains(&"or"));
            let is_about = words.iter().any(|word| names.contains(word));
            is_due && is_choice && is_about && !is_case && codes.all(|code| names.contains(code))
        })
    }

    /// Returns the need that the cells state, if one does.
    fn need(&self, Marks { required, optional }: &Marks) -> Option<bool> {
        let bare = |cell: &str| {
            let inner = |open: &str, close: &str| cell.strip_prefix(open)?.strip_suffix(close).map(str::to_owned);
            inner("**", "**").or_else(|| inner("<b>", "</b>")).unwrap_or_else(|| cell.to_owned())
        };
        let has = |marks: &[String], cell: &str| marks.iter().any(|mark| mark.eq_ignore_ascii_case(&bare(cell)));
        let mark = self.cells[0].trim_start_matches(|c: char| c.is_alphanumeric() || "`_.[]".contains(c)).trim();
        let mark = mark.trim_matches(['(', ')', '`', '*', '_']).split(',').next().unwrap_or_default();
        let note = self.cells.iter().find_map(|cell| cell.strip_prefix('[')?.split_once(']').map(|(mark, _)| mark));
        let stars = self.cells[0].trim_end_matches(')').ends_with('*').then_some("*");
        let all =
            self.cells[1..].iter().copied().chain([mark]).chain(note).chain(stars).filter(|cell| !cell.is_empty());
        let said = all
            .clone()
            .find_map(|cell| has(required, cell).then_some(true).or_else(|| has(optional, cell).then_some(false)));
        said.or_else(|| optional.iter().any(String::is_empty).then_some(false))
    }
}

const REQUIRED: [&str; 6] = ["yes", "true", "y", "m", "required", "mandatory"];
const OPTIONAL: [&str; 5] = ["no", "false", "n", "o", "optional"];
const BOUNDS: [&str; 9] =
    ["max", "min", "at most", "at least", "between", "less than", "greater than", "exceed", "range"];

impl Measured {
    fn document<'a>(&mut self, text: &str, all: &str, operations: impl Iterator<Item = &'a Operation>, marks: &Marks) {
        let methods = ["GET", "POST", "PUT", "DELETE", "PATCH"];
        let is_address = |line: &&str| {
            let mut words = line.split(|c: char| c.is_whitespace() || "`|\"'=".contains(c));
            words.any(|word| methods.contains(&word)) && line.contains('/') && !line.trim_start().starts_with("//")
                || line.contains("curl ") && line.contains("://")
        };
        self.operations.all += text.lines().filter(is_address).count();
        let rows: Vec<Row<'_>> = rows(text).into_iter().chain(html_rows(text)).collect();
        for operation in operations {
            let at = format!("{} {}", operation.method, operation.path);
            let chosen: BTreeSet<&str> = operation.forms.iter().flatten().map(|(name, _)| name.as_str()).collect();
            for (name, stated) in operation.parameters.iter().chain(operation.forms.iter().flatten()) {
                self.parameter(&at, (name, stated), &rows, all, marks, &chosen);
            }
        }
    }

    fn parameter(
        &mut self,
        at: &str,
        (name, stated): (&str, &Stated),
        rows: &[Row<'_>],
        text: &str,
        marks: &Marks,
        chosen: &BTreeSet<&str>,
    ) {
        let lines = stated.comments.split("line ").skip(1).filter_map(|rest| rest.split(':').next()?.parse().ok());
        let lines: Vec<usize> = lines.collect();
        let Some(row) = rows.iter().find(|row| lines.contains(&row.line) && row.cells[0].contains(name)) else {
            self.parameters.count(false);
            self.wrong.push(format!("{at}: no row has {name}"));
            return;
        };
        self.parameters.count(true);
        if chosen.contains(name) {
            let own = rows.iter().filter(|row| lines.contains(&row.line));
            self.needs.count(true);
            if !own.into_iter().any(|row| row.offers(chosen)) {
                self.wrong.push(format!("{at}: no row offers {name} as a choice"));
            }
        } else if let Some(is_required) = row.need(marks) {
            self.needs.count(true);
            if is_required != stated.is_required {
                self.wrong.push(format!("{at}: {name} is {}", if is_required { "required" } else { "optional" }));
            }
        }
        let said = row.text().replace(['`', ','], "").to_lowercase();
        let has = |word: &str| {
            said.split(|c: char| !(c.is_alphanumeric() || "._-".contains(c)))
                .any(|own| own.trim_end_matches('.') == word.to_lowercase())
        };
        let default = stated.bounds.get("default");
        if said.contains("default") {
            self.defaults.count(default.is_some());
        }
        if BOUNDS.iter().any(|word| said.contains(word)) || row.text().contains('[') && said.contains(char::is_numeric)
        {
            self.bounds
                .count(["min", "max", "min_items", "max_items"].iter().any(|key| stated.bounds.contains_key(key)));
        }
        for (key, bound) in stated.bounds.iter().filter(|(_, bound)| !has(bound)) {
            self.wrong.push(format!("{at}: {name} has no {key} {bound}"));
        }
        self.values(at, name, stated, row, text);
    }

    fn values(&mut self, at: &str, name: &str, stated: &Stated, row: &Row<'_>, text: &str) {
        let codes = row.codes();
        let is_linked = row.text().split("](").skip(1).any(|link| {
            let address = link.split(')').next().unwrap_or_default();
            address.contains('#') && !address.contains("://")
        });
        if codes.len() > 1 || is_linked {
            self.values.count(!stated.values.is_empty());
        }
        let listed: BTreeSet<&String> = stated.values.iter().collect();
        // Values from elsewhere begin a row or an item of a document.
        let begins = |value: &str| {
            let starts = |line: &str| {
                let rest = line.trim_start_matches(['|', '-', '*', ' ', '`']);
                rest.strip_prefix(value)
                    .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
            };
            text.lines().any(starts)
        };
        let is_here = stated.values.iter().any(|value| row.text().contains(value.as_str()));
        for value in stated
            .values
            .iter()
            .filter(|value| if is_here { !row.text().contains(value.as_str()) } else { !begins(value) })
        {
            self.wrong.push(format!("{at}: {name} has no value {value}"));
        }
        let lost = codes
            .iter()
            .filter(|code| is_here && !listed.contains(code) && stated.bounds.values().all(|bound| bound != *code));
        let lost: Vec<&String> = lost.collect();
        if !lost.is_empty() {
            self.wrong.push(format!("{at}: {name} lacks {lost:?}"));
        }
    }
}

/// Returns the rows of tables in HTML, each at the line of its first cell.
fn html_rows(text: &str) -> impl Iterator<Item = Row<'_>> {
    text.match_indices("<tr").filter_map(|(at, _)| {
        let row = text[at..].split("</tr>").next()?;
        let first = at + row.find("<td")?;
        let cells = row.split("<td").skip(1).filter_map(|cell| cell.split_once('>')?.1.split("</td>").next());
        Some(Row { line: text[..first].matches('\n').count() + 1, cells: cells.map(str::trim).collect() })
    })
}

/// Returns the rows of all tables below their heads, and the items of lists with a colon.
fn rows(text: &str) -> Vec<Row<'_>> {
    let cells = |line: &str| line.contains('|').then_some(());
    let rule = |line: &str| line.contains("--") && line.chars().all(|c| "|-: ".contains(c));
    let mut found = Vec::new();
    let mut is_body = false;
    for (nth, line) in text.lines().enumerate() {
        if let Some((name, note)) = line.strip_prefix("- ").and_then(|item| item.split_once(": ")) {
            found.push(Row { line: nth + 1, cells: vec![name, note] });
        }
        is_body = is_body && cells(line).is_some() || rule(line);
        if is_body && !rule(line) {
            let bare = line.trim().trim_start_matches('|').trim_end_matches('|');
            found.push(Row { line: nth + 1, cells: bare.split('|').map(str::trim).collect() });
        }
    }
    found
}
