//! The mistakes that a reader reports.

use super::ParameterReader;
use crate::data::checks::{CheckContext, Checks, Place, Violation, Violations};
use crate::data::json::ReadError;
use crate::data::parameters::{Parameters, json_of};
use crate::data::sorting::sort_by;
use crate::data::tables::{Meta, Severity};
use tradeapi_words::similar::nearest;

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

    /// Why no request could be read.
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
