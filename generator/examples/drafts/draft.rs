//! The statements of the drafts of a family, read from their YAML.

use std::collections::BTreeMap;
use std::path::Path;

use serde_yaml::Value as Yaml;

use crate::fill::{operations, read};
use crate::stated::{BOUNDS, Members, Operation, Stated, text};

/// The statements of the drafts of a family.
pub(crate) struct Drafts {
    pub(crate) operations: Vec<Operation>,
    types: Yaml,
    comments: BTreeMap<String, String>,
    /// The empty keys of all files.
    pub(crate) empty: usize,
}

impl Drafts {
    /// Reads the folder of a family.
    pub(crate) fn of(folder: &Path) -> Self {
        let path = folder.join("types.yaml");
        let types = if path.exists() { read(&path) } else { Yaml::Null };
        let comments = if path.exists() { comments_of(&path) } else { BTreeMap::new() };
        let mut this = Self { operations: Vec::new(), empty: empty_keys(&types), types, comments };
        for path in operations(folder) {
            let (yaml, comments) = (read(&path), comments_of(&path));
            this.empty += empty_keys(&yaml);
            let (method, at) = yaml["http"].as_str().unwrap().split_once(' ').unwrap();
            let has_body = ["POST", "PUT", "PATCH"].contains(&method);
            let sends = yaml["sends"].as_str().unwrap_or(if has_body { "json" } else { "query" });
            let (mut parameters, forms) = this.members(&yaml["request"], &comments, "request");
            for (name, stated) in &mut parameters {
                let is_header = yaml["request"][name.as_str()]["in"].as_str().map(str::to_owned);
                let in_path = at.contains(&format!("{{{name}}}")).then(|| "path".to_owned());
                stated.place = is_header.or(in_path).unwrap_or_else(|| sends.to_owned());
                if let Some(sent) = yaml["request"][name.as_str()]["sent_as"].as_str() {
                    sent.clone_into(name);
                }
            }
            let answer = ["object", "array"].into_iter().find_map(|key| {
                let record = yaml["response"][key].as_str().filter(|_| yaml["response"]["body"] != "bytes")?;
                if this.types["records"][record]["as_value"] == true {
                    return this.record(record).pop().map(|(_, only)| only);
                }
                let mut stated = Stated { kinds: vec![key.to_owned()], named: record.to_owned(), ..Stated::default() };
                stated.items.extend((key == "array").then(|| "object".to_owned()));
                Some(stated)
            });
            let not_read = std::fs::read_to_string(&path).unwrap();
            let not_read = not_read.split("\n# Not read:\n").nth(1).unwrap_or_default().lines();
            let not_read = not_read.map(|line| line.trim_start_matches("# ").to_owned()).collect();
            let (method, path) = (method.to_owned(), at.to_owned());
            let document = yaml["source"]["document"].as_str().unwrap_or_default().to_owned();
            this.operations.push(Operation { method, path, parameters, forms, answer, document, not_read });
        }
        this
    }

    /// Returns the fields of a record.
    pub(crate) fn record(&self, name: &str) -> Members {
        self.fields(&self.types["records"][name]["fields"], &self.comments, &format!("records/{name}/fields"))
    }

    /// Returns the members of each record of which a record is one, with their records; none if it is not one of
    /// several.
    pub(crate) fn cases(&self, name: &str) -> Vec<(String, Members)> {
        let cases = self.types["records"][name]["one_of"].as_mapping().into_iter().flatten();
        let names = cases.map(|(case, _)| case.as_str().unwrap().to_owned());
        let members = |case: &str| {
            let is_value = self.types["records"][case]["as_value"] == true;
            if is_value { Vec::new() } else { self.record(case) }
        };
        names.map(|case| (case.clone(), members(&case))).collect()
    }

    fn fields(&self, all: &Yaml, comments: &BTreeMap<String, String>, at: &str) -> Members {
        self.members(all, comments, at).0
    }

    /// Returns members, and those of each form of a choice among them.
    fn members(&self, all: &Yaml, comments: &BTreeMap<String, String>, at: &str) -> (Members, Vec<Members>) {
        let (mut found, mut forms) = (Vec::new(), Vec::new());
        for (name, field) in all.as_mapping().into_iter().flatten() {
            let name =
                name.as_str().map_or_else(|| serde_yaml::to_string(name).unwrap().trim().to_owned(), str::to_owned);
            let at = format!("{at}/{name}");
            match field["type"].as_str().map(|name| (name, &self.types["choices"][name])) {
                Some((choice, own)) if own.is_mapping() => {
                    let mut own = self.choice(choice, own);
                    // A request quotes the rows of its alternatives where it has the choice.
                    for (_, member) in own.iter_mut().flatten() {
                        member.comments.push_str(comments.get(&at).map_or("", String::as_str));
                    }
                    forms.extend(own);
                }
                _ => found.push((name, self.field(field, comments, &at))),
            }
        }
        (found, forms)
    }

    /// Returns the members of each form of a choice.
    fn choice(&self, name: &str, choice: &Yaml) -> Vec<Members> {
        let at = format!("choices/{name}");
        let alternatives = self.fields(&choice["one_of"], &self.comments, &format!("{at}/one_of"));
        let required = |(name, one)| vec![(name, Stated { is_required: true, ..one })];
        let mut forms: Vec<Members> = alternatives.into_iter().map(required).collect();
        for (value, members) in choice["cases"].as_mapping().into_iter().flatten() {
            let value = value.as_str().unwrap().to_owned();
            let mut members = self.fields(members, &self.comments, &format!("{at}/cases/{value}"));
            let (kinds, values) = (vec!["string".to_owned()], vec![value]);
            let decider = Stated { kinds, values, is_required: true, ..Stated::default() };
            members.push((choice["choose_by"].as_str().unwrap().to_owned(), decider));
            forms.push(members);
        }
        forms
    }

    fn field(&self, field: &Yaml, comments: &BTreeMap<String, String>, at: &str) -> Stated {
        let has = |key: &str| field.as_mapping().is_some_and(|all| all.contains_key(key));
        let mut stated = Stated {
            is_required: field["required"] == "always",
            is_deprecated: has("deprecated"),
            may_be_null: has("may_be"),
            comments: comments.get(at).cloned().unwrap_or_default(),
            ..Stated::default()
        };
        for (_, key) in BOUNDS {
            if let Some(bound) = field.get(key) {
                stated.bounds.insert(key, text(&serde_json::to_value(bound).unwrap()));
            }
        }
        if let (Some(shortest), Some(longest)) = (field["length"][0].as_u64(), field["length"][1].as_u64()) {
            stated.bounds.extend((shortest > 0).then(|| ("shortest", shortest.to_string())));
            stated.bounds.insert("longest", longest.to_string());
        }
        if let Some(fixed) = field["fixed"].as_str() {
            stated.values.push(fixed.to_owned());
            stated.is_required = true;
        }
        (stated.fields, stated.forms) = self.members(&field["fields"], comments, &format!("{at}/fields"));
        let ty = ["type", "list", "map"].into_iter().find(|key| has(key));
        match ty {
            Some(key) if field[key].is_null() => stated.is_empty = true,
            Some(key) => {
                let kinds = self.kinds(field, field[key].as_str().unwrap(), &mut stated);
                match key {
                    "type" => stated.kinds = kinds,
                    "list" => (stated.kinds, stated.items) = (vec!["array".to_owned()], kinds),
                    _ => (stated.kinds, stated.items) = (vec!["map".to_owned()], kinds),
                }
            }
            None if has("item") => {
                (stated.kinds, stated.items) = (vec!["array".to_owned()], vec!["object".to_owned()]);
            }
            None => stated.kinds = vec!["object".to_owned()],
        }
        stated
    }

    /// Returns the types in JSON of a type of the language.
    fn kinds(&self, field: &Yaml, name: &str, stated: &mut Stated) -> Vec<String> {
        let in_quotes = field["json"] == "text";
        let kind = match name {
            "string" | "date" => "string",
            "boolean" | "integer" | "signed" | "decimal" | "time" if in_quotes => "string",
            "time" if field["times"] == "iso8601" => "string",
            "time" | "integer" | "signed" => "integer",
            "decimal" => "number",
            "boolean" => "boolean",
            "json" => "json",
            _ if self.types["records"][name].is_mapping() => {
                stated.named = name.to_owned();
                "object"
            }
            _ => {
                let all = self.types["enums"][name]["values"].as_mapping().unwrap_or_else(|| panic!("{name}"));
                let only = field["only"].as_sequence().map(|only| only.iter().collect::<Vec<_>>());
                let values = only.unwrap_or_else(|| all.keys().collect());
                stated.values = values.into_iter().map(|value| value.as_str().unwrap().to_owned()).collect();
                if field["json"] == "number" { "integer" } else { "string" }
            }
        };
        stated.is_unsigned = name == "integer";
        vec![kind.to_owned()]
    }
}

/// Returns the keys without a value.
fn empty_keys(value: &Yaml) -> usize {
    match value {
        Yaml::Mapping(all) => {
            all.iter().map(|(key, value)| if value.is_null() && key != "may_be" { 1 } else { empty_keys(value) }).sum()
        }
        Yaml::Sequence(items) => items.iter().map(empty_keys).sum(),
        _ => 0,
    }
}

/// Returns the comments above each key, by the path of the key.
fn comments_of(path: &Path) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(path).unwrap();
    let (mut found, mut above) = (BTreeMap::new(), String::new());
    let mut outer: Vec<(usize, String)> = Vec::new();
    for line in text.lines() {
        let rest = line.trim_start();
        if let Some(comment) = rest.strip_prefix("# ") {
            above = format!("{above}{comment}\n");
            continue;
        }
        let key = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split("\":").next().map(|key| key.replace("\\\"", "\"").replace("\\\\", "\\")),
            None => rest.split_once(':').map(|(key, _)| key.to_owned()),
        };
        let Some(key) = key.filter(|_| !rest.is_empty()) else {
            above.clear();
            continue;
        };
        let indent = line.len() - rest.len();
        outer.retain(|(other, _)| *other < indent);
        outer.push((indent, key));
        let at: Vec<&str> = outer.iter().map(|(_, key)| key.as_str()).collect();
        found.insert(at.join("/"), std::mem::take(&mut above));
    }
    found
}
