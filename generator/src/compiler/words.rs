//! The words of the schema language: the values of keys that take one of a few words. Raw documents and the model share
//! them. Those that clients know, too, are declared in the crate of words.

use tradeapi_words::words;
pub(crate) use tradeapi_words::{
    Access, Algorithm, Around, CallResult, CodeProof, CountedIn, CredentialCause, Effect, Encoding, Hash, Lists,
    Method, NonceForm, Objects, ResetForm, RowOutcome, Scope, SecretForm, Sends, Sent, Severity, SignedQuery, Stage,
    TimestampForm,
};

/// A word that is the value of a key.
pub(crate) trait Word: Copy + 'static {
    /// All of them, as the schema spells them.
    const WORDS: &'static [&'static str];

    /// The meaning of each, as far as it is documented.
    const DOCS: &'static [&'static str];

    /// True if a word that is spelled nearly like one of them is probably that one. Near names of algorithms and of
    /// forms mean other signatures.
    const ARE_SUGGESTED: bool;

    /// Returns the word with this spelling.
    fn parse(text: &str) -> Option<Self>;

    /// Returns the word as it is spelled.
    fn as_str(self) -> &'static str;
}

macro_rules! values_of_keys {
    ($($is_suggested:literal: $($name:ident),+;)*) => {$($(
        impl Word for $name {
            const WORDS: &'static [&'static str] = $name::WORDS;
            const DOCS: &'static [&'static str] = $name::DOCS;
            const ARE_SUGGESTED: bool = $is_suggested;

            fn parse(text: &str) -> Option<Self> {
                $name::parse(text)
            }

            fn as_str(self) -> &'static str {
                $name::as_str(self)
            }
        }
    )+)*};
}

values_of_keys! {
    true:
        Access, AccessOf, AnswerForm, Around, CallResult, Certainty, CodeProof, CredentialCause, Effect, Harmless, In,
        Keep, Lists, MayBe, Numbers, Objects, PageOrder, PagesBy, PairOrder, PropertyType, ReportedIn, Required,
        ResetForm, RowOutcome, RuleKind, Sends, Sent, Severity, Shown, SignedPart, SignedQuery, Stage, Times,
        Travels, Unstated;
    false:
        Algorithm, Encoding, NonceForm, SecretForm, TimestampForm;
}

words! {
    /// The thing that an access limit bounds.
    #[derive(Default)]
    pub(crate) enum AccessOf {
        #[default]
        Start = "start",
        Data = "data",
    }

    /// The way the next page of a listing is requested.
    pub(crate) enum PagesBy {
        Cursor = "cursor",
        Link = "link",
        Last = "last",
        Number = "number",
        Offset = "offset",
    }

    /// Which items of a listing come first.
    pub(crate) enum PageOrder {
        NewestFirst = "newest_first",
        OldestFirst = "oldest_first",
    }

    /// The part of an account that a listing shows.
    pub(crate) enum Shown {
        OpenOrders = "open_orders",
        PastOrders = "past_orders",
        Fills = "fills",
        Positions = "positions",
    }

    /// The effect of a repeat.
    pub(crate) enum Harmless {
        Harmless = "harmless",
    }

    /// The form in which one number travels.
    pub(crate) enum Travels {
        Text = "text",
        Number = "number",
    }

    /// The form in which times travel.
    pub(crate) enum Times {
        Seconds = "seconds",
        Milliseconds = "milliseconds",
        Microseconds = "microseconds",
        Nanoseconds = "nanoseconds",
        Iso8601 = "iso8601",
    }

    /// Where an answer reports a pool.
    pub(crate) enum ReportedIn {
        Header = "header",
        Body = "body",
    }

    /// Where a parameter travels, if not beside the others.
    pub(crate) enum In {
        Header = "header",
        Query = "query",
    }

    /// The form of the body of an answer, if it is not JSON.
    pub(crate) enum AnswerForm {
        Text = "text",
        Bytes = "bytes",
    }

    /// When a parameter has to be sent.
    pub(crate) enum Required {
        Always = "always",
        Conditional = "conditional",
        Unstated = "unstated",
    }

    /// A special value of a response field.
    pub(crate) enum MayBe {
        Null = "null",
    }

    /// The form in which a value of the exchange is kept.
    pub(crate) enum Keep {
        LeftOut = "left_out",
    }

    /// A fact that a document leaves open.
    pub(crate) enum Unstated {
        Unstated = "unstated",
    }

    /// The way a rule is kept.
    pub(crate) enum RuleKind {
        Type = "type",
        Checked = "checked",
        Limit = "limit",
        Simulated = "simulated",
        Stated = "stated",
        /// Not decided yet, in a draft; `check` refuses it.
        Todo = "todo",
    }

    /// The parts of a text that is signed or sent as a credential.
    pub(crate) enum SignedPart {
        Timestamp = "timestamp",
        Method = "method",
        Path = "path",
        Query = "query",
        Body = "body",
        BareQuery = "bare_query",
        SortedQuery = "sorted_query",
        Host = "host",
        Key = "key",
        Passphrase = "passphrase",
        Nonce = "nonce",
        Expires = "expires",
        Signature = "signature",
        Call = "call",
        CallId = "call_id",
    }

    /// The order of the parameters of a request as pairs.
    pub(crate) enum PairOrder {
        Sent = "sent",
        Sorted = "sorted",
    }

    /// The type of a property of an account.
    pub(crate) enum PropertyType {
        Flag = "flag",
        Time = "time",
        Names = "names",
    }

    /// The degree to which the meaning of a code is established: several sources agree, only one states it, or they
    /// contradict each other.
    pub(crate) enum Certainty {
        Several = "several",
        Single = "single",
        Conflicting = "conflicting",
    }

    /// The form in which the numbers and times of a family travel.
    pub(crate) enum Numbers {
        Text = "text",
        Json = "json",
    }
}
