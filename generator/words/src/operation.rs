//! Words about operations, and how their requests travel.

crate::words! {
    /// The effect of an operation. Reads are always safe to repeat.
    pub enum Effect {
        /// Nothing changes: it may be sent again.
        Read = "read",
        /// Something is created: a repeat creates another one.
        Create = "create",
        /// Something that exists is changed, such as an order.
        Amend = "amend",
        /// Orders are cancelled.
        Cancel = "cancel",
        /// Positions are closed.
        Close = "close",
    }

    /// The coin that a quantity counts.
    pub enum CountedIn {
        /// The coin that is bought and sold; times the price, it is an amount of the other one.
        Base = "base coin",
        /// The coin of the price.
        Quote = "quote coin",
    }

    /// Who may call an operation.
    pub enum Access {
        /// Signed requests.
        Signed = "signed",
        /// All requests.
        Public = "public",
    }

    /// An HTTP method. GET and DELETE carry their parameters in the query, the others in a JSON body, unless the
    /// operation says otherwise.
    pub enum Method {
        /// GET
        Get = "GET",
        /// POST
        Post = "POST",
        /// PUT
        Put = "PUT",
        /// PATCH
        Patch = "PATCH",
        /// DELETE
        Delete = "DELETE",
    }

    /// Whose calls a rate limit counts.
    pub enum Scope {
        /// A user.
        Uid = "UID",
        /// An address.
        Ip = "IP",
    }

    /// Where the parameters of a request are.
    pub enum Sends {
        /// In the query.
        Query = "query",
        /// In the body, as JSON.
        Json = "json",
        /// In the body, written like a query.
        Form = "form",
    }

    /// The form of a list in a query or a form.
    pub enum Lists {
        /// As one JSON text.
        Json = "json",
        /// `a=1&a=2`; a list of objects as JSON.
        Repeated = "repeated",
        /// `a=1,2`; a list of objects as JSON.
        Comma = "comma",
        /// `a[]=1&a[]=2`; a list of objects with their places.
        Brackets = "brackets",
        /// `a[0]=1&a[1]=2`
        Indexed = "indexed",
    }

    /// The form of an object in a query or a form.
    pub enum Objects {
        /// As one JSON text.
        Json = "json",
        /// `a[b]=1`
        Brackets = "brackets",
        /// `a.b=1`
        Dots = "dots",
    }

    /// The requests that a header is sent with, if it has a value.
    pub enum Sent {
        /// All requests.
        Always = "always",
        /// The failures of the operations that name the result.
        ByOperation = "by_operation",
    }

    /// The responses that have an envelope.
    pub enum Around {
        /// All.
        All = "all",
        /// The failures with an HTTP status other than success.
        Failures = "failures",
    }

    /// The form in which a response states when a pool is free.
    pub enum ResetForm {
        /// In so many seconds.
        InSeconds = "in_seconds",
        /// In so many milliseconds.
        InMilliseconds = "in_milliseconds",
        /// At a time in seconds since 1970.
        AtSeconds = "at_seconds",
        /// At a time in milliseconds since 1970.
        AtMilliseconds = "at_milliseconds",
    }

    /// The treatment of a request that breaks a checked rule.
    #[derive(PartialOrd, Ord)]
    pub enum Severity {
        /// The request is sent, and its reply contains a warning.
        Warn = "warn",
        /// The request is refused.
        Refuse = "refuse",
    }
}

impl Method {
    /// Returns whether parameters usually go into the query.
    pub const fn has_query(self) -> bool {
        matches!(self, Self::Get | Self::Delete)
    }
}
