use std::error::Error;
use std::fmt;
use std::ops::Deref;

use crate::tables::Severity;

/// One thing in a request that the documents forbid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The id of the rule that is broken. A rule that comes with a parameter's description is called after it:
    /// `limit.max`, `orderList[].side.values`.
    pub rule: String,
    /// Whether the request is refused for it, or sent with a warning.
    pub severity: Severity,
    /// The path to the parameter: `orderList[3].price`.
    pub parameter: String,
    /// What was given; empty where that says nothing.
    pub given: String,
    /// What is allowed.
    pub allowed: String,
    /// The document and the place in it that says so; empty where the parameters belong to no operation.
    pub source: String,
    /// What to do.
    pub mend: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.parameter.is_empty() {
            write!(f, "{}: ", self.parameter)?;
        }
        if !self.given.is_empty() {
            write!(f, "{} given; ", self.given)?;
        }
        write!(f, "{} (rule {}", self.allowed, self.rule)?;
        if !self.source.is_empty() {
            write!(f, "; {}", self.source)?;
        }
        f.write_str(")")?;
        if self.mend.is_empty() { Ok(()) } else { write!(f, ": {}", self.mend) }
    }
}

/// Everything in a request that the documents forbid or warn of. Where it is an error, something refuses the request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violations(Vec<Violation>);

impl Violations {
    /// Whether the request must not be sent; else there are warnings at most.
    pub fn refuse(&self) -> bool {
        self.refusals().next().is_some()
    }

    /// What refuses the request.
    pub fn refusals(&self) -> impl Iterator<Item = &Violation> {
        self.0.iter().filter(|violation| violation.severity == Severity::Refuse)
    }

    /// What the documents advise against, without refusing the request for it.
    pub fn warnings(&self) -> impl Iterator<Item = &Violation> {
        self.0.iter().filter(|violation| violation.severity == Severity::Warn)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Violation> {
        self.0.iter_mut()
    }

    /// The warnings, or an error that has them too.
    pub(crate) fn into_result(self) -> Result<Self, Self> {
        if self.refuse() { Err(self) } else { Ok(self) }
    }

    pub(crate) fn push(&mut self, violation: Violation) {
        self.0.push(violation);
    }

    pub(crate) fn append(&mut self, mut more: Self) {
        self.0.append(&mut more.0);
    }
}

impl Deref for Violations {
    type Target = [Violation];

    fn deref(&self) -> &[Violation] {
        &self.0
    }
}

impl IntoIterator for Violations {
    type Item = Violation;
    type IntoIter = std::vec::IntoIter<Violation>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Violations {
    type Item = &'a Violation;
    type IntoIter = std::slice::Iter<'a, Violation>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl fmt::Display for Violations {
    /// One violation a line: what refuses the request, and then, under a heading of their own, the warnings. Where
    /// nothing refuses it, there is no heading.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for violation in self.refusals() {
            write!(f, "{separator}{violation}")?;
            separator = "\n";
        }
        if self.refuse() {
            separator = "\nWarnings, for which it is not refused:\n";
        }
        for violation in self.warnings() {
            write!(f, "{separator}{violation}")?;
            separator = "\n";
        }
        Ok(())
    }
}

impl Error for Violations {}
