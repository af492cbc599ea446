//! Reads the parameters of requests back.

mod refusals;

use super::named::Member;
use super::{BODY, Entries, ParameterTable, Parameters};
use crate::data::checks::{CheckContext, Place, Violations};
use crate::data::json::{Decode, Json, Kind, Map, ReadError, Reader, read_json, write_json};
use crate::data::tables::{Lists, Meta, Unsupported};
use crate::data::value::{Edit, OpenEnum, place_of};
use std::borrow::Cow;

/// Reads request parameters back, and collects all violations.
///
/// It is the counterpart of [`ParameterWriter`](crate::data::parameters::ParameterWriter): for servers, stored requests and
/// tests. Unlike responses, requests are read strictly, except that a number may be written as text.
#[derive(Debug)]
pub struct ParameterReader<'a> {
    meta: Option<&'static Meta>,
    place: Option<&'a Place<'a>>,
    /// The text with the parameters, which is used if it is an array.
    text: Cow<'a, str>,
    /// True if the text is an object or an array. If not, no parameters are looked for in it.
    has_form: bool,
    /// True if the text is an array, which only the items of a list can be read from.
    is_array: bool,
    took_items: bool,
    /// True if the parameters are those of a query, where a list is a parameter that comes more than once.
    is_query: bool,
    /// True if what was last taken for an object was the content of a text, whose lists are written as such.
    took_text: bool,
    members: Vec<Member<'a>>,
    known: Vec<&'static str>,
    /// True if a parameter was given and could not be read.
    has_failed: bool,
    found: Violations,
}

/// The place for a value that is read, whatever its type, so that what all parameters share is compiled once.
trait ReadInto {
    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), ReadError>;
}

impl<T: Decode> ReadInto for Option<T> {
    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), ReadError> {
        from.read_into(self)
    }
}

impl ParameterReader<'_> {
    /// Reads parameters from a JSON text, and runs their checks.
    ///
    /// # Errors
    ///
    /// Returns everything that is missing, unreadable, unknown or forbidden.
    pub fn read<P: Parameters>(json: &str) -> Result<P, Violations> {
        read_from(ParameterReader::of_json(None, json), CheckContext::default())
    }

    /// Reads parameters from a query, without its question mark, and runs their checks.
    ///
    /// # Errors
    ///
    /// Returns everything that is missing, unreadable, unknown or forbidden.
    pub fn from_query<P: Parameters>(query: &str) -> Result<P, Violations> {
        read_from(ParameterReader::of_query(None, query), CheckContext::default())
    }

    /// Reads as [`read`](Self::read) does, for a request of the operation `meta`, which violations then name.
    pub(crate) fn read_operation<P: Parameters>(
        meta: &'static Meta,
        json: &str,
        context: CheckContext<'_>,
    ) -> Result<P, Violations> {
        read_from(ParameterReader::of_json(Some(meta), json), context)
    }

    /// Reads as [`from_query`](Self::from_query) does, for a request of the operation `meta`.
    pub(crate) fn operation_from_query<P: Parameters>(
        meta: &'static Meta,
        query: &str,
        context: CheckContext<'_>,
    ) -> Result<P, Violations> {
        read_from(ParameterReader::of_query(Some(meta), query), context)
    }
}

fn read_from<P: Parameters>(mut from: ParameterReader<'_>, context: CheckContext<'_>) -> Result<P, Violations> {
    match from.parameters::<P>() {
        Some(parameters) => {
            from.checked(&parameters, context)?;
            Ok(parameters)
        }
        None => Err(from.unread()),
    }
}

impl<'a> ParameterReader<'a> {
    /// Returns whether a parameter is given; `null` and the empty text are not.
    pub fn has(&mut self, name: &'static str) -> bool {
        self.known.push(name);
        self.members.iter().any(|member| member.name == name && !member.is_null() && !member.is_blank())
    }

    /// Reads the enum value that decides which of `members` go together. A member that does not go with the value is
    /// refused as such and not as unknown; without a value, none is refused.
    pub fn decide<E: OpenEnum>(&mut self, name: &'static str, members: &'static [&'static str]) -> Option<E> {
        self.known.extend_from_slice(members);
        let value = self.word(name);
        if value.is_none() {
            self.leave_undecided(members);
        }
        value
    }

    /// Reads a parameter that must be there.
    pub fn required<T: Decode>(&mut self, name: &'static str) -> Option<T> {
        let mut value = None;
        if !self.value(name, &mut value) {
            return None;
        }
        if value.is_none() {
            self.missing(name);
        }
        value
    }

    /// Lets an empty text stand for a parameter that is left out, where the documents say so. Any other parameter that
    /// is an empty text is refused: it was given, and sending the request without it would change its meaning.
    pub fn may_be_blank(&mut self, name: &'static str) -> &mut Self {
        let blank = self.members.iter_mut().filter(|member| member.name == name && member.is_blank());
        blank.for_each(|member| member.json = Cow::Borrowed("null"));
        self
    }

    /// Reads a parameter that may be left out, or be `null`. It is `None` too if it is unreadable; then the whole set of
    /// parameters is refused, as for every optional parameter.
    pub fn optional<T: Decode>(&mut self, name: &'static str) -> Option<T> {
        let mut value = None;
        if self.value(name, &mut value) { value } else { None }
    }

    /// Reads an edit: left out keeps, what the row says deletes, anything else is set. A text that is empty keeps, too,
    /// where another text deletes.
    pub(super) fn edit<T>(
        &mut self,
        row: &'static ParameterTable,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Edit<T> {
        if !row.or_null {
            self.may_be_blank(row.wire);
        }
        self.known.push(row.wire);
        let Some(member) = self.members.iter_mut().find(|member| member.name == row.wire) else { return Edit::Keep };
        if member.is_null() {
            member.taken = true;
            return if row.or_null { Edit::Delete } else { Edit::Keep };
        }
        if !row.or_null && Reader::new(&member.json).scalar().is_ok_and(|text| text == row.delete) {
            member.taken = true;
            return Edit::Delete;
        }
        read(self).map_or(Edit::Keep, Edit::Set)
    }

    /// Reads an enum value that must be there and be a documented one, letter by letter.
    pub fn word<E: OpenEnum>(&mut self, name: &'static str) -> Option<E> {
        self.documented(name, E::VALUES).and_then(E::known)
    }

    /// Reads an enum value that may be left out, or be `null`, and otherwise is a documented one.
    pub fn optional_word<E: OpenEnum>(&mut self, name: &'static str) -> Option<E> {
        self.optional_documented(name, E::VALUES).and_then(E::known)
    }

    /// Reads a list of values that may be left out, which is not the same as an empty one.
    pub fn optional_values<T: Decode>(&mut self, name: &'static str) -> Option<Vec<T>> {
        let json = self.take_list(name)?;
        let values = read_json(&json);
        self.readable(name, values)
    }

    /// Reads a list of values that must be there.
    pub fn required_values<T: Decode>(&mut self, name: &'static str) -> Option<Vec<T>> {
        let Some(json) = self.take_list(name) else {
            self.missing(name);
            return None;
        };
        let values = read_json(&json);
        self.readable(name, values)
    }

    /// Reads a list of objects that may be left out, which is not the same as an empty one.
    pub fn optional_list<P: Parameters>(&mut self, name: &'static str) -> Option<Vec<P>> {
        let json = self.take_objects(name)?;
        self.objects(name, &json)
    }

    /// Reads a list of objects that must be there.
    pub fn required_list<P: Parameters>(&mut self, name: &'static str) -> Option<Vec<P>> {
        let Some(json) = self.take_objects(name) else {
            self.missing(name);
            return None;
        };
        self.objects(name, &json)
    }

    /// Reads an object with names of its own that may be left out.
    pub(super) fn optional_entries<T: Decode>(&mut self, name: &'static str) -> Option<Entries<T>> {
        let json = self.take_objects(name)?;
        self.entries(name, &json)
    }

    /// Reads an object with names of its own that must be there.
    pub(super) fn required_entries<T: Decode>(&mut self, name: &'static str) -> Option<Entries<T>> {
        let Some(json) = self.take_objects(name) else {
            self.missing(name);
            return None;
        };
        self.entries(name, &json)
    }

    /// Reads an object with parameters of its own that may be left out.
    pub fn optional_object<P: Parameters>(&mut self, name: &'static str) -> Option<P> {
        let json = self.take_objects(name)?;
        self.object(&Place::member(self.place, name), &json)
    }

    /// Reads an object with parameters of its own that must be there.
    pub fn required_object<P: Parameters>(&mut self, name: &'static str) -> Option<P> {
        let Some(json) = self.take_objects(name) else {
            self.missing(name);
            return None;
        };
        self.object(&Place::member(self.place, name), &json)
    }

    /// Reads an optional choice. It is made if one of its `members` is given.
    pub fn optional_choice<P: Parameters>(&mut self, members: &'static [&'static str]) -> Option<P> {
        if !self.has_any(members) {
            return None;
        }
        let choice = P::read(self);
        self.has_failed |= choice.is_none();
        choice
    }

    /// Gives a parameter its only value if it is left out, and refuses another one.
    pub(super) fn fix(&mut self, row: &'static ParameterTable) {
        let is_text = !row.is_bare && !row.is_bit;
        let json = Cow::Owned(if is_text { write_json(&row.fixed.to_owned()) } else { row.fixed.to_owned() });
        match self.members.iter_mut().find(|member| member.name == row.wire) {
            None => self.members.push(Member { name: Cow::Borrowed(row.wire), json, taken: false }),
            Some(member) => {
                let given = std::mem::replace(&mut member.json, json);
                if given != "null" && Reader::new(&given).scalar().ok().as_deref() != Some(row.fixed) {
                    let allowed = format!("only {:?} is sent", row.fixed);
                    self.violated("fixed", row.wire, given.into_owned(), allowed, "leave it out");
                }
            }
        }
    }

    /// Reads the array that is a body: the whole text, or beside other parameters the member `[]`.
    pub(super) fn body<P: Parameters>(&mut self, has_siblings: bool) -> Option<Vec<P>> {
        if has_siblings && !self.is_array { self.required_list(BODY) } else { self.items() }
    }

    /// Reads the whole text as a list of objects.
    pub fn items<P: Parameters>(&mut self) -> Option<Vec<P>> {
        self.took_items = true;
        if !self.is_array {
            // The missing list is reported, and the members in its place are not.
            self.members.clear();
        }
        let json = self.text.clone();
        self.objects("", &json)
    }

    /// Reports unless exactly one of `members` is given.
    pub fn exactly_one(&mut self, given: usize, members: &'static [&'static str]) -> Option<()> {
        if given != 1 {
            let first = members.first().copied().unwrap_or_default();
            self.violate("one-of", first, &format!("exactly one of {} is needed", members.join(", ")));
            return None;
        }
        Some(())
    }

    /// Reports that `parameter` breaks a rule of this kind, and the allowed values.
    pub fn violate(&mut self, kind: &'static str, parameter: &'static str, allowed: &str) {
        self.violated(kind, parameter, String::new(), allowed.to_owned(), "");
    }
}

/// The common steps.
impl<'a> ParameterReader<'a> {
    /// Reads a whole set of parameters. Whatever is left is reported.
    fn parameters<P: Parameters>(&mut self) -> Option<P> {
        if !self.has_form {
            return None;
        }
        let parameters = P::read(self);
        self.refuse_rest();
        if self.has_failed { None } else { parameters }
    }

    fn objects<P: Parameters>(&mut self, name: &str, json: &str) -> Option<Vec<P>> {
        let raw_items = self.readable(name, read_json::<Vec<Json>>(json))?;
        let mut items = Vec::with_capacity(raw_items.len());
        for (index, json) in raw_items.iter().enumerate() {
            // Each item reports its own error, even after an item with an error.
            items.extend(self.object(&Place::item(self.place, name, index), json.as_str()));
        }
        (items.len() == raw_items.len()).then_some(items)
    }

    fn entries<T: Decode>(&mut self, name: &str, json: &str) -> Option<Entries<T>> {
        let raw = self.readable(name, read_json::<Map<Json>>(json))?;
        let mut entries = Entries::new();
        for (key, json) in raw.entries {
            if !self.took_text && self.is_doubled(name, json.as_str()) {
                return None;
            }
            let value = self.readable(name, read_json::<T>(json.as_str()))?;
            if entries.insert(key.clone(), value).is_some() {
                self.has_failed = true;
                self.violated("unreadable", name, key, "one value for each name is needed", "leave out all but one");
            }
        }
        Some(entries)
    }

    fn object<P: Parameters>(&mut self, place: &Place<'_>, json: &str) -> Option<P> {
        let mut inner = ParameterReader::new(self.meta, Cow::Borrowed(json));
        inner.place = Some(place);
        inner.is_query = self.is_query && !self.took_text;
        inner.found = std::mem::take(&mut self.found);
        inner.find_members(json);
        let item = inner.parameters();
        self.found = inner.found;
        self.has_failed |= item.is_none();
        item
    }

    fn has_any(&mut self, names: &'static [&'static str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    fn leave_undecided(&mut self, members: &[&str]) {
        let undecided = self.members.iter_mut().filter(|member| members.contains(&member.name.as_ref()));
        undecided.for_each(|member| member.taken = true);
    }

    /// Reads a parameter into `place`, which keeps its value if it is not given. Returns whether it was readable; if
    /// not, `place` is to be ignored.
    fn value(&mut self, name: &'static str, place: &mut dyn ReadInto) -> bool {
        let Some(json) = self.take(name) else { return true };
        if self.is_doubled(name, &json) {
            return false;
        }
        let mut from = Reader::new(&json);
        let read = place.read(&mut from);
        self.readable(name, from.ended(read)).is_some()
    }

    /// Returns whether a value is several of a query, which is a violation where one is needed.
    fn is_doubled(&mut self, name: &str, json: &str) -> bool {
        let is_doubled = self.is_query && json.starts_with('[');
        if is_doubled {
            self.has_failed = true;
            self.given_twice(name, json.to_owned());
        }
        is_doubled
    }

    /// Returns the JSON text of a parameter, if it is given.
    fn take(&mut self, name: &'static str) -> Option<Cow<'a, str>> {
        self.known.push(name);
        let mut given = self.members.iter_mut().filter(|member| member.name == name);
        let first = given.next()?;
        first.taken = true;
        let json = first.json.clone();
        let mut all = String::new();
        for other in given {
            other.taken = true;
            all = format!("{all} and {}", other.json);
        }
        if !all.is_empty() {
            // Another reader may take another of them.
            let all = format!("{json}{all}");
            self.given_twice(name, all);
        }
        Some(json)
    }

    /// Takes as [`take`](Self::take) does, but a list may be a string, as it is in a query; `null` is not a list.
    fn take_list(&mut self, name: &'static str) -> Option<Cow<'a, str>> {
        let json = self.take(name)?;
        let lists = self.style().lists;
        match Reader::new(&json).peek() {
            Kind::String if lists != Lists::Json => {
                let text: Option<String> = read_json(&json).ok()?;
                let text = text?;
                let one = [text.as_str()];
                let texts = if lists == Lists::Comma { text.split(',').collect() } else { one.to_vec() };
                Some(Cow::Owned(write_json(&texts.into_iter().map(str::to_owned).collect::<Vec<_>>())))
            }
            Kind::String => read_json::<Option<String>>(&json).ok()?.map(Cow::Owned),
            Kind::Null => None,
            _ => Some(json),
        }
    }

    /// Takes as [`take`](Self::take) does, but an object, or a list of them, may be the content of a string; `null` is
    /// neither.
    fn take_objects(&mut self, name: &'static str) -> Option<Cow<'a, str>> {
        let json = self.take(name)?;
        let kind = Reader::new(&json).peek();
        self.took_text = kind == Kind::String;
        match kind {
            Kind::String => read_json::<Option<String>>(&json).ok()?.map(Cow::Owned),
            Kind::Null => None,
            _ => Some(json),
        }
    }

    /// Returns the operation that does not support a parameter, and where it says so.
    fn unsupported(&self, name: &str) -> Option<(&'static Meta, &'static Unsupported)> {
        let meta = self.meta.filter(|meta| !meta.unsupported.is_empty())?;
        let path = Place::in_any_item(self.place, name);
        Some((meta, meta.unsupported.iter().find(|row| row.path == path)?))
    }

    /// Returns the index of a required word in `values`.
    fn documented(&mut self, name: &'static str, values: &[&str]) -> Option<usize> {
        let text: String = self.required(name)?;
        self.place_of(name, &text, values)
    }

    fn optional_documented(&mut self, name: &'static str, values: &[&str]) -> Option<usize> {
        let text: String = self.optional(name)?;
        self.place_of(name, &text, values)
    }

    fn place_of(&mut self, name: &str, text: &str, values: &[&str]) -> Option<usize> {
        let place = place_of(text, values);
        if place.is_none() {
            self.undocumented(name, text, values);
        }
        place
    }
}
