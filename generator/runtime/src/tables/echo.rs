/// What the answer to a request repeats of it, by which it is known to be the answer to this request.
#[derive(Clone, Copy, Debug)]
pub struct Echoes {
    /// The ids that it repeats.
    pub ids: &'static [Echo],
    /// Every member that the answer can have. An answer without any of them is the answer to something else.
    pub members: &'static [&'static str],
    /// Whether one id that agrees is enough, because the document leaves open which of its ids an answer repeats.
    pub one_is_enough: bool,
}

/// An id that an answer repeats.
#[derive(Clone, Copy, Debug)]
pub struct Echo {
    /// The member of the answer.
    pub member: &'static str,
    /// The parameters of the request that it may repeat.
    pub of: &'static [&'static str],
}

/// A request that does several things, of which one may be done although another is refused.
#[derive(Clone, Copy, Debug)]
pub struct Compound {
    /// A parameter, and the value with which the request does several things; `None` when it always does.
    pub when: Option<(&'static str, &'static str)>,
    /// What it does.
    pub why: &'static str,
}
