//! The mutations, each of one piece of a rule's data.

use serde_yaml::{Mapping, Value as Yaml};

/// A file of the schema with one mutation.
pub(crate) struct Change {
    /// The kind of mutation.
    pub(crate) kind: &'static str,
    /// The place and the effect of the change.
    pub(crate) says: String,
    /// The changed file.
    pub(crate) yaml: Yaml,
}

/// A step from a value to an inner one.
#[derive(Clone, Debug)]
enum Step {
    Key(Yaml),
    Index(usize),
}

/// Returns all mutations of the rules of a file.
pub(crate) fn of(file: &Yaml) -> Vec<Change> {
    let mut changes = Changes { file, made: Vec::new() };
    changes.walk(file, &mut Vec::new());
    changes.made
}

struct Changes<'a> {
    file: &'a Yaml,
    made: Vec<Change>,
}

impl Changes<'_> {
    fn walk(&mut self, value: &Yaml, path: &mut Vec<Step>) {
        match value {
            Yaml::Mapping(mapping) => {
                for (key, inner) in mapping {
                    path.push(Step::Key(key.clone()));
                    self.of_key(key.as_str().unwrap_or_default(), inner, path);
                    // Examples are not rules, and rules are changed as a whole above.
                    if !matches!(key.as_str(), Some("examples" | "rules" | "lifecycle" | "records")) {
                        self.walk(inner, path);
                    }
                    path.pop();
                }
            }
            Yaml::Sequence(items) => {
                for (index, inner) in items.iter().enumerate() {
                    path.push(Step::Index(index));
                    self.walk(inner, path);
                    path.pop();
                }
            }
            _ => {}
        }
    }

    fn of_key(&mut self, key: &str, value: &Yaml, path: &[Step]) {
        match key {
            "max" | "min" | "max_items" | "min_items" | "digits" => self.moved("bound", value, path),
            "length" => {
                for (index, bound) in value.as_sequence().into_iter().flatten().enumerate() {
                    let path: Vec<_> = path.iter().cloned().chain([Step::Index(index)]).collect();
                    self.moved("length", bound, &path);
                }
            }
            "alphabet" => self.shortened_alphabets(value, path),
            "only" => self.without_each("allowed value", value, path),
            "span" | "access" if value.is_string() => self.moved_duration(value, path),
            "both_or_neither" => {
                self.change("window", "the other way", path, Some(Yaml::Bool(value != &Yaml::Bool(true))))
            }
            "access_of" => self.change("window", "taken away", path, None),
            "delete" => self.change("edit", "taken away", path, None),
            "forms" => {
                for (form, pattern) in value.as_mapping().into_iter().flatten() {
                    let path: Vec<_> = path.iter().cloned().chain([Step::Key(form.clone())]).collect();
                    let pattern = pattern.as_str().unwrap_or_default();
                    for (says, changed) in
                        [("a longer beginning", format!("x{pattern}")), ("a longer end", format!("{pattern}X"))]
                    {
                        self.change("form", says, &path, Some(changed.into()));
                    }
                }
            }
            "rules" => self.of_rules(value, path),
            _ => {}
        }
    }

    fn of_rules(&mut self, rules: &Yaml, path: &[Step]) {
        for (index, rule) in rules.as_sequence().into_iter().flatten().enumerate() {
            let path: Vec<_> = path.iter().cloned().chain([Step::Index(index)]).collect();
            let Some(rule) = rule.as_mapping() else { continue };
            let is_checked = rule.get("kind").and_then(Yaml::as_str) == Some("checked");
            if is_checked || rule.contains_key("as") {
                self.change("whole rule", "taken away", &path, None);
            }
            if is_checked {
                self.of_rule(rule, &path);
            }
        }
    }

    fn of_rule(&mut self, rule: &Mapping, path: &[Step]) {
        let other = if rule.contains_key("require") { "forbid" } else { "require" };
        let this = if other == "forbid" { "require" } else { "forbid" };
        if let Some(conditions) = rule.get(this) {
            let mut inverted = rule.clone();
            inverted.remove(this);
            inverted.insert(other.into(), conditions.clone());
            self.change("inverted condition", "require for forbid", path, Some(inverted.into()));
        }
        let mut severity = rule.clone();
        let warns = rule.get("severity").and_then(Yaml::as_str) == Some("warn");
        severity.insert("severity".into(), if warns { "refuse" } else { "warn" }.into());
        self.change("severity", "the other one", path, Some(severity.into()));
        for part in ["when", "require", "forbid"] {
            if let Some(conditions) = rule.get(part).and_then(Yaml::as_mapping) {
                let path: Vec<_> = path.iter().cloned().chain([Step::Key(part.into())]).collect();
                self.of_conditions(conditions, &path);
            }
        }
        if rule.contains_key("when") {
            let path: Vec<_> = path.iter().cloned().chain([Step::Key("when".into())]).collect();
            self.change("lost condition", "always", &path, None);
        }
        if let Some(names) = rule.get("unique") {
            let path: Vec<_> = path.iter().cloned().chain([Step::Key("unique".into())]).collect();
            self.without_each("compared name", names, &path);
        }
    }

    fn of_conditions(&mut self, conditions: &Mapping, path: &[Step]) {
        for (key, values) in conditions {
            let name = key.as_str().unwrap_or_default();
            let path_of: Vec<_> = path.iter().cloned().chain([Step::Key(key.clone())]).collect();
            if conditions.len() > 1 {
                self.change("lost condition", name, &path_of, None);
            }
            self.without_each("condition's value", values, &path_of);
            let swapped = match name {
                "given" => Some("any_given".to_owned()),
                "any_given" => Some("given".to_owned()),
                _ => name
                    .strip_suffix(".multiple_of")
                    .map(|name| format!("{name}.places"))
                    .or_else(|| name.strip_suffix(".places").map(|name| format!("{name}.at_least")))
                    .or_else(|| name.strip_suffix(".at_least").map(|name| format!("{name}.multiple_of"))),
            };
            let says_something = values.as_sequence().is_none_or(|values| values.len() > 1);
            if let Some(swapped) = swapped.filter(|_| says_something) {
                let mut changed = conditions.clone();
                changed.remove(key);
                changed.insert(swapped.clone().into(), values.clone());
                self.change("other comparison", &format!("{name} becomes {swapped}"), path, Some(changed.into()));
            }
        }
    }

    fn moved(&mut self, kind: &'static str, value: &Yaml, path: &[Step]) {
        let Some(n) = value.as_i64().or_else(|| value.as_str()?.parse().ok()) else { return };
        for moved in [n - 1, n + 1].into_iter().filter(|moved| *moved >= 0) {
            self.change(kind, &format!("{n} becomes {moved}"), path, Some(moved.into()));
        }
    }

    fn moved_duration(&mut self, value: &Yaml, path: &[Step]) {
        let Some((n, unit)) = value.as_str().and_then(|text| text.split_once(' ')) else { return };
        let Ok(n) = n.parse::<i64>() else { return };
        for moved in [n - 1, n + 1].into_iter().filter(|moved| *moved > 0) {
            self.change("window", &format!("{n} {unit} become {moved}"), path, Some(format!("{moved} {unit}").into()));
        }
    }

    /// Adds the alphabet without each of its pieces.
    fn shortened_alphabets(&mut self, value: &Yaml, path: &[Step]) {
        let letters: Vec<char> = value.as_str().unwrap_or_default().chars().collect();
        let mut at = 0;
        while at < letters.len() {
            let length = if letters.get(at + 1) == Some(&'-') && at + 2 < letters.len() { 3 } else { 1 };
            let piece: String = letters[at..at + length].iter().collect();
            let rest: String = letters[..at].iter().chain(&letters[at + length..]).collect();
            self.change("alphabet", &format!("without {piece}"), path, Some(rest.into()));
            at += length;
        }
    }

    fn without_each(&mut self, kind: &'static str, values: &Yaml, path: &[Step]) {
        let Some(values) = values.as_sequence().filter(|values| values.len() > 1) else { return };
        for index in 0..values.len() {
            let mut rest = values.clone();
            let gone = rest.remove(index);
            self.change(kind, &format!("without {}", gone.as_str().unwrap_or("it")), path, Some(rest.into()));
        }
    }

    /// Replaces or removes the value at a place of the file.
    fn change(&mut self, kind: &'static str, says: &str, path: &[Step], value: Option<Yaml>) {
        let mut yaml = self.file.clone();
        let Some((last, before)) = path.split_last() else { return };
        let mut place = &mut yaml;
        for step in before {
            place = match step {
                Step::Key(key) => &mut place[key],
                Step::Index(index) => &mut place[*index],
            };
        }
        match (place, last, value) {
            (Yaml::Mapping(mapping), Step::Key(key), Some(value)) => drop(mapping.insert(key.clone(), value)),
            (Yaml::Mapping(mapping), Step::Key(key), None) => drop(mapping.remove(key)),
            (Yaml::Sequence(items), Step::Index(index), Some(value)) => items[*index] = value,
            (Yaml::Sequence(items), Step::Index(index), None) => drop(items.remove(*index)),
            _ => return,
        }
        let shown = path.iter().map(|step| match step {
            Step::Key(key) => key.as_str().unwrap_or("?").to_owned(),
            Step::Index(index) => index.to_string(),
        });
        let shown: Vec<_> = shown.collect();
        self.made.push(Change { kind, says: format!("{}: {says}", shown.join(".")), yaml });
    }
}
