//! The types of a family that fit what a source states, and new types where none does.

use std::collections::{BTreeMap, BTreeSet};

use heck::ToUpperCamelCase as _;

use super::yaml::{Entry, Yaml, deprecated};
use super::{Cases, Data, DraftField, JsonKind, NewTypes, OneOf};
use crate::compiler::check;
use crate::compiler::model::{
    Api, Choice, Family, Field, Parameter, Record, Response, Shape, Type, built_in, field_name, type_name, variant_name,
};
use crate::compiler::words::Times;

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
    /// The new records that are one of several, which may contain themselves.
    of_several: BTreeSet<String>,
    /// The Rust names that types, requests and objects have already, and those of the new ones.
    taken: BTreeSet<String>,
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
        let typed = |parameter: &'a Parameter| (parameter.name.wire.as_str(), parameter.shape.single());
        let deciders = family.choices.iter().filter_map(Choice::decider);
        let deciders = deciders.map(|(decider, index)| (decider.wire.as_str(), Some(Type::Enum(index))));
        let mut parameters = by_name(family.all_parameters().map(typed).chain(deciders));
        // A built-in type means the same in every family.
        let mut elsewhere = by_name(api.families.iter().flat_map(Family::all_parameters).map(typed));
        elsewhere.retain(|name, types| {
            !parameters.contains_key(name) && matches!(types.as_slice(), [only] if only.is_built_in())
        });
        parameters.append(&mut elsewhere);
        let fields = family.records.iter().flat_map(|record| &record.fields);
        let fields = by_name(fields.map(|field| (field.name.wire.as_str(), field.shape.single())));
        let mut choices = BTreeMap::new();
        for parameter in family.all_parameters() {
            if let Some(choice) = parameter.shape.choice() {
                choices.entry(choice).or_insert(parameter.name.wire.as_str());
            }
        }
        let taken = check::rust_names_of_types(family).into_iter().collect();
        Self {
            family,
            parameters,
            fields,
            choices,
            named: BTreeMap::new(),
            of_several: BTreeSet::new(),
            taken,
            new: NewTypes::default(),
        }
    }

    /// Returns the Rust name of a request, if it differs from its title: it is distinct from those of types and of
    /// other requests.
    pub(super) fn request_name(&mut self, title: &str, name: &str) -> Option<String> {
        let of_title = type_name(title).unwrap_or_default();
        let wanted =
            if of_title.is_empty() { format!("{name}-request").to_upper_camel_case() } else { of_title.clone() };
        let rust = self.free_rust_name(&wanted, check::is_free_request);
        (rust != of_title).then_some(rust)
    }

    /// Returns the Rust name of an object or of the items of a list in a request.
    pub(super) fn object_name(&mut self, wanted: &str) -> String {
        self.free_rust_name(&wanted.to_upper_camel_case(), |_| true)
    }

    /// Returns a Rust name that no other type has, which is taken from now on.
    fn free_rust_name(&mut self, wanted: &str, is_free: impl Fn(&str) -> bool) -> String {
        let letters: String = wanted.chars().filter(char::is_ascii_alphanumeric).collect();
        let wanted =
            if letters.starts_with(|c: char| c.is_ascii_alphabetic()) { letters } else { format!("Type{letters}") };
        // A word of one letter joins the next one, so that `XLItem` is the type `XlItem`.
        let wanted = wanted.to_upper_camel_case();
        // Two names that differ in the case of their letters only may become one function.
        let is_taken = |name: &str| self.taken.iter().any(|known| known.eq_ignore_ascii_case(name));
        let fits = |name: &String| {
            let rust = type_name(name).unwrap_or_default();
            rust == *name
                && !is_taken(&rust)
                && !is_taken(&format!("{rust}Page"))
                && check::is_free_type(&rust)
                && is_free(&rust)
        };
        let numbered = (2..).map(|n| format!("{wanted}{n}"));
        let mut candidates = std::iter::once(wanted.clone()).chain(numbered).take(10_000);
        let name = candidates.find(fits).unwrap_or(wanted);
        self.taken.insert(name.clone());
        name
    }

    /// Returns whether the type of a parameter is an enum of the family.
    pub(super) fn is_enum(&self, entries: &[Entry]) -> bool {
        let ty = entries.first().map(|entry| &entry.value);
        self.family.enums.iter().any(|known| ty == Some(&Yaml::Word(known.name.wire.clone())))
    }

    pub(super) fn numbers_as_text(&self) -> bool {
        self.family.numbers_as_text
    }

    /// Returns the type of a parameter or of a field of an answer.
    pub(super) fn find(&mut self, field: &DraftField, is_parameter: bool) -> FieldType {
        let own = if is_parameter { [&self.parameters, &self.fields] } else { [&self.fields, &self.parameters] };
        let namesakes: Vec<Type> =
            own.iter().filter_map(|known| known.get(field.name.as_str())).flatten().copied().collect();
        if field.is_undecided {
            return FieldType::Unknown;
        }
        if !field.values.is_empty() {
            return self.of_values(field, &namesakes);
        }
        if field.kind == JsonKind::List && field.item == JsonKind::Object && !field.is_again {
            return FieldType::Unknown;
        }
        let known = own.iter().find_map(|known| known.get(field.name.as_str()));
        let kind = if matches!(field.kind, JsonKind::List | JsonKind::Map) { field.item } else { field.kind };
        match (known.map(Vec::as_slice), kind) {
            (Some([Type::Enum(_)]), _) if field.has_unread_values => FieldType::Unknown,
            (Some([only]), kind) if fits(*only, kind) => FieldType::whole(self.name(*only)),
            (_, JsonKind::Time) => FieldType::whole("time"),
            (_, JsonKind::Formatted(format)) => FieldType::whole(format.word()),
            (_, JsonKind::Boolean) => FieldType::whole("boolean"),
            (_, JsonKind::Integer) => FieldType::whole("integer"),
            (_, JsonKind::Signed) if field.scale.is_some() => FieldType::whole("decimal"),
            (_, JsonKind::Signed) => FieldType::whole("signed"),
            (_, JsonKind::Json) => FieldType::whole("json"),
            (_, JsonKind::Number) => FieldType::whole(if field.digits.is_some() { "integer" } else { "decimal" }),
            (None, JsonKind::Text) => FieldType::whole("string"),
            _ => FieldType::Unknown,
        }
    }

    /// Returns the enum with the listed values: one of the same name on the wire, one with exactly these values, or a
    /// new one.
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
        let rust_names =
            distinct(&field.values, |value| variant_name(value).ok().filter(|name| name != "Unknown"), "Value");
        let values = field.values.iter().zip(rust_names).map(|(value, rust)| {
            let advice = field.deprecated_values.iter().find(|(known, _)| known == value);
            let advice = advice.and_then(|(_, keys)| deprecated(true, keys));
            let keys: Vec<_> = rust.map(|rust| Entry::word("rust", rust)).into_iter().chain(advice).collect();
            match keys.is_empty() {
                true => Entry::gap(value.clone()),
                false => Entry::new(value.clone(), Yaml::Map([Entry::gap("doc")].into_iter().chain(keys).collect())),
            }
        });
        let values = values.collect();
        let entries = vec![Entry::gap("doc"), Entry::new("values", Yaml::Map(values))];
        if let Some(same) = self.new.enums.iter().find(|known| is_same(known, &entries)) {
            return same.key.clone();
        }
        let wanted = field.named.as_deref().map_or(field.name.as_str(), |named| self.without_family(named)).to_owned();
        let name = self.free_name(&wanted);
        self.new.enums.push(Entry::new(name.clone(), Yaml::Map(entries)).comments(field.remarks.clone()));
        name
    }

    /// Returns the choice of the family that has these parameters: its key in requests, its name, and whether it states
    /// another winner than the source.
    pub(super) fn own_choice(&self, one_of: &OneOf) -> Option<(String, String, bool)> {
        let (index, wins) = self.known_choice(&one_of.members, one_of.wins.as_deref())?;
        let name = self.family.choices[index].name.wire.clone();
        let key = self.choices.get(&index).map_or_else(|| name.to_lowercase(), |key| (*key).to_owned());
        Some((key, name, wins != one_of.wins))
    }

    /// Returns an alternative that is one value.
    pub(super) fn alternative(&mut self, name: &str, field: Option<&DraftField>) -> Entry {
        let nothing = DraftField::default();
        let field = field.unwrap_or(&nothing);
        let mut entries = Vec::new();
        self.typed(field, true, &mut entries);
        if field.kind == JsonKind::Unknown {
            entries.truncate(1);
        }
        Entry::new(name, Yaml::Map(entries))
    }

    /// Returns a new choice of these alternatives: its key in requests, and its name.
    pub(super) fn choice_by_presence(&mut self, one_of: &OneOf, members: Vec<Entry>) -> (String, String) {
        let joined = one_of.members.join("-or-").to_upper_camel_case();
        let mut entries = vec![Entry::gap("doc"), Entry::new("one_of", Yaml::Map(members))];
        entries.extend(one_of.wins.as_ref().map(|wins| Entry::text("wins", wins.clone())));
        self.new_choice(&joined, entries)
    }

    /// Returns a choice that a parameter decides: its key in requests, and its name.
    pub(super) fn choice_by_value(&mut self, decider: &DraftField, cases: Vec<Entry>) -> (String, String) {
        let of_decider = match self.find(decider, true) {
            FieldType::Type { name, .. } => Entry::word("type", name),
            FieldType::Unknown => Entry::gap("type"),
        };
        let entries = vec![
            Entry::gap("doc"),
            Entry::text("choose_by", &decider.name),
            of_decider,
            Entry::new("cases", Yaml::Map(cases)),
        ];
        self.new_choice(&format!("by-{}", decider.name).to_upper_camel_case(), entries)
    }

    /// Returns the new choice with these keys, or the one that has them already.
    fn new_choice(&mut self, wanted: &str, entries: Vec<Entry>) -> (String, String) {
        let entries = Yaml::Map(entries);
        let same = self.new.choices.iter().find(|known| known.value == entries).map(|known| known.key.clone());
        let name = same.unwrap_or_else(|| {
            let name = self.free_name(wanted);
            self.new.choices.push(Entry::new(name.clone(), entries));
            name
        });
        (name[..1].to_lowercase() + &name[1..], name)
    }

    /// Returns a choice of exactly these parameters, with this winner if one is given.
    fn known_choice(&self, members: &[String], wins: Option<&str>) -> Option<(usize, Option<String>)> {
        self.family.choices.iter().enumerate().find_map(|(index, choice)| {
            let (alternatives, known) = (choice.alternatives()?, choice.wins().map(str::to_owned));
            let same = alternatives.len() == members.len()
                && alternatives.iter().all(|one| members.contains(&one.name.wire))
                && (wins.is_none() || known.as_deref() == wins);
            same.then_some((index, known))
        })
    }

    /// Returns the records with exactly these fields and their types, those that answer an operation first.
    pub(super) fn records_with(&self, fields: &[DraftField]) -> Vec<String> {
        let answers = |index: usize| {
            self.family.operations.iter().any(|operation| match &operation.response {
                Response::Object { record } | Response::Array { record, .. } | Response::Page { record, .. } => {
                    *record == index
                }
                Response::Undefined => false,
            })
        };
        let same = self
            .family
            .records
            .iter()
            .enumerate()
            .filter(|(_, record)| !record.is_abstract && self.has_fields(record, fields, NESTED));
        let mut same: Vec<_> = same.map(|(index, record)| (!answers(index), record.name.wire.clone())).collect();
        same.sort_by_key(|(is_unused, _)| *is_unused);
        same.into_iter().map(|(_, name)| name).collect()
    }

    /// Returns whether a record has exactly these fields. Records that only share the names are different ones.
    fn has_fields(&self, record: &Record, fields: &[DraftField], depth: usize) -> bool {
        let is_known = |known: &Field| {
            let field = fields.iter().find(|field| field.name == known.name.wire);
            field.is_some_and(|field| self.is_field(known, field, depth))
        };
        record.fields.len() == fields.len() && record.fields.iter().all(is_known)
    }

    /// Returns whether a field has the type of another; nothing contradicts a type that the source does not state.
    fn is_field(&self, known: &Field, field: &DraftField, depth: usize) -> bool {
        if field.is_undecided || field.is_again || field.kind == JsonKind::Unknown {
            return true;
        }
        let (ty, kind) = match (&known.shape, field.kind) {
            (Shape::List(ty), JsonKind::List) | (Shape::Map(ty), JsonKind::Map) => (*ty, field.item),
            (Shape::One(ty), kind) if !matches!(kind, JsonKind::List | JsonKind::Map) => (*ty, kind),
            _ => return false,
        };
        let has_values = self.family.enum_of(&known.shape).is_none_or(|all| {
            field.values.iter().all(|value| all.values.iter().any(|known| known.name.wire == *value))
        });
        let has_members = ty.record().and_then(|index| self.family.records.get(index)).is_none_or(|record| {
            depth == 0 || field.fields.is_empty() || self.has_fields(record, &field.fields, depth - 1)
        });
        fits(ty, kind) && has_values && has_members
    }

    /// Returns a new record for a name of the source, which is reused wherever the name occurs again; or for something
    /// without a name.
    pub(super) fn record_named(&mut self, named: Option<&str>, own: &str, data: &Data) -> String {
        let Some(named) = named else { return self.new_record(own, data) };
        let named = self.without_family(named);
        if let Some(known) = self.named.get(named) {
            return known.clone();
        }
        let name = self.free_name(named);
        // An object within it may refer to it.
        self.named.insert(named.to_owned(), name.clone());
        self.fill_record(name, data)
    }

    /// Returns the name in the source without the family, which the exporter writes before it.
    fn without_family<'n>(&self, named: &'n str) -> &'n str {
        named.strip_prefix(&self.family.name).and_then(|rest| rest.strip_prefix('.')).unwrap_or(named)
    }

    fn new_record(&mut self, name: &str, data: &Data) -> String {
        let name = self.free_name(name);
        self.fill_record(name, data)
    }

    /// Adds the record with this name, which is reserved before nested records get theirs.
    fn fill_record(&mut self, name: String, data: &Data) -> String {
        let Data { fields, one_of, remarks, is_by_position, is_value, key, .. } = data;
        self.new.records.push(Entry::gap(name.clone()));
        let at = self.new.records.len() - 1;
        if let Some(cases) = one_of {
            self.of_several.insert(name.clone());
            let entries = self.cases(&name, cases);
            self.new.records[at] = Entry::new(name.clone(), Yaml::Map(entries)).comments(remarks.clone());
            return name;
        }
        let named = fields.iter().zip(field_names(fields, |_| true));
        let fields = named.map(|(field, rust)| with_rust(self.record_field(&name, field), rust)).collect();
        let by_position = is_by_position.then(|| Entry::word("by_position", "true"));
        let as_value = is_value.then(|| Entry::word("as_value", "true"));
        let key = key.as_ref().map(|key| Entry::text("key", key.clone()));
        let entries = [Entry::gap("doc")].into_iter().chain(by_position).chain(as_value).chain(key);
        let entries = entries.chain([Entry::new("fields", Yaml::Map(fields))]).collect();
        self.new.records[at] = Entry::new(name.clone(), Yaml::Map(entries)).comments(remarks.clone());
        name
    }

    /// Returns the keys of a record that is one of several.
    fn cases(&mut self, name: &str, of: &Cases) -> Vec<Entry> {
        let mut cases: Vec<(String, Vec<String>)> = Vec::new();
        for (index, (field, words)) in of.cases.iter().enumerate() {
            let own = format!("{name}-{}", words.first().cloned().unwrap_or_else(|| format!("form-{}", index + 1)));
            let record = match (self.around(field), field.kind) {
                (Some(outer), _) => outer,
                (None, JsonKind::Object) => self.record_named(field.named.as_deref(), &own, &field.clone().into_data()),
                (None, _) => self.new_record(&own, &field.clone().into_value()),
            };
            match cases.iter_mut().find(|(known, _)| *known == record) {
                Some((_, known)) => known.extend(words.iter().cloned()),
                None => cases.push((record, words.clone())),
            }
        }
        let cases = cases.into_iter().map(|(record, words)| Entry::new(record, Yaml::Texts(words))).collect();
        let decider = of.decider.as_ref().map(|decider| Entry::text("choose_by", decider.clone()));
        [Entry::gap("doc")].into_iter().chain(decider).chain([Entry::new("one_of", Yaml::Map(cases))]).collect()
    }

    /// Returns the record around a field that holds the same record again.
    fn around(&self, field: &DraftField) -> Option<String> {
        self.named.get(field.named.as_deref().filter(|_| field.is_again)?).cloned()
    }

    fn record_field(&mut self, record: &str, field: &DraftField) -> Entry {
        let mut entries = Vec::new();
        let key = key_of(field.kind);
        if let Some(outer) = self.around(field).filter(|outer| key != "type" || self.of_several.contains(outer)) {
            entries.extend([Entry::word(key, outer), Entry::gap("doc")]);
        } else if (!field.fields.is_empty() || field.one_of.is_some()) && !field.is_undecided {
            let same = if field.one_of.is_none() { self.records_with(&field.fields) } else { Vec::new() };
            let known = same.into_iter().next();
            let own = format!("{record}-{}", field.name);
            let item = known.unwrap_or_else(|| {
                let data = Data { remarks: Vec::new(), ..field.clone().into_data() };
                self.record_named(field.named.as_deref(), &own, &data)
            });
            entries.push(Entry::word(key, item));
            entries.extend((key != "type").then(|| Entry::gap("doc")));
        } else if let Some(fixed) = self.fixed(field) {
            entries.extend(fixed);
        } else {
            self.typed(field, false, &mut entries);
        }
        if field.may_be_null {
            entries.push(Entry::word("may_be", "null"));
        }
        entries.extend(deprecated(field.is_deprecated, &field.deprecation));
        Entry::new(field.name.clone(), Yaml::Map(entries)).comments(field.remarks.clone())
    }

    /// Returns the keys of a value that never changes; `None` if others are possible.
    pub(super) fn fixed(&self, field: &DraftField) -> Option<Vec<Entry>> {
        let value = field.fixed.as_ref().or(if let [only] = field.values.as_slice() { Some(only) } else { None })?;
        let ty = match field.kind {
            _ if field.is_undecided => return None,
            JsonKind::Boolean => "boolean",
            JsonKind::Number => "decimal",
            JsonKind::Text if !field.is_of_numbers => "string",
            JsonKind::Text if value.starts_with('-') => "signed",
            JsonKind::Text => "integer",
            _ => return None,
        };
        let is_number = field.is_of_numbers || field.kind == JsonKind::Number && !field.is_text;
        let how = match field.kind {
            JsonKind::Boolean if field.is_json_number => Some("number"),
            JsonKind::Boolean if field.is_text => Some("text"),
            _ => (is_number && self.numbers_as_text()).then_some("number"),
        };
        let travels = how.map(|how| Entry::word("json", how));
        let keys = [Entry::word("type", ty), Entry::text("fixed", value.clone())].into_iter().chain(travels);
        Some(keys.chain([Entry::gap("doc")]).collect())
    }

    /// Adds the keys that state the type of a value.
    pub(super) fn typed(&mut self, field: &DraftField, is_parameter: bool, entries: &mut Vec<Entry>) {
        let key = key_of(field.kind);
        match self.find(field, is_parameter) {
            FieldType::Type { name, is_part } => {
                let is_built_in = built_in().any(|(known, _)| known == name);
                let travels = if field.is_of_numbers || field.is_json_number {
                    Some("number")
                } else {
                    self.travels(&name, field)
                };
                let is_time = name == "time";
                entries.push(Entry::word(key, name));
                if is_part {
                    entries.push(Entry::new("only", Yaml::Texts(field.values.clone())));
                }
                entries.extend(travels.map(|how| Entry::word("json", how)));
                // Also milliseconds, because those of a family may be others.
                let times = field.times.filter(|_| is_time);
                entries.extend(times.map(|times| Entry::word("times", times.as_str())));
                entries.extend(field.scale.as_ref().map(|scale| Entry::word("scale", scale.clone())));
                if is_built_in || key == "list" {
                    entries.push(Entry::gap("doc"));
                }
            }
            FieldType::Unknown => entries.extend([Entry::gap(key), Entry::gap("doc")]),
        }
    }

    /// Returns how a number travels, if it differs from the family. A time of ISO 8601 is always text.
    fn travels(&self, name: &str, field: &DraftField) -> Option<&'static str> {
        let is_number = ["decimal", "integer", "signed", "time"].contains(&name);
        let is_iso = field.times == Some(Times::Iso8601);
        let kind = if matches!(field.kind, JsonKind::List | JsonKind::Map) { field.item } else { field.kind };
        let is_text = match kind {
            JsonKind::Number | JsonKind::Integer | JsonKind::Signed => field.is_text,
            JsonKind::Time if field.times.is_some() => field.is_text,
            JsonKind::Text => true,
            JsonKind::Boolean => return field.is_text.then_some("text"),
            _ => return None,
        };
        if field.is_bare {
            return None;
        }
        match is_text {
            false if is_number && !is_iso && self.numbers_as_text() => Some("number"),
            true if is_number && !is_iso && !self.numbers_as_text() => Some("text"),
            _ => None,
        }
    }

    /// Returns a name of a type, spelled as in Rust, that no other type has.
    fn free_name(&mut self, wanted: &str) -> String {
        self.free_rust_name(&wanted.to_upper_camel_case(), |name| {
            // One of several records has a variant of that name.
            name != "Unknown" && built_in().all(|(known, _)| known != name)
        })
    }

    fn name(&self, ty: Type) -> String {
        let built_in = built_in().find(|(_, known)| *known == ty).map(|(name, _)| name);
        match ty {
            Type::Enum(index) => self.family.enums[index].name.wire.clone(),
            Type::Identifier(index) => self.family.identifiers[index].name.wire.clone(),
            Type::Choice(index) => self.family.choices[index].name.wire.clone(),
            Type::Record(index) => self.family.records[index].name.wire.clone(),
            _ => built_in.unwrap_or_default().to_owned(),
        }
    }

    /// Returns whether a parameter is a time.
    pub(super) fn is_time(&self, name: &str) -> bool {
        self.parameters.get(name).is_some_and(|types| matches!(types.as_slice(), [Type::Time(_)]))
    }
}

/// The depth to which nested records are compared.
const NESTED: usize = 4;

impl FieldType {
    fn whole(name: impl Into<String>) -> Self {
        Self::Type { name: name.into(), is_part: false }
    }
}

/// Returns the distinct types of each name.
fn by_name<'a>(named: impl Iterator<Item = (&'a str, Option<Type>)>) -> BTreeMap<&'a str, Vec<Type>> {
    let mut all: BTreeMap<&str, Vec<Type>> = BTreeMap::new();
    for (name, ty) in named.filter_map(|(name, ty)| Some((name, ty?))) {
        let types = all.entry(name).or_default();
        if !types.contains(&ty) && !matches!(ty, Type::Undefined | Type::Choice(_)) {
            types.push(ty);
        }
    }
    all
}

/// Returns whether a type of the family fits the JSON kind of a source.
fn fits(ty: Type, kind: JsonKind) -> bool {
    match kind {
        JsonKind::Unknown | JsonKind::List | JsonKind::Map => true,
        JsonKind::Json => ty == Type::Json,
        JsonKind::Text => !matches!(ty, Type::Boolean(_) | Type::Record(_)),
        JsonKind::Number | JsonKind::Integer | JsonKind::Signed => ty.is_number(),
        JsonKind::Boolean => matches!(ty, Type::Boolean(_)),
        JsonKind::Time => matches!(ty, Type::Time(_)),
        JsonKind::Formatted(format) => ty == Type::Formatted(format),
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

/// Returns the key that states the type of a value.
fn key_of(kind: JsonKind) -> &'static str {
    match kind {
        JsonKind::List => "list",
        JsonKind::Map => "map",
        _ => "type",
    }
}

/// Returns the Rust names of parameters or fields that cannot have, or do not have alone, the name that follows from
/// the wire.
pub(super) fn field_names(fields: &[DraftField], is_free: impl Fn(&str) -> bool) -> Vec<Option<String>> {
    let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
    distinct(&names, |name| field_name(name).ok().filter(|name| is_free(name)), "field_")
}

/// Returns the entry of a parameter or a field with its Rust name, if it needs one.
pub(super) fn with_rust(mut entry: Entry, rust: Option<String>) -> Entry {
    if let (Some(rust), Yaml::Map(entries)) = (rust, &mut entry.value) {
        entries.insert(1.min(entries.len()), Entry::word("rust", rust));
    }
    entry
}

/// Returns Rust names for those that have none of their own, or the one of an earlier name.
fn distinct(names: &[String], rust: impl Fn(&str) -> Option<String>, prefix: &str) -> Vec<Option<String>> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let name = |(index, name): (usize, &String)| {
        let own = rust(name);
        if own.as_ref().is_some_and(|own| taken.insert(own.trim_start_matches("r#").to_owned())) {
            return None;
        }
        let numbered = (index + 1..).map(|n| format!("{prefix}{n}"));
        numbered.take(10_000).find(|name| taken.insert(name.clone()))
    };
    names.iter().enumerate().map(name).collect()
}
