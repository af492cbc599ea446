/// A rule the documents state.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its id, unique in its operation.
    pub id: &'static str,
    /// Where in the document it stands.
    pub at: &'static str,
    /// Who keeps it.
    pub kind: RuleKind,
    /// What a request comes to that breaks it, where it is checked.
    pub severity: Severity,
    /// What it says, in our own words.
    pub says: &'static str,
    /// Why it is only stated, or what to do about it.
    pub why: Option<&'static str>,
    /// The properties of the account and the instrument that it depends on; what was not told is not checked.
    pub depends_on: &'static [&'static str],
    /// What to do about a request that breaks it; empty for a rule that is not checked.
    pub mend: &'static str,
}

/// Who keeps a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// The types: a request that breaks it cannot be written.
    Type,
    /// The checks: a request that breaks it is refused before it is sent.
    Checked,
    /// The limiter.
    Limit,
    /// The exchange; a local one can show it.
    Simulated,
    /// The caller: it stands in the documentation only.
    Stated,
}

/// What a request comes to that breaks a checked rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// It is sent, and its reply tells of it.
    Warn,
    /// It is refused.
    Refuse,
}

/// A ceiling that is not a rate and belongs to no single operation, such as a number of open orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceiling {
    /// Its id.
    pub id: &'static str,
    /// The most there may be.
    pub n: u64,
    /// The values, of an enum of the API, of what counts; empty when everything does.
    pub over: &'static [&'static str],
    /// What is counted.
    pub doc: &'static str,
}
