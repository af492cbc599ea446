//! The statements of a file, compared with those of its drafts.

use std::collections::BTreeSet;
use std::path::Path;

use tradeapi_gen::Drafted;

use crate::draft::Drafts;
use crate::file;
use crate::stated::{BOUNDS, Members, Operation, Stated};

/// The amount of a kind in the file, and in the drafts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Share {
    pub(crate) read: usize,
    pub(crate) all: usize,
}

impl Share {
    pub(crate) fn count(&mut self, is_read: bool) {
        self.all += 1;
        self.read += usize::from(is_read);
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}", self.read, self.all)
    }
}

/// The measurements of a file.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    pub(crate) operations: Share,
    pub(crate) parameters: Share,
    /// Parameters with listed values, and those that are required.
    pub(crate) enums: Share,
    pub(crate) required: Share,
    /// The fields of answers.
    pub(crate) answers: Share,
    pub(crate) empty_keys: usize,
    /// Facts that the drafts state otherwise, or neither state nor leave empty nor list as not read.
    pub(crate) wrong: Vec<String>,
    /// The pairs of a schema of the file and a record that were compared.
    compared: BTreeSet<(String, String)>,
}

/// Compares a file with the drafts in the folder of a family.
pub(crate) fn compare(path: &Path, family: &Path, drafted: &Drafted) -> Measured {
    let (operations, drafts) = (file::operations(&file::read(path)), Drafts::of(family));
    let mut measured = Measured { empty_keys: drafts.empty, ..Measured::default() };
    for operation in &operations {
        let is_same = |draft: &&Operation| is_same_address(draft, operation);
        let draft = drafts.operations.iter().find(is_same);
        measured.operations.count(draft.is_some());
        let is_listed = || {
            let mut listed = drafted.left_out.iter();
            listed.any(|line| {
                let place = line.split(": ").next().unwrap_or_default();
                place.strip_prefix(&operation.method).is_some_and(|path| operation.path.ends_with(path.trim()))
            })
        };
        match draft {
            Some(draft) => measured.operation(operation, draft, &drafts),
            None if is_listed() => {}
            None => measured.wrong.push(format!("{} {}: lost", operation.method, operation.path)),
        }
    }
    let is_made_up = |draft: &&Operation| !operations.iter().any(|operation| is_same_address(draft, operation));
    for draft in drafts.operations.iter().filter(is_made_up) {
        measured.wrong.push(format!("{} {}: made up", draft.method, draft.path));
    }
    measured
}

impl Measured {
    fn operation(&mut self, operation: &Operation, draft: &Operation, drafts: &Drafts) {
        let at = format!("{} {}", operation.method, operation.path);
        let is_body = |one: &Stated| ["json", "form"].contains(&one.place.as_str());
        let of_body = draft.not_read.iter().any(|line| line.starts_with("the body, "));
        for (name, stated) in &operation.parameters {
            // A part of a path may have another name, because none is sent.
            let place = parts(&operation.path).iter().position(|part| part == name);
            let part =
                place.filter(|_| stated.place == "path").and_then(|place| parts(&draft.path).get(place).copied());
            let found = draft.parameters.iter().find(|(known, own)| {
                *known == part.unwrap_or(name)
                    && (own.place == stated.place || own.is_empty && !["path", "header"].contains(&own.place.as_str()))
            });
            let said = if is_body(stated) {
                format!("the member {name} of the body")
            } else {
                format!("the {} parameter {name},", stated.place)
            };
            let is_listed = draft.not_read.iter().any(|line| line.starts_with(&said)) || is_body(stated) && of_body;
            match found {
                Some((_, found)) => self.parameter(&format!("{at}: {name}"), stated, found),
                // The schema has it among its own headers, or the draft says so.
                None if is_listed => self.lost(stated),
                None => {
                    self.lost(stated);
                    self.wrong.push(format!("{at}: {} parameter {name} is lost", stated.place));
                }
            }
        }
        for (name, own) in &draft.parameters {
            let is_known = parts(&draft.path).contains(&name.as_str())
                || operation.parameters.iter().any(|(known, _)| known == name);
            if !is_known && !own.is_empty {
                self.wrong.push(format!("{at}: {name} is made up"));
            }
        }
        if !of_body {
            self.forms(&at, &operation.forms, &draft.forms);
        }
        match (&operation.answer, &draft.answer) {
            (Some(answer), Some(own)) if own.is_empty => self.lost_fields(answer),
            (Some(answer), Some(own)) => {
                if drafts.cases(&own.named).is_empty() {
                    self.kinds(&format!("{at}: answer"), answer, own);
                }
                if own.named.is_empty() {
                    self.lost_fields(answer);
                } else {
                    self.record(&format!("{at}: answer"), answer, &own.named, drafts);
                }
            }
            (Some(answer), None) => self.lost_fields(answer),
            (None, Some(_)) => self.wrong.push(format!("{at}: the answer is made up")),
            (None, None) => {}
        }
    }

    /// Counts what is not in the draft.
    fn lost(&mut self, stated: &Stated) {
        self.parameters.count(false);
        if !stated.values.is_empty() {
            self.enums.count(false);
        }
        if stated.is_required {
            self.required.count(false);
        }
        stated.fields.iter().for_each(|(_, field)| self.lost(field));
    }

    fn lost_fields(&mut self, stated: &Stated) {
        if self.compared.insert((stated.named.clone(), String::new())) || stated.named.is_empty() {
            for (_, field) in stated.fields.iter().chain(stated.forms.iter().flatten()) {
                self.answers.count(false);
                self.lost_fields(field);
            }
        }
    }

    fn parameter(&mut self, at: &str, stated: &Stated, own: &Stated) {
        if own.is_empty {
            self.lost(stated);
            return;
        }
        self.parameters.count(true);
        self.kinds(at, stated, own);
        self.forms(at, &stated.forms, &own.forms);
        let says = |key: &str| own.comments.contains(&format!("`{key}` is not read"));
        if stated.is_required != own.is_required {
            self.wrong.push(format!("{at}: required is {}, not {}", stated.is_required, own.is_required));
        }
        if stated.is_required {
            self.required.count(own.is_required);
        }
        if stated.is_deprecated != own.is_deprecated {
            self.wrong.push(format!("{at}: deprecated is {}", stated.is_deprecated));
        }
        self.values(at, stated, own);
        for (key, of_draft) in BOUNDS {
            let implied =
                of_draft == "min" && own.is_unsigned && stated.bounds.get(of_draft).is_some_and(|min| min == "0");
            let is_short = |shortest: &String| ["0", "1"].contains(&shortest.as_str());
            let implied = implied || of_draft == "shortest" && stated.bounds.get(of_draft).is_some_and(is_short);
            match (stated.bounds.get(of_draft), own.bounds.get(of_draft)) {
                (Some(bound), Some(known)) if is_same(bound, known) => {}
                (Some(_), None) if implied || says(key) => {}
                (Some(default), None) if own.comments.contains(&format!("Default {default}, although")) => {}
                (None, None) => {}
                (bound, known) => self.wrong.push(format!("{at}: {key} is {bound:?}, not {known:?}")),
            }
        }
        if stated.may_be_null && !own.may_be_null && !says("nullable") {
            self.wrong.push(format!("{at}: may be null"));
        }
        for (name, field) in &stated.fields {
            match own.fields.iter().find(|(known, _)| known == name) {
                Some((_, known)) => self.parameter(&format!("{at}.{name}"), field, known),
                None => {
                    self.lost(field);
                    self.wrong.push(format!("{at}.{name} is lost"));
                }
            }
        }
        for (name, _) in &own.fields {
            if !stated.fields.iter().any(|(known, _)| known == name) {
                self.wrong.push(format!("{at}.{name} is made up"));
            }
        }
    }

    /// Compares the members of each form. Forms that are no choice of the language are listed.
    fn forms(&mut self, at: &str, stated: &[Members], own: &[Members]) {
        let names = |forms: &[Members]| -> BTreeSet<Vec<String>> {
            let sorted = |form: &Members| form.iter().map(|(name, _)| name.clone()).collect::<BTreeSet<_>>();
            forms.iter().map(|form| sorted(form).into_iter().collect()).collect()
        };
        if names(stated) != names(own) || stated.len() != own.len() {
            self.wrong.push(format!("{at}: the forms have {:?}, not {:?}", names(stated), names(own)));
            return;
        }
        for (form, known) in stated.iter().zip(own) {
            for (name, member) in form {
                match known.iter().find(|(other, _)| other == name) {
                    Some((_, own)) => self.parameter(&format!("{at}: {name}"), member, own),
                    None => self.wrong.push(format!("{at}: {name} is in another form")),
                }
            }
        }
    }

    fn values(&mut self, at: &str, stated: &Stated, own: &Stated) {
        let sorted = |values: &[String]| values.iter().cloned().collect::<BTreeSet<_>>();
        let is_truth = sorted(&stated.values) == sorted(&["false".to_owned(), "true".to_owned()]);
        if !stated.values.is_empty() {
            self.enums.count(!own.values.is_empty() || is_truth);
        }
        if sorted(&stated.values) != sorted(&own.values) && !(is_truth && own.kinds == ["boolean"]) {
            self.wrong.push(format!("{at}: the values are {:?}, not {:?}", stated.values, own.values));
        }
    }

    fn kinds(&mut self, at: &str, stated: &Stated, own: &Stated) {
        let is_said = own.comments.contains("is not read");
        let fits = |of_file: &[String], known: &[String]| match known {
            // JSON of any form.
            [known] if known == "json" => is_said || of_file.is_empty() || of_file == ["object"],
            // Whole numbers that are listed are values of either type.
            [known] if known == "integer" && !own.values.is_empty() && of_file == ["number"] => true,
            [known] => of_file.iter().any(|kind| kind == known),
            known => known == of_file,
        };
        let is_sound = fits(&stated.kinds, &own.kinds) && (own.items.is_empty() || fits(&stated.items, &own.items));
        if !is_sound {
            let (kinds, known) = ((&stated.kinds, &stated.items), (&own.kinds, &own.items));
            self.wrong.push(format!("{at}: the type is {kinds:?}, not {known:?}"));
        }
        // The only value of a constant has a sign of its own.
        if own.is_unsigned && !stated.is_unsigned && stated.values.is_empty() {
            self.wrong.push(format!("{at}: it can be negative"));
        }
    }

    /// Compares the forms of an answer with the records of which it is one.
    fn cases(&mut self, at: &str, stated: &Stated, cases: &[(String, Members)], drafts: &Drafts) {
        let names = |members: &Members| members.iter().map(|(name, _)| name.clone()).collect::<BTreeSet<_>>();
        for (case, members) in cases {
            let same: Vec<&Members> = stated.forms.iter().filter(|form| names(form) == names(members)).collect();
            // Of forms with the same members, the one with the same values.
            let has_values = |form: &Members| {
                form.iter()
                    .zip(members)
                    .all(|((_, one), (_, other))| one.values.is_empty() || one.values == other.values)
            };
            let form = same.iter().find(|form| has_values(form)).or(same.first());
            // What a form refers to again has no members here.
            let is_again = || stated.forms.iter().any(Vec::is_empty);
            match form {
                Some(form) => {
                    let named = format!("{}/{case}", stated.named);
                    let form = Stated { fields: (*form).clone(), named, ..Stated::default() };
                    self.record(&format!("{at}: {case}"), &form, case, drafts);
                }
                None if is_again() => {}
                None => self.wrong.push(format!("{at}: no form has the members of {case}")),
            }
        }
        for form in stated.forms.iter().filter(|form| !form.is_empty()) {
            if !cases.iter().any(|(_, members)| names(members) == names(form)) {
                self.wrong.push(format!("{at}: no record has the members {:?}", names(form)));
            }
        }
    }

    /// Compares the fields of an object in an answer with a record.
    fn record(&mut self, at: &str, stated: &Stated, record: &str, drafts: &Drafts) {
        let place = if stated.named.is_empty() { at.to_owned() } else { stated.named.clone() };
        let cases = drafts.cases(record);
        if !cases.is_empty() {
            if self.compared.insert((place, record.to_owned())) {
                self.cases(at, stated, &cases, drafts);
            }
            return;
        }
        if stated.fields.is_empty() || !self.compared.insert((place, record.to_owned())) {
            return;
        }
        let fields = drafts.record(record);
        for (name, field) in &stated.fields {
            let at = format!("{at}.{name}");
            let Some((_, own)) = fields.iter().find(|(known, _)| known == name) else {
                self.answers.count(false);
                self.wrong.push(format!("{at} is lost"));
                continue;
            };
            self.answers.count(!own.is_empty);
            if own.is_empty {
                self.lost_fields(field);
                continue;
            }
            if drafts.cases(&own.named).is_empty() {
                self.kinds(&at, field, own);
            }
            let is_truth = own.kinds == ["boolean"];
            let is_open = own.kinds == ["json"] || own.items == ["json"];
            if !own.values.is_empty() && own.values.iter().collect::<BTreeSet<_>>() != field.values.iter().collect()
                || own.values.is_empty() && !field.values.is_empty() && !is_truth && !is_open
            {
                self.wrong.push(format!("{at}: the values are {:?}, not {:?}", field.values, own.values));
            }
            if field.may_be_null != own.may_be_null {
                self.wrong.push(format!("{at}: null is {}", field.may_be_null));
            }
            if own.named.is_empty() {
                self.lost_fields(field);
            } else {
                self.record(&at, field, &own.named, drafts);
            }
        }
        for (name, _) in fields {
            if !stated.fields.iter().any(|(known, _)| *known == name) {
                self.wrong.push(format!("{at}.{name} is made up"));
            }
        }
    }
}

/// Returns the names in braces of a path.
fn parts(path: &str) -> Vec<&str> {
    path.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).collect()
}

/// Returns whether two operations have the same method and path, whatever the parts of the path are called.
fn is_same_address(one: &Operation, other: &Operation) -> bool {
    let shape = |path: &str| {
        parts(path).iter().fold(path.to_owned(), |path, part| path.replacen(&format!("{{{part}}}"), "{}", 1))
    };
    one.method == other.method && shape(&one.path) == shape(&other.path)
}

/// Returns whether two texts are the same number, or the same text.
fn is_same(bound: &str, known: &str) -> bool {
    bound == known || bound.parse::<f64>().ok().is_some_and(|bound| known.parse() == Ok(bound))
}
