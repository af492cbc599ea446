//! The types of a family that fit what a source states, and new types where none does.

use std::collections::BTreeMap;

use heck::ToUpperCamelCase as _;

use super::yaml::{Entry, Yaml};
use super::{DraftField, JsonKind, NewTypes, OneOf};
use crate::model::{Api, BUILT_IN, Family, Response, Type};

/// The types of a family by names on the wire, and the types that a draft adds.
pub(super) struct Types<'a> {
    family: &'a Family,
    /// The types of parameters and of fields, by name.
    parameters: BTreeMap<&'a str, Vec<Type>>,
    fields: BTreeMap<&'a str, Vec<Type>>,
    /// The name under which requests have each choice.
    choices: BTreeMap<usize, &'a str>,
    /// The new records, by their names in the source.
    named: BTreeMap<String, String>,
    pub(super) new: NewTypes,
}

/// The type of a value, in the form of a file.
pub(super) enum FieldType {
    /// A type, and whether only its listed values are allowed.
    Type {
        name: String,
        is_part: bool,
    },
    Unknown,
}

impl<'a> Types<'a> {
    pub(super) fn of(api: &'a Api, family: &'a Family) -> Self {
        let mut parameters: BTreeMap<&str, Vec<Type>> = BTreeMap::new();
        for parameter in family.all_parameters() {
            if let Some(ty) = parameter.shape.single() {
                add(parameters.entry(&parameter.name.wire).or_default(), ty);
            }
        }
        for choice in &family.choices {
            if let Some((decider, index)) = choice.decider() {
                add(parameters.entry(&decider.wire).or_default(), Type::Enum(index));
            }
        }
        // A built-in type means the same in every family.
        let mut elsewhere: BTreeMap<&str, Vec<Type>> = BTreeMap::new();
        for parameter in api.families.iter().flat_map(Family::all_parameters) {
            if let Some(ty) = parameter.shape.single() {
                add(elsewhere.entry(&parameter.name.wire).or_default(), ty);
            }
        }
        elsewhere.retain(|name, types| {
            !parameters.contains_key(name) && matches!(types.as_slice(), [only] if only.is_built_in())
        });
        parameters.append(&mut elsewhere);
        let mut fields: BTreeMap<&str, Vec<Type>> = BTreeMap::new();
        for field in family.records.iter().flat_map(|record| &record.fields) {
            if let Some(ty) = field.shape.single() {
                add(fields.entry(&field.name.wire).or_default(), ty);
            }
        }
        let mut choices = BTreeMap::new();
        for parameter in family.all_parameters() {
            if let Some(choice) = parameter.shape.choice() {
                choices.entry(choice).or_insert(parameter.name.wire.as_str());
            }
        }
        Self { family, parameters, fields, choices, named: BTreeMap::new(), new: NewTypes::default() }
    }

    pub(super) fn numbers_as_text(&self) -> bool {
        self.family.numbers_as_text
    }

    /// The type of a parameter or of a field of an answer.
    pub(super) fn find(&mut self, field: &DraftField, is_parameter: bool) -> FieldType {
        let own = if is_parameter { [&self.parameters, &self.fields] } else { [&self.fields, &self.parameters] };
        let namesakes: Vec<Type> =
            own.iter().filter_map(|known| known.get(field.name.as_str())).flatten().copied().collect();
        if !field.values.is_empty() {
            return self.of_values(field, &namesakes);
        }
        let known = own.iter().find_map(|known| known.get(field.name.as_str()));
        let kind = if field.kind == JsonKind::List { field.item } else { field.kind };
        match (known.map(Vec::as_slice), kind) {
            (Some([only]), kind) if fits(*only, kind) => FieldType::whole(self.name(*only)),
            (_, JsonKind::Time) => FieldType::whole("time"),
            (_, JsonKind::Boolean) => FieldType::whole("boolean"),
            (_, JsonKind::Integer) => FieldType::whole("integer"),
            (_, JsonKind::Number) => FieldType::whole(if field.digits.is_some() { "integer" } else { "decimal" }),
            (None, JsonKind::Text) => FieldType::whole("string"),
            _ => FieldType::Unknown,
        }
    }

    /// The enum with the listed values: one of the same name on the wire, one with exactly these values, or a new one.
    fn of_values(&mut self, field: &DraftField, namesakes: &[Type]) -> FieldType {
        let has_all = |index: usize| {
            let all = &self.family.enums[index];
            field.values.iter().all(|value| all.values.iter().any(|known| known.name.wire == *value))
        };
        let is_whole = |index: usize| self.family.enums[index].values.len() == field.values.len();
        let of_namesake = namesakes.iter().filter_map(|ty| match ty {
            Type::Enum(index) => Some(*index),
            _ => None,
        });
        let of_namesake: Vec<usize> = of_namesake.filter(|index| has_all(*index)).collect();
        let whole = of_namesake.iter().copied().find(|index| is_whole(*index));
        let found = whole
            .or_else(|| of_namesake.first().copied())
            .or_else(|| (0..self.family.enums.len()).find(|index| has_all(*index) && is_whole(*index)));
        match found {
            Some(index) => FieldType::Type { name: self.name(Type::Enum(index)), is_part: !is_whole(index) },
            None => FieldType::whole(self.new_enum(field)),
        }
    }

    fn new_enum(&mut self, field: &DraftField) -> String {
        let values = field.values.iter().map(|value| Entry::gap(value.clone())).collect();
        let entries = vec![Entry::gap("doc"), Entry::new("values", Yaml::Map(values))];
        if let Some(same) = self.new.enums.iter().find(|known| is_same(known, &entries)) {
            return same.key.clone();
        }
        let name = self.free_name(&field.name.to_upper_camel_case());
        self.new.enums.push(Entry::new(name.clone(), Yaml::Map(entries)).comments(field.remarks.clone()));
        name
    }

    /// The choice of these parameters: its key in requests, its name, and whether it states another winner than the
    /// source.
    pub(super) fn choice(&mut self, one_of: &OneOf) -> (String, String, bool) {
        if let Some((index, wins)) = self.known_choice(&one_of.members, one_of.wins.as_deref()) {
            let name = self.family.choices[index].name.wire.clone();
            let key = self.choices.get(&index).map_or_else(|| name.to_lowercase(), |key| (*key).to_owned());
            return (key, name, wins != one_of.wins);
        }
        let joined = one_of.members.join("-or-").to_upper_camel_case();
        let name = self.free_name(&joined);
        let members = one_of.members.iter().map(|member| {
            let field = DraftField { name: member.clone(), ..DraftField::default() };
            let ty = match self.find(&field, true) {
                FieldType::Type { name, .. } => Entry::word("type", name),
                FieldType::Unknown => Entry::gap("type"),
            };
            Entry::new(member.clone(), Yaml::Map(vec![ty]))
        });
        let mut entries = vec![Entry::gap("doc"), Entry::new("one_of", Yaml::Map(members.collect()))];
        entries.extend(one_of.wins.as_ref().map(|wins| Entry::text("wins", wins.clone())));
        self.new.choices.push(Entry::new(name.clone(), Yaml::Map(entries)));
        (joined[..1].to_lowercase() + &joined[1..], name, false)
    }

    /// A choice of exactly these parameters, with this winner if one is given.
    fn known_choice(&self, members: &[String], wins: Option<&str>) -> Option<(usize, Option<String>)> {
        self.family.choices.iter().enumerate().find_map(|(index, choice)| {
            let (alternatives, known) = (choice.alternatives()?, choice.wins().map(str::to_owned));
            let same = alternatives.len() == members.len()
                && alternatives.iter().all(|one| members.contains(&one.name.wire))
                && (wins.is_none() || known.as_deref() == wins);
            same.then_some((index, known))
        })
    }

    /// The records with exactly these fields, those that answer an operation first.
    pub(super) fn records_with(&self, fields: &[DraftField]) -> Vec<String> {
        let answers = |index: usize| {
            self.family.operations.iter().any(|operation| match &operation.response {
                Response::Object { record } | Response::Array { record, .. } | Response::Page { record, .. } => {
                    *record == index
                }
                Response::Undefined => false,
            })
        };
        let same = self.family.records.iter().enumerate().filter(|(_, record)| {
            !record.is_abstract
                && record.fields.len() == fields.len()
                && record.fields.iter().all(|known| fields.iter().any(|field| field.name == known.name.wire))
        });
        let mut same: Vec<_> = same.map(|(index, record)| (!answers(index), record.name.wire.clone())).collect();
        same.sort_by_key(|(is_unused, _)| *is_unused);
        same.into_iter().map(|(_, name)| name).collect()
    }

    /// A new record for a name of the source, which is reused wherever the name occurs again; or for something without
    /// a name.
    pub(super) fn record_named(
        &mut self,
        named: Option<&str>,
        own: &str,
        fields: &[DraftField],
        remarks: &[String],
    ) -> String {
        let Some(named) = named else { return self.new_record(own, fields, remarks) };
        if let Some(known) = self.named.get(named) {
            return known.clone();
        }
        let record = self.new_record(named, fields, remarks);
        self.named.insert(named.to_owned(), record.clone());
        record
    }

    /// A new record with these fields.
    fn new_record(&mut self, name: &str, fields: &[DraftField], remarks: &[String]) -> String {
        let name = self.free_name(&name.to_upper_camel_case());
        // The name is reserved before nested records get theirs.
        self.new.records.push(Entry::gap(name.clone()));
        let at = self.new.records.len() - 1;
        let fields: Vec<Entry> = fields.iter().map(|field| self.record_field(&name, field)).collect();
        let entries = vec![Entry::gap("doc"), Entry::new("fields", Yaml::Map(fields))];
        self.new.records[at] = Entry::new(name.clone(), Yaml::Map(entries)).comments(remarks.to_vec());
        name
    }

    fn record_field(&mut self, record: &str, field: &DraftField) -> Entry {
        let mut entries = Vec::new();
        let is_list = field.kind == JsonKind::List;
        if (is_list || field.kind == JsonKind::Object) && !field.fields.is_empty() {
            let known = self.records_with(&field.fields).into_iter().next();
            let own = format!("{record}-{}", field.name);
            let item = known.unwrap_or_else(|| self.record_named(field.named.as_deref(), &own, &field.fields, &[]));
            entries.push(Entry::word(if is_list { "list" } else { "type" }, item));
            entries.extend(is_list.then(|| Entry::gap("doc")));
        } else {
            self.typed(field, false, &mut entries);
        }
        Entry::new(field.name.clone(), Yaml::Map(entries)).comments(field.remarks.clone())
    }

    /// Adds the keys that state the type of a value.
    pub(super) fn typed(&mut self, field: &DraftField, is_parameter: bool, entries: &mut Vec<Entry>) {
        let key = if field.kind == JsonKind::List { "list" } else { "type" };
        match self.find(field, is_parameter) {
            FieldType::Type { name, is_part } => {
                let is_built_in = BUILT_IN.iter().any(|(known, _)| *known == name);
                let travels = self.travels(&name, field.kind);
                entries.push(Entry::word(key, name));
                if is_part {
                    entries.push(Entry::new("only", Yaml::Texts(field.values.clone())));
                }
                entries.extend(travels.map(|how| Entry::word("json", how)));
                if is_built_in || key == "list" {
                    entries.push(Entry::gap("doc"));
                }
            }
            FieldType::Unknown => entries.extend([Entry::gap(key), Entry::gap("doc")]),
        }
    }

    /// How a number travels, if it differs from the family.
    fn travels(&self, name: &str, kind: JsonKind) -> Option<&'static str> {
        let is_number = ["decimal", "integer", "time"].contains(&name);
        match kind {
            JsonKind::Number | JsonKind::Integer if is_number && self.numbers_as_text() => Some("number"),
            JsonKind::Text if is_number && !self.numbers_as_text() => Some("text"),
            _ => None,
        }
    }

    /// A name that no other type has.
    fn free_name(&self, wanted: &str) -> String {
        let family = self.family;
        let known = family.enums.iter().map(|known| &known.name.wire);
        let known = known.chain(family.identifiers.iter().map(|known| &known.name.wire));
        let known = known.chain(family.choices.iter().map(|known| &known.name.wire));
        let known: Vec<&str> =
            known.chain(family.records.iter().map(|known| &known.name.wire)).map(String::as_str).collect();
        let new = [&self.new.enums, &self.new.choices, &self.new.records];
        let is_free = |name: &str| {
            !known.contains(&name)
                && BUILT_IN.iter().all(|(built_in, _)| *built_in != name)
                && new.iter().all(|entries| entries.iter().all(|entry| entry.key != name))
        };
        let numbered = (2..).map(|n| format!("{wanted}{n}"));
        std::iter::once(wanted.to_owned()).chain(numbered).find(|name| is_free(name)).unwrap_or_default()
    }

    fn name(&self, ty: Type) -> String {
        let built_in = BUILT_IN.iter().find(|(_, known)| *known == ty).map(|(name, _)| *name);
        match ty {
            Type::Enum(index) => self.family.enums[index].name.wire.clone(),
            Type::Identifier(index) => self.family.identifiers[index].name.wire.clone(),
            Type::Choice(index) => self.family.choices[index].name.wire.clone(),
            Type::Record(index) => self.family.records[index].name.wire.clone(),
            _ => built_in.unwrap_or_default().to_owned(),
        }
    }

    /// Whether a parameter is a time.
    pub(super) fn is_time(&self, name: &str) -> bool {
        self.parameters.get(name).is_some_and(|types| matches!(types.as_slice(), [Type::Time(_)]))
    }
}

impl FieldType {
    fn whole(name: impl Into<String>) -> Self {
        Self::Type { name: name.into(), is_part: false }
    }
}

fn add(types: &mut Vec<Type>, ty: Type) {
    if !types.contains(&ty) && !matches!(ty, Type::Undefined | Type::Choice(_)) {
        types.push(ty);
    }
}

/// Whether a type of the family fits the JSON kind of a source.
fn fits(ty: Type, kind: JsonKind) -> bool {
    match kind {
        JsonKind::Unknown | JsonKind::List => true,
        JsonKind::Text => !matches!(ty, Type::Boolean(_) | Type::Record(_)),
        JsonKind::Number | JsonKind::Integer => ty.is_number(),
        JsonKind::Boolean => matches!(ty, Type::Boolean(_)),
        JsonKind::Time => matches!(ty, Type::Time(_)),
        JsonKind::Object => matches!(ty, Type::Record(_)),
    }
}

fn is_same(known: &Entry, entries: &[Entry]) -> bool {
    let Yaml::Map(known) = &known.value else { return false };
    let values = |entries: &[Entry]| {
        entries.iter().find(|entry| entry.key == "values").map(|entry| match &entry.value {
            Yaml::Map(values) => values.iter().map(|value| value.key.clone()).collect(),
            _ => Vec::new(),
        })
    };
    values(known) == values(entries)
}
