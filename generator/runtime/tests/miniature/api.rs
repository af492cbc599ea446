//! The part of emitted code that stands for a whole API: its table, its client, the types its operations share.

use tradeapi_runtime::client::{Callable, Prepared};
use tradeapi_runtime::tables::{
    Algorithm, Api, Around, Authentication, CallResult, Carried, Certainty, CodeProof, Content, CredentialCause,
    Encoding, Envelope, Header, KnownError, NonceForm, Outcome, OutcomeRow, Part, Place, RemainingCalls, SecretForm,
    Sent, Signature, SignedQuery, Stage, Step, SuccessWith, TimestampForm,
};
use tradeapi_runtime::{ClientBuilder, ClientCore, Error, Operation, identifier, mintable, open_enum};

pub(crate) const ENVELOPE: Envelope = Envelope {
    around: Around::All,
    code: &[&[Step::Member("code")]],
    message: &[&[Step::Member("msg")]],
    time: Some("requestTime"),
    data: Some(&[Step::Member("data")]),
    success: Some("00000"),
    success_with: SuccessWith::NOTHING,
    beside: &[],
};

pub(crate) static API: Api = Api {
    envelope: Some(ENVELOPE),
    credentials: Some(Authentication {
        carried: &[
            Carried { place: Place::Header("MINI-KEY"), parts: &[Part::Key] },
            Carried { place: Place::Header("MINI-PASSPHRASE"), parts: &[Part::Passphrase] },
            Carried { place: Place::Header("MINI-TIMESTAMP"), parts: &[Part::Timestamp] },
            Carried { place: Place::Header("MINI-SIGN"), parts: &[Part::Signature] },
        ],
        signature: Some(Signature {
            content: Content::Text(&[Part::Timestamp, Part::Method, Part::Path, Part::Query, Part::Body]),
            algorithms: &[(Algorithm::HmacSha256, Encoding::Base64)],
            secret: SecretForm::Text,
        }),
        signed_query: SignedQuery::Sent,
        timestamp: TimestampForm::Milliseconds,
        nonce: NonceForm::Number,
        sends_body: true,
        window_ms: Some(30_000),
        window_set_by: None,
    }),
    headers: &[
        Header { name: "locale", sent: Sent::Always, selects_market: false, doc: "A language." },
        Header { name: "X-CHANNEL", sent: Sent::ByOperation, selects_market: false, doc: "Who brought the customer." },
    ],
    remaining_calls: Some(RemainingCalls::in_a_second("x-remaining")),
    outcomes: &[
        OutcomeRow {
            when: CallResult::TimestampRefused,
            outcome: Some(Outcome::NotDone),
            why: "A request whose signature is not accepted is not read further.",
        },
        OutcomeRow {
            when: CallResult::CredentialsRefused,
            outcome: Some(Outcome::NotDone),
            why: "A request whose credentials are not accepted is not read further.",
        },
    ],
    observed_codes: OBSERVED,
    ..Api::named("miniature")
};

tradeapi_runtime::codes! {
    pub(crate) const ERRORS: documented;

    "40010" => Unknown: "timeout", "Ask for the order.";
    "40786" => NotDone: "duplicate";
    "20000" => NotDone and success: "nothing to do";
    "40404" => NoSuchOrder: "no such order";
    "40008" => Timestamp: "timestamp expired";
}

/// Observed, and in no document.
const OBSERVED: &[KnownError] = &[
    KnownError::observed("40012", "the passphrase is wrong", CodeProof::Credentials)
        .because_of(CredentialCause::Passphrase),
    KnownError::observed("40017", "a parameter is wrong", CodeProof::NotDone).at(Stage::Parameters),
    KnownError::observed("43011", "of another family", CodeProof::NotDone).of(&["other"]),
    KnownError::observed("43012", "the balance is too small", CodeProof::NotDone),
    KnownError::observed("43118", "the id was used", CodeProof::DuplicateId),
    KnownError::observed("45001", "an error", CodeProof::Unknown),
    KnownError::observed("45011", "an odd message", CodeProof::NotDone).certain(Certainty::Single),
    KnownError::observed("45012", "this or that", CodeProof::NotDone).certain(Certainty::Conflicting),
];

identifier! {
    /// A trading pair.
    pub(crate) struct Symbol {}
}

identifier! {
    /// The exchange's name for an order.
    pub(crate) struct OrderId {}
}

identifier! {
    /// The caller's name for an order.
    pub(crate) struct ClientOid { length: 1..=32, alphabet: "a-z0-9-" }
}
mintable!(ClientOid);

open_enum! {
    /// Buy or sell.
    pub(crate) enum Side {
        Buy = "buy",
        Sell = "sell",
    }
}

open_enum! {
    /// At a price, or at any.
    pub(crate) enum OrderType {
        Limit = "limit",
        Market = "market",
    }
}

/// The client.
#[derive(Clone, Debug)]
pub(crate) struct Client(ClientCore);

impl From<ClientCore> for Client {
    fn from(core: ClientCore) -> Self {
        Self(core)
    }
}

impl Client {
    pub(crate) fn builder(base_url: impl Into<String>) -> ClientBuilder<Self> {
        ClientBuilder::new(&API, base_url)
    }

    pub(crate) async fn call<O: Callable>(&self, operation: &O) -> Result<O::Reply, Error> {
        self.0.call(operation).await
    }

    pub(crate) fn core(&self) -> &ClientCore {
        &self.0
    }

    pub(crate) fn prepare<O: Operation>(&self, operation: &O) -> Result<http::Request<bytes::Bytes>, Error> {
        self.0.prepare(operation).map(Prepared::into_request)
    }
}
