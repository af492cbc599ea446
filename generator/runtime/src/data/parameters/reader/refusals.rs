//! The mistakes that a reader reports, and the form in which it gets its parameters.

use std::borrow::Cow;

use tradeapi_words::similar::nearest;

use super::ParameterReader;
use crate::data::checks::{CheckContext, Checks, Place, Violation, Violations};
use crate::data::json::{Kind, ReadError, Reader};
use crate::data::parameters::named::{Member, members};
use crate::data::parameters::{Parameters, json_of, query};
use crate::data::sorting::sort_by;
use crate::data::tables::{Meta, ParameterStyle, Severity};

impl ParameterReader<'_> {
    /// Checks the parameters of a request that were read.
    pub(super) fn checked(mut self, parameters: &dyn Parameters, context: CheckContext<'_>) -> Result<(), Violations> {
        if context.policy.checks_anything() {
            let mut checks = Checks::new(self.meta, context);
            parameters.check(&mut checks);
            self.found.append(checks.finish(&|| json_of(parameters)));
        }
        self.found.into_result().map(drop)
    }

    /// Returns why no request could be read.
    pub(super) fn unread(mut self) -> Violations {
        if self.found.is_empty() {
            self.violate("unreadable", "", "these are not the parameters that were looked for");
        }
        self.found
    }

    /// Reports unread parameters.
    pub(super) fn refuse_rest(&mut self) {
        if self.is_array && !self.took_items {
            self.violated(
                "unreadable",
                "",
                "an array".to_owned(),
                "an object is needed",
                "write the parameters as its members",
            );
        }
        self.refuse_what_was_not_taken();
    }

    fn refuse_what_was_not_taken(&mut self) {
        if self.members.iter().all(|member| member.taken && !member.is_blank()) {
            return;
        }
        sort_by(&mut self.known, &Ord::cmp);
        self.known.dedup();
        for member in std::mem::take(&mut self.members) {
            let (name, is_blank) = (member.name.as_ref(), member.is_blank());
            let is_known = self.known.contains(&name);
            // A parameter of the operation that is `null` is left out, also where another choice excludes it.
            if member.taken && !is_blank || is_known && member.is_null() {
                continue;
            }
            if is_known && is_blank {
                self.violated(
                    "empty",
                    name,
                    r#""""#.to_owned(),
                    "an empty text is not a value",
                    "set it, or leave it out",
                );
            } else if is_known {
                self.violated(
                    "not-applicable",
                    name,
                    String::new(),
                    "it does not go with the others".to_owned(),
                    "leave it out",
                );
            } else if let Some((meta, row)) = self.unsupported(name).filter(|_| !is_blank) {
                self.found.push(Violation {
                    rule: row.rule.to_owned(),
                    severity: Severity::Refuse,
                    parameter: Place::path(self.place, name),
                    given: String::new(),
                    allowed: row.says.trim_end_matches('.').to_owned(),
                    source: meta.within_document(row.at),
                    hint: "leave it out".to_owned(),
                });
            } else {
                let allowed = format!("the parameters here are {}", self.known.join(", "));
                let hint = match nearest(name, self.known.iter().copied()) {
                    Some(similar) => format!("did you mean `{similar}`?"),
                    None => "leave it out or correct its name".to_owned(),
                };
                self.violated("unknown-parameter", name, String::new(), allowed, &hint);
            }
        }
    }

    pub(super) fn undocumented(&mut self, name: &str, text: &str, allowed: &[&str]) {
        self.has_failed = true;
        let allowed = format!("one of {} is needed", allowed.join(", "));
        self.violated("values", name, format!("{text:?}"), allowed, "use one of these");
    }

    pub(super) fn missing(&mut self, name: &str) {
        self.has_failed = true;
        // An array has no members, and a blank array is reported as blank.
        let is_blank = self.members.iter().any(|member| member.name == name && member.is_blank());
        if self.is_array || is_blank {
            return;
        }
        self.violated("required", name, "nothing".to_owned(), "it is required", "set it");
    }

    pub(super) fn given_twice(&mut self, name: &str, all: String) {
        self.violated(
            "unreadable",
            name,
            all,
            "it comes more than once where one value is needed",
            "leave out all but one",
        );
    }

    pub(super) fn readable<T>(&mut self, name: &str, value: Result<T, ReadError>) -> Option<T> {
        match value {
            Ok(value) => Some(value),
            Err(error) => {
                self.has_failed = true;
                self.violated("unreadable", name, String::new(), error.to_string(), "");
                None
            }
        }
    }

    pub(super) fn violated(
        &mut self,
        kind: &'static str,
        name: &str,
        given: String,
        allowed: impl Into<String>,
        hint: &str,
    ) {
        self.found.push(Violation {
            rule: Place::rule(self.place, name, kind),
            severity: Severity::Refuse,
            parameter: Place::path(self.place, name),
            given,
            allowed: allowed.into(),
            source: self.meta.map(Meta::source).unwrap_or_default(),
            hint: hint.to_owned(),
        });
    }
}

impl<'a> ParameterReader<'a> {
    pub(super) fn new(meta: Option<&'static Meta>, text: Cow<'a, str>) -> Self {
        let found = Violations::default();
        Self {
            meta,
            place: None,
            text,
            has_form: true,
            is_array: false,
            took_items: false,
            is_query: false,
            took_text: false,
            members: Vec::new(),
            // As many as a request has parameters, with few exceptions.
            known: Vec::with_capacity(32),
            has_failed: false,
            found,
        }
    }

    pub(super) fn of_json(meta: Option<&'static Meta>, json: &'a str) -> Self {
        let mut from = Self::new(meta, Cow::Borrowed(json));
        from.find_members(json);
        from
    }

    pub(super) fn of_query(meta: Option<&'static Meta>, query: &'a str) -> Self {
        let mut from = Self { is_query: true, ..Self::new(meta, Cow::Borrowed("{}")) };
        let style = from.style();
        let mut pairs = Vec::new();
        for pair in query::pairs(query) {
            match pair {
                Ok(pair) => pairs.push(pair),
                Err(pair) => {
                    from.violated("unreadable", "", format!("{pair:?}"), "percent-encoded text is needed", "");
                }
            }
        }
        for (name, json) in query::members(pairs, style) {
            from.members.push(Member { name, json: Cow::Owned(json), taken: false });
        }
        from
    }

    pub(super) fn style(&self) -> ParameterStyle {
        self.meta.map_or(ParameterStyle::DEFAULT, |meta| meta.style)
    }

    pub(super) fn find_members(&mut self, json: &'a str) {
        let mut from = Reader::new(json);
        let found = match from.peek() {
            Kind::Object => members(&mut from),
            // What is in an array is read item by item.
            Kind::Array => {
                self.is_array = true;
                from.skip().map(|()| Vec::new())
            }
            _ => Err(from.unexpected("an object or an array")),
        };
        let found = found.and_then(|members| from.finish().map(|()| members)).map_err(|error| error.located(json));
        let members = self.readable("", found);
        self.has_form = members.is_some();
        self.members = members.unwrap_or_default();
    }
}
