//! The words of the schema language: the values of keys that take one of a few words. Raw documents and the model share
//! them.

/// A value that is one of a few words.
pub(crate) trait Word: Copy + 'static {
    /// All of them, as the schema spells them.
    const WORDS: &'static [&'static str];

    /// Whether a word that is spelled nearly like one of them is probably that one. Near words of a signature name
    /// another signature.
    const ARE_SUGGESTED: bool;

    /// Parses a word.
    fn parse(text: &str) -> Option<Self>;
}

macro_rules! words {
    (@suggested) => { true };
    (@suggested exact) => { false };
    ($($(#[$doc:meta])* $name:ident $(as $exact:ident)? { $($(#[$vdoc:meta])* $word:ident = $text:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum $name { $($(#[$vdoc])* $word,)* }

        impl $name {
            /// The word as the schema spells it.
            #[allow(dead_code, reason = "not every word is printed")]
            pub(crate) fn as_str(self) -> &'static str {
                match self { $(Self::$word => $text,)* }
            }
        }

        impl Word for $name {
            const WORDS: &'static [&'static str] = &[$($text,)*];
            const ARE_SUGGESTED: bool = words!(@suggested $($exact)?);

            fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$word),)* _ => None }
            }
        }
    )*};
}

words! {
    /// What a repeat of a call would do.
    Effect { Read = "read", Create = "create", Amend = "amend", Cancel = "cancel", Close = "close", }
    /// Who may call.
    Access { Signed = "signed", Public = "public", }
    /// What an access limit bounds.
    AccessOf { Start = "start", Data = "data", }
    /// How the next page of a listing is requested.
    PagesBy { Cursor = "cursor", Link = "link", Last = "last", Number = "number", Offset = "offset", }
    /// Which items of a listing come first.
    PageOrder { NewestFirst = "newest_first", OldestFirst = "oldest_first", }
    /// What a listing shows of an account.
    Shown { OpenOrders = "open_orders", PastOrders = "past_orders", Fills = "fills", }
    /// What a repeat does.
    Harmless { Harmless = "harmless", }
    /// How one number travels.
    Travels { Text = "text", Number = "number", }
    /// How times travel.
    Times {
        Seconds = "seconds",
        Milliseconds = "milliseconds",
        Microseconds = "microseconds",
        Nanoseconds = "nanoseconds",
        Iso8601 = "iso8601",
    }
    /// Where the parameters of a request are.
    Sends { Query = "query", Json = "json", Form = "form", }
    /// How a list is written in a query or a form.
    Lists {
        Json = "json",
        Repeated = "repeated",
        Comma = "comma",
        Brackets = "brackets",
        Indexed = "indexed",
    }
    /// How an object is written in a query or a form.
    Objects { Json = "json", Brackets = "brackets", Dots = "dots", }
    /// Where an answer reports a pool.
    ReportedIn { Header = "header", Body = "body", }
    /// How an answer states when a pool is free.
    ResetForm {
        InSeconds = "in_seconds",
        InMilliseconds = "in_milliseconds",
        AtSeconds = "at_seconds",
        AtMilliseconds = "at_milliseconds",
    }
    /// Where a parameter travels, if not beside the others.
    In { Header = "header", }
    /// When a parameter has to be sent.
    Required { Always = "always", Conditional = "conditional", Unstated = "unstated", }
    /// A special value of a response field.
    MayBe { Null = "null", }
    /// How a value of the exchange is kept.
    Keep { LeftOut = "left_out", }
    /// What a document leaves open.
    Unstated { Unstated = "unstated", }
    /// What happens to a request that breaks a checked rule.
    Severity { Refuse = "refuse", Warn = "warn", }
    /// How a rule is kept.
    RuleKind {
        Type = "type",
        Checked = "checked",
        Limit = "limit",
        Simulated = "simulated",
        Stated = "stated",
        /// Not decided yet, in a draft; `check` refuses it.
        Todo = "todo",
    }
    /// Which calls carry a header.
    Sent { Always = "always", ByOperation = "by_operation", }
    /// The parts of a text that is signed or sent as a credential.
    SignedPart as exact {
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
    /// Which text of a query is signed.
    SignedQuery { Sent = "sent", Decoded = "decoded", Escaped = "escaped", }
    /// The order of the parameters of a request as pairs.
    PairOrder as exact { Sent = "sent", Sorted = "sorted", }
    /// A signature's algorithm.
    Algorithm as exact {
        HmacSha256 = "hmac-sha256",
        HmacSha384 = "hmac-sha384",
        HmacSha512 = "hmac-sha512",
        Ed25519 = "ed25519",
        RsaSha256 = "rsa-sha256",
        EcdsaSha256 = "ecdsa-sha256",
    }
    /// Which answers have an envelope.
    Around { All = "all", Failures = "failures", }
    /// How a secret is written.
    SecretForm as exact { Text = "text", Base64 = "base64", Base64Url = "base64url", }
    /// How a timestamp is written.
    TimestampForm as exact {
        Seconds = "s",
        Milliseconds = "ms",
        Microseconds = "us",
        Nanoseconds = "ns",
        Iso8601 = "iso8601",
        Iso8601Seconds = "iso8601-seconds",
    }
    /// How a nonce is written.
    NonceForm as exact { Number = "number", Uuid = "uuid", }
    /// How the signature is written.
    Encoding as exact { Base64 = "base64", Base64Url = "base64url", Hex = "hex", }
    /// What a property of an account is.
    PropertyType { Flag = "flag", Time = "time", Names = "names", }
    /// The outcome of a request when its call ends in a certain way.
    RowOutcome { NotDone = "not_done", Done = "done", Unknown = "unknown", ByCode = "by_code", }
    /// How a call can end.
    CallResult {
        Refused = "refused",
        Unsigned = "unsigned",
        Limited = "limited",
        NotConnected = "not-connected",
        NotWritten = "not-written",
        ConnectionLost = "connection-lost",
        TimedOut = "timed-out",
        AnswerTooLong = "answer-too-long",
        Success = "success",
        ListedCode = "listed-code",
        ObservedCode = "observed-code",
        TimestampRefused = "timestamp-refused",
        CredentialsRefused = "credentials-refused",
        UnlistedCode = "unlisted-code",
        TooManyRequests = "too-many-requests",
        ServerError = "server-error",
        OtherStatus = "other-status",
        Unreadable = "unreadable",
        ItemFailed = "item-failed",
        ItemUnaccounted = "item-unaccounted",
    }
    /// What a code proves about the request that it answers.
    CodeProof {
        NotDone = "not_done",
        Unknown = "unknown",
        NoSuchOrder = "no_such_order",
        DuplicateId = "duplicate_id",
        Timestamp = "timestamp",
        Credentials = "credentials",
        Rate = "rate",
    }
    /// How far a request came before it was refused.
    Stage { Gateway = "gateway", Permission = "permission", Parameters = "parameters", Trading = "trading", }
    /// The likely reason why credentials were refused.
    Cause {
        Clock = "clock",
        Key = "key",
        Secret = "secret",
        Passphrase = "passphrase",
        Ip = "ip",
        Permission = "permission",
        Environment = "environment",
        Account = "account",
    }
    /// How well established it is what a code proves: several sources agree, only one states it, or they contradict
    /// each other.
    Certainty { Several = "several", Single = "single", Conflicting = "conflicting", }
    /// How the numbers and times of a family travel.
    Numbers { Text = "text", Json = "json", }
}
