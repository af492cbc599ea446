//! Answers to the empty keys of a draft, so that it can be checked, generated and compiled: what a person would have to
//! decide is made up.

use std::path::{Path, PathBuf};

use serde_yaml::Value as Yaml;

/// The values that are made up where a draft has an empty key.
struct Filler {
    types: Yaml,
}

/// Fills the empty keys of the files of a family.
pub(crate) fn fill(folder: &Path) {
    let path = folder.join("types.yaml");
    let mut types = if path.exists() { read(&path) } else { yaml("{}") };
    texts_for_gaps(&mut types);
    let mut this = Filler { types };
    for path in operations(folder) {
        let mut operation = read(&path);
        this.operation(&mut operation);
        write(&path, &operation);
    }
    write(&path, &this.types);
}

/// Returns the files of the operations in the folder of a family.
pub(crate) fn operations(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_operation =
        |path: &PathBuf| !["family.yaml", "types.yaml"].contains(&path.file_name().unwrap().to_str().unwrap());
    let mut files: Vec<PathBuf> = files.filter(is_operation).collect();
    files.sort();
    files
}

/// Returns the value of a YAML file.
pub(crate) fn read(path: &Path) -> Yaml {
    let text = std::fs::read_to_string(path).unwrap();
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn write(path: &Path, value: &Yaml) {
    std::fs::write(path, serde_yaml::to_string(value).unwrap()).unwrap();
}

fn yaml(text: &str) -> Yaml {
    serde_yaml::from_str(text).unwrap()
}

impl Filler {
    fn operation(&mut self, operation: &mut Yaml) {
        if operation["response"].is_null() {
            operation["response"] = yaml("{ object: Filled }");
            self.types["records"]["Filled"] = yaml("{ doc: Nothing is known of it., fields: {} }");
        }
        let effect = "{ is: create, why: It is made up. }";
        let answers = [("effect", effect), ("access", "public"), ("rate_limit", "[]"), ("request", "{}")];
        let mapping = operation.as_mapping_mut().unwrap();
        for (key, answer) in answers {
            if mapping.get(key).is_some_and(|value| value.is_null()) {
                mapping.insert(key.into(), yaml(answer));
            }
        }
        mapping.remove("examples");
        texts_for_gaps(operation);
        let request = &operation["request"];
        let is_array = request["[]"].is_mapping() && request.as_mapping().is_some_and(|all| all.len() == 1);
        let request = if is_array { self.value(&request["[]"]) } else { self.object(request) };
        let record = operation["response"]["object"].as_str().unwrap_or_default();
        let response = match operation["response"]["array"].is_string() {
            true => "[]".to_owned(),
            false => self.answer(record).to_string(),
        };
        operation["examples"] = yaml("[{ about: A call. }]");
        operation["examples"][0]["request"] = request.to_string().into();
        operation["examples"][0]["response"] = response.into();
    }

    /// Returns the shortest answer that is this record.
    fn answer(&self, record: &str) -> serde_json::Value {
        let record = &self.types["records"][record];
        let first = |of: &Yaml| {
            of.as_mapping().and_then(|all| all.iter().next()).map(|(key, value)| (key.clone(), value.clone()))
        };
        if let Some((case, words)) = first(&record["one_of"]) {
            let case = case.as_str().unwrap();
            let fields = &self.types["records"][case]["fields"];
            let word = words.as_str().or(words[0].as_str());
            return match (record["choose_by"].as_str(), word) {
                (Some(decider), Some(word)) => {
                    let decided = Yaml::Mapping([("fixed".into(), word.into())].into_iter().collect());
                    serde_json::json!({decider: self.single(fields[decider]["type"].as_str().unwrap(), &decided)})
                }
                (_, Some(member)) => serde_json::json!({member: self.field(&fields[member])}),
                (_, None) => self.answer(case),
            };
        }
        match first(&record["fields"]).filter(|_| record["as_value"] == true) {
            Some((_, only)) => self.field(&only),
            None => serde_json::json!({}),
        }
    }

    /// Returns a value of a field of a record.
    fn field(&self, field: &Yaml) -> serde_json::Value {
        match field["type"].as_str() {
            Some(record) if self.types["records"][record].is_mapping() => self.answer(record),
            Some(_) => self.value(field),
            None if field["list"].is_string() => serde_json::json!([]),
            None => serde_json::json!({}),
        }
    }

    /// Returns an object with the required ones of these parameters.
    fn object(&self, parameters: &Yaml) -> serde_json::Value {
        let all = parameters.as_mapping().into_iter().flatten();
        let is_sent = |parameter: &Yaml| parameter["required"] == "always" || !parameter["fixed"].is_null();
        let required = all.filter(|(_, parameter)| is_sent(parameter));
        let mut object = serde_json::Map::new();
        for (name, parameter) in required {
            let choice = parameter["type"].as_str().and_then(|name| self.types["choices"].get(name));
            let alternative = choice.and_then(|choice| choice["one_of"].as_mapping()?.iter().next());
            if let Some((value, members)) = choice.and_then(|choice| choice["cases"].as_mapping()?.iter().next()) {
                let decider = choice.and_then(|choice| choice["choose_by"].as_str()).unwrap();
                object.insert(decider.to_owned(), value.as_str().unwrap().into());
                object.extend(self.object(members).as_object().unwrap().clone());
                continue;
            }
            let (name, parameter) = alternative.unwrap_or((name, parameter));
            object.insert(name.as_str().unwrap().to_owned(), self.value(parameter));
        }
        object.into()
    }

    /// Returns a value of a parameter, within its bounds.
    fn value(&self, parameter: &Yaml) -> serde_json::Value {
        let items = |item: serde_json::Value| {
            let count = parameter["min_items"].as_u64().unwrap_or(1).max(1);
            (0..count).map(|_| item.clone()).collect()
        };
        if parameter["item"].is_string() {
            return items(self.object(&parameter["fields"]));
        }
        if parameter["object"].is_string() {
            return self.object(&parameter["fields"]);
        }
        if parameter["map"].is_string() {
            let value = self.single(parameter["map"].as_str().unwrap(), parameter);
            return serde_json::json!({"a": value});
        }
        if let Some(of) = parameter["list"].as_str() {
            return items(self.single(of, parameter));
        }
        self.single(parameter["type"].as_str().unwrap(), parameter)
    }

    fn single(&self, of: &str, parameter: &Yaml) -> serde_json::Value {
        let bound = |key: &str| serde_json::to_value(&parameter[key]).ok().filter(|bound| bound.is_number());
        let is_text = parameter["json"] == "text";
        let number = bound("min").or_else(|| bound("max").filter(|max| max.as_f64() < Some(1.0))).unwrap_or(1.into());
        if let Some(fixed) = parameter["fixed"].as_str() {
            let is_number = ["integer", "signed", "decimal"].contains(&of) && !is_text;
            return if is_number { serde_json::from_str(fixed).unwrap() } else { fixed.into() };
        }
        match of {
            "string" if parameter["pattern"].is_string() => {
                let length = [0, 1].map(|end| parameter["length"][end].as_u64());
                matching(parameter["pattern"].as_str().unwrap(), length).into()
            }
            "string" => "a".repeat(parameter["length"][0].as_u64().unwrap_or(1).max(1).try_into().unwrap()).into(),
            "date" => "2026-09-21".into(),
            "boolean" => true.into(),
            "integer" | "signed" | "decimal" if is_text => number.to_string().into(),
            "integer" | "signed" | "decimal" => number,
            "json" => serde_json::json!({}),
            "time" if parameter["times"] == "iso8601" => "2026-01-01T00:00:00Z".into(),
            "time" => 1_790_000_000_000_u64.into(),
            other if self.types["identifiers"][other].is_mapping() => "a".into(),
            other => {
                let values = self.types["enums"][other]["values"].as_mapping().unwrap_or_else(|| panic!("{other}"));
                let listed = parameter["only"].as_sequence().and_then(|only| only.first());
                let first = listed.or_else(|| values.keys().next());
                let first = first.and_then(Yaml::as_str).unwrap();
                if parameter["json"] == "number" { first.parse::<i64>().unwrap().into() } else { first.into() }
            }
        }
    }
}

/// Fills in a text or a type for each empty key.
fn texts_for_gaps(value: &mut Yaml) {
    match value {
        Yaml::Mapping(mapping) => {
            for (key, value) in mapping.iter_mut() {
                let is_type = ["type", "list", "map"].contains(&key.as_str().unwrap_or_default());
                if key.as_str() == Some("may_be") {
                    continue;
                }
                if value.is_null() {
                    *value = if is_type { "string" } else { "A text." }.into();
                } else {
                    texts_for_gaps(value);
                }
            }
        }
        Yaml::Sequence(items) => items.iter_mut().for_each(texts_for_gaps),
        _ => {}
    }
}

/// Returns a text that matches a pattern, of a length if one is stated.
fn matching(pattern: &str, length: [Option<u64>; 2]) -> String {
    use proptest::strategy::{Strategy, ValueTree};
    let mut pattern = in_ascii(&printable(&without_anchors(pattern)));
    if let ([Some(least), Some(most)], Some(repeated)) = (length, pattern.strip_suffix(['+', '*'])) {
        pattern = format!("{repeated}{{{least},{most}}}");
    }
    let strategy = proptest::string::string_regex(&pattern).unwrap();
    strategy.new_tree(&mut proptest::test_runner::TestRunner::deterministic()).unwrap().current()
}

/// Returns a pattern without what stands for a place, which no text is made from.
fn without_anchors(pattern: &str) -> String {
    let (mut kept, mut is_class, mut chars) = (String::new(), false, pattern.chars());
    while let Some(one) = chars.next() {
        match (one, is_class) {
            ('\\', _) => match chars.next() {
                Some('b' | 'B' | 'A' | 'z') if !is_class => {}
                escaped => kept.extend([one].into_iter().chain(escaped)),
            },
            ('^' | '$', false) => {}
            _ => {
                is_class = one == '[' || is_class && one != ']';
                kept.push(one);
            }
        }
    }
    kept
}

/// Returns a pattern whose point and whose classes of all but some characters stand for printable ones: a schema has no
/// others.
fn printable(pattern: &str) -> String {
    let (mut kept, mut chars) = (String::new(), pattern.chars().peekable());
    let (mut is_class, mut is_negated) = (false, false);
    while let Some(one) = chars.next() {
        match one {
            '\\' => kept.extend([one].into_iter().chain(chars.next())),
            '.' if !is_class => kept.push_str("[ -~]"),
            '[' if !is_class => {
                (is_class, is_negated) = (true, chars.peek() == Some(&'^'));
                kept.push_str(if is_negated { "[ -~&&[" } else { "[" });
            }
            ']' if is_class => {
                is_class = false;
                kept.push_str(if is_negated { "]]" } else { "]" });
            }
            _ => kept.push(one),
        }
    }
    kept
}

/// Returns a pattern whose classes have no other letters and digits, as requests read them.
fn in_ascii(pattern: &str) -> String {
    pattern.replace(r"\d", "[0-9]").replace(r"\w", "[0-9A-Za-z_]").replace(r"\s", " ")
}
