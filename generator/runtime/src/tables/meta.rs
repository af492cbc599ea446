use super::{Api, ClientId, Compound, Confirm, Echoes, KnownError, Rule, Window};

/// What is known about an operation.
#[derive(Clone, Copy, Debug)]
pub struct Meta {
    /// Its id: the family and the last segment of the path.
    pub id: &'static str,
    /// The family of operations it belongs to.
    pub family: &'static str,
    /// Its title in the document.
    pub title: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// The document that describes it.
    pub document: &'static str,
    /// The section of the document.
    pub section: &'static str,
    /// The HTTP method.
    pub method: Method,
    /// The path, with `{name}` where a parameter goes into it.
    pub path: &'static str,
    /// What it changes, and so what a repeat would do.
    pub effect: Effect,
    /// Whether it must be signed.
    pub access: Access,
    /// Whether only accounts on a list may call it.
    pub whitelisted: bool,
    /// The permission the key must have.
    pub permission: Option<&'static str>,
    /// The headers it takes, of those that are sent by operation.
    pub headers: &'static [&'static str],
    /// How often it may be called.
    pub limits: &'static [RateLimit],
    /// The rules of its time range.
    pub window: Option<Window>,
    /// The rules the document states.
    pub rules: &'static [Rule],
    /// The codes it can answer with.
    pub errors: &'static [KnownError],
    /// The member that has the list, when the data may be an object around the list.
    pub list_member: Option<&'static str>,
    /// The parameter that carries the caller's own id.
    pub client_id: Option<ClientId>,
    /// How it is found out whether it had its effect.
    pub confirm: Option<Confirm>,
    /// What its answer repeats of the request.
    pub echoes: Option<Echoes>,
    /// The several things that it does, where it does more than one.
    pub compound: Option<Compound>,
    /// Why a repeat does no harm, of an operation that changes something.
    pub repeat: Option<&'static str>,
}

impl Meta {
    /// The document and the section: `unified-v3, Place Order`.
    pub fn source(&self) -> String {
        format!("{}, {}", self.document, self.section)
    }

    /// What the documents say about an error code.
    pub fn error(&self, code: &str) -> Option<&'static KnownError> {
        self.errors.iter().find(|error| error.code == code)
    }

    /// What is known about an error code: what the documents say, or else what was observed.
    pub fn known(&self, api: &Api, code: &str) -> Option<&'static KnownError> {
        let documented = self.error(code);
        documented.or_else(|| api.observed_codes.iter().find(|known| known.code == code && known.is_of(self.family)))
    }

    /// Whether a code stands for success.
    pub fn is_success(&self, api: &Api, code: &str) -> bool {
        api.envelope.as_ref().is_some_and(|envelope| envelope.success == code)
            || self.error(code).is_some_and(|known| known.success)
    }
}

/// An HTTP method. GET and DELETE carry their parameters in the query, the others in a JSON body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// GET
    Get,
    /// POST
    Post,
    /// PUT
    Put,
    /// PATCH
    Patch,
    /// DELETE
    Delete,
}

impl Method {
    /// The method in capitals.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Whether the parameters go into the query.
    pub const fn has_query(self) -> bool {
        matches!(self, Self::Get | Self::Delete)
    }
}

impl From<Method> for http::Method {
    fn from(method: Method) -> Self {
        match method {
            Method::Get => Self::GET,
            Method::Post => Self::POST,
            Method::Put => Self::PUT,
            Method::Patch => Self::PATCH,
            Method::Delete => Self::DELETE,
        }
    }
}

/// What an operation changes. Only what reads can be repeated without a thought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Read,
    /// Something new comes to be: a repeat makes another one.
    Create,
    /// Something that is there becomes another.
    Amend,
    /// Orders are cancelled.
    Cancel,
    /// Positions are closed.
    Close,
}

/// Who may call an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Whoever signs with a key.
    Signed,
    /// Everyone.
    Public,
}

/// How often an operation may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// The number of calls.
    pub calls: u32,
    /// The seconds in which they may be made.
    pub per_seconds: u32,
    /// Who is counted.
    pub scope: Scope,
    /// For whom it holds: `default`, or a class of accounts or pairs.
    pub class: &'static str,
}

/// Who is counted against a rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A user.
    Uid,
    /// An address.
    Ip,
}
