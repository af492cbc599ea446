//! `api.yaml`: what applies to every family; `codes.yaml`: observed codes that no document lists, and the codes of
//! refusals.

use super::Reviewed;
use super::types::EnumValue;
use crate::compiler::load::declared::{Names, declared};
use crate::compiler::load::shapes::{
    DurationForm, Formed, Named, RateForm, Short, ShortForm, Spanned, Text, Texts, WordOr,
};
use crate::compiler::load::typed::{NodeReader, Read, ReadError};
use crate::compiler::values::Day;
use crate::compiler::words::{
    Algorithm, Around, CallResult, Certainty, CodeProof, CredentialCause, Encoding, NonceForm, PairOrder, PropertyType,
    ReportedIn, ResetForm, RowOutcome, SecretForm, Sent, SignedPart, SignedQuery, Stage, TimestampForm,
};

/// A part of a text that is signed or sent as a credential.
pub(crate) type SignedText = WordOr<SignedPart, SignedMapping>;

declared! {
    /// The words of a document for what `audit` and drafts look for, beside those that all documents share.
    part Reading {
        /// The titles of columns with the names of parameters and of fields.
        names: Names,
        /// The titles of columns with needs.
        needs: Names,
        /// The titles of columns with notes.
        notes: Names,
        /// The titles of columns with types.
        types: Names,
        /// The marks of what is required: cells such as `M`, or what stands behind a name, such as `*`.
        required: Names,
        /// The marks of what may be left out; an empty text stands for no mark.
        optional: Names,
        /// The types of numbers in JSON, such as `DECIMAL`.
        numbers: Names,
        /// The types of texts in JSON.
        texts: Names,
        /// The types of texts with a list of values, such as `ENUM`.
        enums: Names,
        /// The labels and headings above parameters.
        requests: Names,
        /// The labels and headings above what is answered.
        answers: Names,
        /// The headings of sections with lists of values, which links and types name.
        values: Names,
    }
}

mappings! {
    /// `api.yaml`: what applies to every family.
    Api {
        /// The name of the API.
        @required api: Option<Text>,
        /// The version of the schema language; 1 when left out.
        #[expect(dead_code, reason = "files of another version are refused before they are read")]
        language: Option<Spanned<u64>>,
        /// The API in a few words.
        @required doc: Option<Text>,
        /// The licence of the schema and of its exports, as an SPDX expression.
        license: Option<Text>,
        /// The documents that the schema was written from, by the names that `source` uses.
        documents: Named<Document>,
        /// The members that every answer has. Left out when answers carry none: then the HTTP status decides.
        envelope: Option<Spanned<Envelope>>,
        /// The credentials that sign calls. Left out when no operation is.
        credentials: Option<Spanned<Credentials>>,
        /// The place where requests name the `call` of their operation; as in JSON-RPC 2.0 when left out. Without
        /// `method`, it is only signed.
        calls: Option<Spanned<Calls>>,
        /// Every header the documents or observations name, beside those of the credentials.
        headers: Named<Spanned<Header>>,
        /// The response header that counts what is left of the operation's own limit in its current window.
        remaining_calls: Option<Text>,
        /// The windows that `remaining_calls` counts, such as `[s, 10s]`; a second when left out.
        remaining_calls_in: Texts,
        /// Rates that several operations share, by names that their `rate_limit` uses.
        pools: Named<Spanned<Pool>>,
        /// The refusal of an address that has made too many requests. Left out when the exchange does not refuse addresses.
        refused_address: Option<Spanned<RefusedAddress>>,
        /// Other markets at the same address, such as one for practice, by names of your own.
        markets: Named<Spanned<Market>>,
        /// The programs in the folder `examples` of the emitted crate: what each shows. The documentation of the crate
        /// begins with the first.
        examples: Named<Text>,
        /// The chapters in the folder `guide` of the emitted crate, such as `first-steps` for `first-steps.md`: what each
        /// explains. The documentation of the crate contains them, each after `links.md` of that folder, which states
        /// where links between them lead there.
        guide: Named<Text>,
        /// Properties of the account, for rules that depend on them.
        account: Option<Spanned<Account>>,
        /// The outcome of a request that changes something, a row for every way a call can end.
        outcomes: Vec<Spanned<OutcomeRow>>,
        /// Facts seen on the wire that are in no document.
        observed: Vec<Spanned<Observation>>,
        /// The sections of documents that the file was last checked against, each with its digest; `audit` keeps it.
        reviewed: Reviewed,
    }

    /// A rate that several operations share.
    Pool {
        /// The rate, such as `6000/1m per IP`.
        @required rate: Option<Formed<RateForm>>,
        /// The thing that is counted.
        @required doc: Option<Text>,
        /// The numbers of answers by which the limiter corrects its count.
        reported: Option<Spanned<PoolReporting>>,
    }

    /// A report of answers about a pool: `used` or `remaining`.
    PoolReporting {
        /// `header` (default); or `body`: then the other keys are paths in the body, such as `usage.used`.
        r#in: Option<ReportedIn>,
        /// The header with the used calls of the pool in its window.
        used: Option<Text>,
        /// Instead of `used`: the header with what remains.
        remaining: Option<Text>,
        /// The header that reports when all of it is free; left out: a window after the answer.
        reset: Option<Text>,
        /// `in_seconds` (default), `in_milliseconds`; or at a time since 1970, `at_seconds` or `at_milliseconds`, which
        /// counts beside a header `Date`.
        reset_as: Option<Spanned<ResetForm>>,
    }

    /// The refusal of all requests of an address for a while.
    RefusedAddress {
        /// The rate of all calls of an address together, such as `6000/1m per IP`, beyond which the exchange refuses it. All
        /// clients of a process keep it together. Left out where it is not known.
        rate: Option<Formed<RateForm>>,
        /// The length of the refusal, such as `5 minutes`.
        @required lasts: Option<Formed<DurationForm>>,
        /// The HTTP status of such an answer; 429 when left out. Any other one shows the refusal by itself. A 429 without
        /// an envelope has other reasons, too, and shows it when it comes three times in a row.
        status: Option<Spanned<u64>>,
        /// Who has seen it, if no document describes it.
        sources: Option<Spanned<Vec<Text>>>,
    }

    /// Another market at the same address.
    Market {
        /// The profile, and the keys that it accepts.
        @required doc: Option<Text>,
        /// The headers that lead there, with their values.
        @required headers: Named<Text>,
    }

    /// One of the documents.
    Document {
        /// The title.
        title: Option<Text>,
        /// The day of the last announced change of the API with which the schema was compared, such as `2026-08-20`.
        aligned: Option<Spanned<Day>>,
        /// The words of the document for what `audit` and drafts look for.
        reading: Option<Reading>,
    }

    /// The members around the data of an answer.
    Envelope {
        /// `all` (default), or `failures`: only answers with an HTTP status other than success are read so.
        around: Option<Spanned<Around>>,
        /// The member with the code, or a path to it such as `error.code`, `errors[0]`, or `[1]` of an answer that is
        /// an array; of a list of paths, the first that leads to a text or a number. Left out: the HTTP status decides.
        code: Texts,
        /// The member with the text of an error, in the same form.
        message: Texts,
        /// The member with the time of the answer, in milliseconds. Left out: the HTTP header `Date`.
        time: Option<Text>,
        /// The member with the data, or a path to it. Left out: the whole body is the data. An operation can name
        /// another one, also without an envelope around successes: `response: { data: result.list, array: Order }`.
        data: Option<Text>,
        /// The code of success. Left out: only failures have a code, and an answer without one is a success if its HTTP
        /// status is one and its data is there.
        success: Option<Text>,
        /// The member of a success beside its code, by the documents: a `message`, an HTTP `status`, or both. A success
        /// without it proves nothing, unless it repeats an id of its request.
        success_with: Option<Spanned<SuccessWith>>,
        /// Other members beside the data.
        beside: Texts,
    }

    /// The member of a success beside its code.
    SuccessWith {
        /// The message.
        message: Option<Text>,
        /// The HTTP status.
        status: Option<Spanned<u64>>,
    }

    /// The members that name the call of an operation in a request.
    Calls {
        /// The member with the name of the call. Left out, with all other keys: the name is only signed.
        method: Option<Text>,
        /// The member with the number of the request; an answer with another one belongs to another request.
        id: Option<Text>,
        /// The member with the parameters. Left out: the parameters are members themselves, also in a query or a form.
        params: Option<Text>,
    }

    /// The credentials that authenticate calls.
    Credentials {
        /// The headers that carry credentials.
        headers: Spanned<CredentialNames>,
        /// Credentials before the request's own parameters, in the query or the body.
        parameters: Spanned<CredentialNames>,
        /// Credentials after the request's own parameters, in the body or, of a request without one, in the query.
        after_parameters: Spanned<CredentialNames>,
        /// Credentials in the query, after the request's own parameters, whatever the method.
        query: Spanned<CredentialNames>,
        /// The parts of the header `Authorization`, such as `[{ text: "Bearer " }, key]`.
        authorization: Option<Spanned<Vec<Spanned<SignedText>>>>,
        /// The parts of the text that is signed, in their order; `query` is a question mark and the query string,
        /// when there is one.
        signed_text: Vec<Spanned<SignedText>>,
        /// Which text of a query is signed: `sent` (when left out), as it is sent; `decoded`, without its escapes; or
        /// `escaped`, as it is sent, with everything but letters, digits and `-._~` escaped.
        signed_query: Option<Spanned<SignedQuery>>,
        /// Instead of `signed_text`: the signature is a JSON Web Token.
        token: Option<Spanned<Token>>,
        /// The signature's algorithm.
        algorithm: Option<Spanned<Algorithm>>,
        /// The encoding of the signature; `base64` when left out.
        encoding: Option<Spanned<Encoding>>,
        /// Algorithms for keys of other kinds, each with how the signature is written then.
        also: Named<Spanned<Encoding>>,
        /// The encoding of the secret; `text` when left out.
        secret: Option<Spanned<SecretForm>>,
        /// The form of the timestamp; `ms` when left out.
        timestamp_as: Option<Spanned<TimestampForm>>,
        /// The form of the nonce: `number` (when left out), which grows with each request, or `uuid`.
        nonce_as: Option<Spanned<NonceForm>>,
        /// `false`: the body is signed and carried by a header, but not sent itself.
        sends_body: Option<Spanned<bool>>,
        /// The greatest distance between the timestamp and the server's clock, such as `30 seconds`.
        window: Option<Formed<DurationForm>>,
        /// The parameter or header with which a request sets the window itself, in milliseconds.
        window_set_by: Option<Text>,
    }

    /// The names under which credentials are sent.
    CredentialNames {
        /// The name of the key.
        key: Option<Text>,
        /// The name of the signature.
        signature: Option<Text>,
        /// The name of the passphrase; left out when there is none.
        passphrase: Option<Text>,
        /// The name of the timestamp.
        timestamp: Option<Text>,
        /// The name of the nonce, a text that is unique to the request.
        nonce: Option<Text>,
        /// The name of the time when the request expires: its timestamp plus the `window`.
        expires: Option<Text>,
        /// Other texts, by their names: the parts of each, such as `[{ text: "2" }]`.
        others: Named<Spanned<Vec<Spanned<SignedText>>>>,
    }

    /// A part of a text that is not a single word: one of these keys, with those that belong to it.
    SignedMapping {
        /// A fixed text.
        text: Option<Spanned<String>>,
        /// The value of this header.
        header: Option<Text>,
        /// The SHA-256 digest of these parts.
        sha256: Option<Vec<Spanned<SignedText>>>,
        /// The SHA-384 digest of these parts.
        sha384: Option<Vec<Spanned<SignedText>>>,
        /// The SHA-512 digest of these parts.
        sha512: Option<Vec<Spanned<SignedText>>>,
        /// The digest of these parts.
        md5: Option<Vec<Spanned<SignedText>>>,
        /// These parts in Base64.
        base64: Option<Vec<Spanned<SignedText>>>,
        /// The signature of these parts, written like that of a request.
        signed: Option<Vec<Spanned<SignedText>>>,
        /// The names and values of the parameters, without quotes and escapes: `sent`, in their order, or `sorted` by
        /// name.
        pairs: Option<Spanned<PairOrder>>,
        /// The text between a name and its value; `=` when left out.
        equals: Option<Spanned<String>>,
        /// The text between two pairs; `&` when left out.
        between: Option<Spanned<String>>,
        /// The text that selects `then` if it is not empty, and `otherwise` if it is.
        when: Option<Vec<Spanned<SignedText>>>,
        /// The parts if that text is not empty.
        then: Option<Vec<Spanned<SignedText>>>,
        /// The parts if it is empty; none when left out.
        otherwise: Option<Vec<Spanned<SignedText>>>,
        /// The encoding of the digest; raw bytes when left out.
        r#as: Option<Spanned<Encoding>>,
    }

    /// A JSON Web Token.
    Token {
        /// Members of its header, beside `alg` and `typ`.
        header: Named<Vec<Spanned<SignedText>>>,
        /// The claims.
        claims: Named<Vec<Spanned<SignedText>>>,
        /// The time for which a token is valid, such as `2 minutes`: adds `nbf` and `exp`.
        lasts: Option<Formed<DurationForm>>,
    }

    /// A header beside those of the credentials.
    Header {
        /// The content of the header.
        @required doc: Option<Text>,
        /// `always`: on every call, if the caller sets it; `by_operation`: only where the operation lists it.
        sent: Option<Sent>,
    }

    /// The outcome of a request that changes something, for one result of its call.
    OutcomeRow {
        /// The end of the call.
        @required when: Option<Spanned<CallResult>>,
        /// The outcome of the request.
        @required outcome: Option<Spanned<RowOutcome>>,
        /// The reason.
        @required why: Option<Text>,
    }

    /// Properties of the account, for rules that depend on them.
    Account {
        /// The meaning.
        @required doc: Option<Text>,
        /// Properties of the account, by names that rules use as `account.name`.
        properties: Named<Spanned<Property>>,
        /// Properties of an instrument.
        instrument: Option<Spanned<Instrument>>,
    }

    /// A property of an account: one of its `values`, or of a `type`.
    Property {
        /// A short description.
        @required doc: Option<Text>,
        /// The Rust name, if the name cannot be used.
        rust: Option<Text>,
        /// The type of a property without `values`.
        r#type: Option<Spanned<PropertyType>>,
        /// The values, each with its meaning.
        values: Named<Short<EnumValue>>,
        /// The enums of records that show it, as `family.Enum`.
        shown_as: Texts,
        /// The codes that refuse a request because the account has another value.
        denied_by: Texts,
    }

    /// A thing that is traded, and its properties: numbers and flags by their names.
    Instrument {
        /// The meaning.
        @required doc: Option<Text>,
        /// The properties, each with its meaning.
        properties: Named<Short<InstrumentProperty>>,
    }

    /// A property of an instrument: a number, or a flag.
    InstrumentProperty {
        /// The meaning.
        @required doc: Option<Text>,
        /// `flag` for yes or no. Left out: it is a number.
        r#type: Option<Spanned<PropertyType>>,
        /// The Rust name, if the name cannot be used.
        rust: Option<Text>,
        /// The codes that refuse a request because the instrument has another value: where the exchange listed it, the
        /// client reads the listing again.
        denied_by: Texts,
    }

    /// Something that was seen on the wire and is in no document.
    Observation {
        /// An id, in lower case with hyphens.
        @required id: Option<Text>,
        /// The fact that was seen.
        @required says: Option<Text>,
        /// Where it was seen.
        @required sources: Vec<Text>,
    }
}

impl ShortForm for InstrumentProperty {
    fn short(from: NodeReader<'_>) -> Result<Self, ReadError> {
        Ok(Self { doc: Some(Spanned::read(from)?), ..Self::default() })
    }
}

mappings! {
    /// `codes.yaml`: observed codes that no document lists, and the codes of refusals.
    Codes {
        /// Where the codes come from as a whole.
        doc: Option<Text>,
        /// Short names of sources, each with a description. If there are any, every code refers to its sources by them.
        sources: Named<Text>,
        /// The codes, each with its proof.
        codes: Named<Spanned<ObservedCode>>,
        /// Reasons to refuse requests, by names of your own, each with its code.
        refusals: Named<Spanned<Refusal>>,
    }

    /// A reason to refuse requests.
    Refusal {
        /// The mistake, in words that an answer may use.
        @required says: Option<Text>,
        /// The code, documented or observed.
        code: Option<Text>,
        /// The codes of families in which it is another one.
        codes: Named<Text>,
        /// The HTTP status, if it is known and differs from that of other refusals.
        status: Option<Spanned<u64>>,
        /// The rules whose violation is refused with it: their ids, or the last word of the ids of rules that follow
        /// from other keys, such as `required`.
        rules: Texts,
        /// Parameters that clients send although the operation has none of these names, and for which a change is
        /// refused: without them it would be another one.
        parameters: Texts,
    }

    /// A code that no document lists.
    ObservedCode {
        /// The families whose operations return it; all of them when left out.
        families: Texts,
        /// The proof that the code gives about the request that it answers.
        @required proves: Option<Spanned<CodeProof>>,
        /// The stage that the request reached. Left out: `gateway` for a timestamp, credentials and a rate, `trading`
        /// otherwise.
        stage: Option<Spanned<Stage>>,
        /// With `proves: credentials`: the likely cause.
        cause: Option<Spanned<CredentialCause>>,
        /// True if every copy of a request is refused with it, because the request alone decides: not a balance, a
        /// limit or the time. At the stage `parameters`, that is so without it.
        alike: Option<Spanned<bool>>,
        /// With `proves: credentials`: whether it comes before the signature is looked at, so that it says nothing about
        /// key, secret and passphrase.
        before_signature: Option<Spanned<bool>>,
        /// The meaning.
        @required says: Option<Text>,
        /// Advice on what to do.
        doc: Option<Text>,
        /// Who has observed it.
        @required sources: Option<Spanned<Vec<Text>>>,
        /// The certainty of the proof; `several` when left out.
        certainty: Option<Spanned<Certainty>>,
    }
}
