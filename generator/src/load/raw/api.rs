//! `api.yaml`: what holds for every family.

use super::Reviewed;
use super::types::EnumValue;
use crate::load::shapes::{Named, Short, ShortForm, Spanned, Text};
use crate::words::{Algorithm, CallResult, Encoding, PropertyType, RowOutcome, Sent, SignedPart};

mappings! {
    /// `api.yaml`: what holds for every family.
    Api {
        /// The name of the API.
        api: Option<Text>,
        /// The version of the schema language; 1 when left out.
        language: Option<Spanned<u64>>,
        /// What the API is.
        doc: Option<Text>,
        /// The licence of the schema and of what is exported from it, as an SPDX expression.
        license: Option<Text>,
        /// The documents that the schema was written from, by the names that `source` uses.
        documents: Named<Document>,
        /// The members that every answer has. Left out when answers carry none: then the HTTP status decides.
        envelope: Option<Spanned<Envelope>>,
        /// How calls are signed. Left out when no operation is.
        credentials: Option<Spanned<Credentials>>,
        /// Every header the documents or observations name, beside those of the credentials.
        headers: Named<Spanned<Header>>,
        /// The response header that counts what is left in the current second.
        remaining_calls: Option<Text>,
        /// What a caller may tell about the account, for rules that depend on it.
        account: Option<Spanned<Account>>,
        /// What becomes of a request that changes something, a row for every way a call can end.
        outcomes: Vec<Spanned<OutcomeRow>>,
        /// What was seen on the wire and is in no document.
        observed: Vec<Spanned<Observation>>,
        /// The sections of documents that the file was last checked against, each with its digest; `audit` keeps it.
        reviewed: Reviewed,
    }

    /// One of the documents.
    Document {
        /// Its title.
        title: Option<Text>,
    }

    /// The members that every answer has.
    Envelope {
        /// The member that tells success from refusal.
        code: Option<Text>,
        /// The member that says in words what happened.
        message: Option<Text>,
        /// The member that holds the time of the answer.
        time: Option<Text>,
        /// The member that holds what was asked for.
        data: Option<Text>,
        /// The code that means success.
        success: Option<Text>,
    }

    /// How calls are signed.
    Credentials {
        /// The headers that carry credentials.
        headers: Spanned<CredentialHeaders>,
        /// The parts of the text that is signed, in their order; `query` is a question mark and the query string,
        /// when there is one.
        signed_text: Vec<SignedPart>,
        /// The signature's algorithm.
        algorithm: Option<Spanned<Algorithm>>,
        /// How the signature is written; `base64` when left out.
        encoding: Option<Spanned<Encoding>>,
        /// How far the timestamp may be from the server's clock, such as `30 seconds`.
        window: Option<Text>,
    }

    /// The headers that carry credentials.
    CredentialHeaders {
        /// The header of the key.
        key: Option<Text>,
        /// The header of the signature.
        signature: Option<Text>,
        /// The header of the passphrase; left out when there is none.
        passphrase: Option<Text>,
        /// The header of the timestamp.
        timestamp: Option<Text>,
    }

    /// A header beside those of the credentials.
    Header {
        /// What it carries.
        doc: Option<Text>,
        /// `always`: on every call, when the caller set it; `by_operation`: only where the operation lists it.
        sent: Option<Sent>,
    }

    /// What becomes of a request that changes something when its call ends so.
    OutcomeRow {
        /// How the call ended.
        when: Option<Spanned<CallResult>>,
        /// What became of the request.
        outcome: Option<Spanned<RowOutcome>>,
        /// Why that is so.
        why: Option<Text>,
    }

    /// What a caller may tell about the account, for rules that depend on it.
    Account {
        /// What is told.
        doc: Option<Text>,
        /// What may be told about the account, by names that rules use as `account.name`.
        properties: Named<Spanned<Property>>,
        /// What may be told about what is traded.
        instrument: Option<Spanned<Instrument>>,
    }

    /// Something that may be told about an account: one of its `values`, or of a `type`.
    Property {
        /// What it is.
        doc: Option<Text>,
        /// Its Rust name, where this one is not fit.
        rust: Option<Text>,
        /// What it is, when it has no `values`.
        r#type: Option<Spanned<PropertyType>>,
        /// What it may be, each with what it means.
        values: Named<Short<EnumValue>>,
    }

    /// What a caller may tell about something that is traded: numbers by their names.
    Instrument {
        /// What is told.
        doc: Option<Text>,
        /// The numbers, each with what it means.
        properties: Named<Short<InstrumentProperty>>,
    }

    /// A number that may be told about an instrument.
    InstrumentProperty {
        /// What it means.
        doc: Option<Text>,
        /// Its Rust name, where this one is not fit.
        rust: Option<Text>,
    }

    /// Something seen on the wire, in no document.
    Observation {
        /// A name for it, in lower case with hyphens.
        id: Option<Text>,
        /// What was seen.
        says: Option<Text>,
        /// Where it was seen.
        sources: Vec<Text>,
    }
}

impl ShortForm for InstrumentProperty {
    fn from_doc(doc: String) -> Self {
        Self { doc: Some(Spanned { value: doc, ..Spanned::default() }), ..Self::default() }
    }
}
