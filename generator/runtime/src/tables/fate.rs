/// The parameter that carries the caller's own id of what a request makes.
#[derive(Clone, Copy, Debug)]
pub struct ClientId {
    /// Its name.
    pub parameter: &'static str,
    /// The list whose items have it; `None` when the request itself does, `[]` when the body is the list.
    pub list: Option<&'static str>,
}

/// How it is found out whether a request, or an item of it, had its effect. Pairs name first what is asked or read, then
/// the parameter of the request that it is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Confirm {
    /// The parameters that name what is asked for: the first one that the request has is enough, and what the answer
    /// tells must carry it.
    pub ask: &'static [(&'static str, &'static str)],
    /// Parameters that the query takes along.
    pub with: &'static [&'static str],
    /// The list whose items are asked for one by one.
    pub list: Option<&'static str>,
    /// Fields that are as the request wants them once it had its effect. None: what is there is there because of it.
    pub matches: &'static [(&'static str, &'static str)],
    /// Parameters of the request, and the fields of which one has to agree with it where the record has any: otherwise the
    /// record is of another request with the same id.
    pub agrees: &'static [(&'static str, &'static [&'static str])],
    /// The field that tells when it came to be: what is older is something else with the same id.
    pub created: Option<&'static str>,
    /// The field that tells when it last changed: what it was before the request was sent is no proof.
    pub changed: Option<&'static str>,
    /// Fields, and the values with which nothing but such a request changes what they tell of: with another value, the
    /// last change may have been a fill or the end.
    pub changed_while: &'static [(&'static str, &'static [&'static str])],
    /// How long it can be asked for at least, in milliseconds, whatever becomes of it. `None`: that is not shown, so
    /// absence proves nothing.
    pub kept_ms: Option<u64>,
}
