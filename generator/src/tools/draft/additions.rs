//! `types.yaml` with new types, each after the last of its kind, and otherwise unchanged.
//!
//! New types are inserted as text after the last of their kind, because a rewritten `types.yaml` would lose its
//! comments.

use super::NewTypes;
use super::yaml::{self, Entry, Yaml};

/// The text of `types.yaml` with new types. An error is the key whose types are all on one line, where nothing can be
/// added.
pub(crate) fn add_types(text: &str, new: &NewTypes) -> Result<String, &'static str> {
    let kinds = [("enums", &new.enums), ("choices", &new.choices), ("records", &new.records)];
    let mut added = kinds.into_iter().filter(|(_, entries)| !entries.is_empty());
    // A file without types may be an empty mapping.
    let text: String = text.lines().filter(|line| line.trim() != "{}").map(|line| format!("{line}\n")).collect();
    added.try_fold(text, |text, (key, entries)| add(&text, key, entries).ok_or(key))
}

fn add(text: &str, key: &str, entries: &[Entry]) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let begins = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
    let Some(start) = lines.iter().position(|line| begins(line)) else {
        let block = yaml::write(&[Entry::new(key, Yaml::Map(entries.to_vec()))], 0);
        let at = lines.iter().position(|line| line.starts_with("reviewed:")).unwrap_or(lines.len());
        return Some(joined(&lines[..at], &block, &lines[at..]));
    };
    let value = lines[start][key.len() + 1..].split(" #").next().unwrap_or_default().trim();
    if !["", "{}"].contains(&value) {
        return None;
    }
    let is_inside = |line: &&str| line.starts_with(' ') || line.is_empty() || line.starts_with('#');
    let inside = lines[start + 1..].iter().take_while(|line| is_inside(line)).count();
    // Comments and empty lines at the end belong to the next key.
    let owned = lines[start + 1..=start + inside].iter().rposition(|line| line.starts_with(' ')).map_or(0, |at| at + 1);
    let indent = lines[start + 1..].iter().find(|line| line.starts_with(' ') && !line.trim_start().starts_with('#'));
    let indent = indent.filter(|_| owned > 0).map_or(2, |line| line.len() - line.trim_start().len());
    let head = format!("{key}:");
    let mut before: Vec<&str> = lines[..=start + owned].to_vec();
    if owned == 0 {
        before[start] = &head;
    }
    Some(joined(&before, &yaml::write(entries, indent), &lines[start + owned + 1..]))
}

fn joined(before: &[&str], block: &str, after: &[&str]) -> String {
    let lines = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    format!("{}{block}{}", lines(before), lines(after))
}

impl NewTypes {
    /// The names of the new types, each with its kind.
    pub(crate) fn names(&self) -> Vec<String> {
        let kinds = [("enum", &self.enums), ("choice", &self.choices), ("record", &self.records)];
        let named = |(kind, entries): (&str, &Vec<Entry>)| -> Vec<String> {
            entries.iter().map(|entry| format!("{kind} {}", entry.key)).collect()
        };
        kinds.into_iter().flat_map(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(key: &str) -> NewTypes {
        NewTypes { enums: vec![Entry::new(key, Yaml::Map(vec![Entry::gap("doc")]))], ..NewTypes::default() }
    }

    #[test]
    fn a_type_comes_behind_the_last_of_its_kind() {
        let text = "# first\nenums:\n    A: { doc: B. }   # kept\n\n    C:\n        doc: D.\n\n# of records\nrecords:\n  E: {}\n";
        let expected = "# first\nenums:\n    A: { doc: B. }   # kept\n\n    C:\n        doc: D.\n    New:\n      doc:\n\n# of records\nrecords:\n  E: {}\n";
        assert_eq!(add_types(text, &new("New")).as_deref(), Ok(expected));
    }

    #[test]
    fn types_in_one_line_are_left_alone() {
        assert_eq!(add_types("enums: { A: { doc: B. } }\n", &new("New")), Err("enums"));
    }

    #[test]
    fn a_kind_that_is_empty_or_missing_is_begun() {
        let cases = [
            ("enums: {}\nrecords: {}\n", "enums:\n  New:\n    doc:\nrecords: {}\n"),
            ("records: {}\nreviewed:\n  a: {}\n", "records: {}\nenums:\n  New:\n    doc:\nreviewed:\n  a: {}\n"),
        ];
        for (text, expected) in cases {
            assert_eq!(add_types(text, &new("New")).as_deref(), Ok(expected));
        }
    }
}
