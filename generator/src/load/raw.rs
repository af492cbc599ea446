//! The schema files as they are written: one struct for each mapping of the language, nothing resolved.
//!
//! Everything may be missing here; [`crate::model`] says what has to be there. `schema/README.md` explains the keys.

use serde::Deserialize;
#[cfg(feature = "cli")]
use serde_json::Value;

#[cfg(feature = "cli")]
use super::describe::{self, Definitions, Describe};
use super::shapes::{Named, Short, ShortForm, Text, Texts};
use super::spanned::Spanned;

/// Document -> section -> what the section was when the file was last checked against it.
pub(crate) type Reviewed = Named<Named<Text>>;

macro_rules! mappings {
    ($($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $key_doc:literal])+ $key:ident: $type:ty,)* })*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Debug, Default, Deserialize)]
        #[serde(default)]
        pub(crate) struct $name {
            $($(#[doc = $key_doc])* pub(crate) $key: $type,)*
        }

        #[cfg(feature = "cli")]
        impl Describe for $name {
            fn describe(to: &mut Definitions) -> Value {
                to.mapping(stringify!($name), concat!($($doc),*), |to| vec![
                    $((stringify!($key), concat!($($key_doc),*), <$type>::describe(to)),)*
                ])
            }
        }
    )*};
}

mappings! {
    /// `api.yaml`: what holds for every family.
    Api {
        /// The name of the API.
        api: Option<Text>,
        /// What the API is.
        doc: Option<Text>,
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

    /// What becomes of a request that changes something when its call ends so.
    OutcomeRow {
        /// How the call ended.
        when: Option<Spanned<Ending>>,
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

    /// Something seen on the wire, in no document.
    Observation {
        /// A name for it, in lower case with hyphens.
        id: Option<Text>,
        /// What was seen.
        says: Option<Text>,
        /// Where it was seen.
        sources: Vec<Text>,
    }

    /// `family.yaml`: a part of the API with conventions of its own.
    Family {
        /// The folder's name.
        family: Option<Text>,
        /// What the family is called in headings.
        title: Option<Text>,
        /// What the family covers.
        doc: Option<Text>,
        /// Where a document says it.
        source: Option<Spanned<Source>>,
        /// How numbers and times travel: `text` as JSON strings, `json` as JSON numbers.
        numbers: Option<Numbers>,
        /// The error codes and what they mean.
        errors: Named<Spanned<ErrorCode>>,
        /// Ceilings that are not a rate and belong to no single operation.
        limits: Vec<Spanned<Ceiling>>,
        /// The parameters that name the instrument of a request.
        instrument: Option<Spanned<InstrumentNames>>,
        /// The classes that rates are for, and who is in them.
        classes: Named<Spanned<Class>>,
        /// The states of an enum, and how one becomes another.
        lifecycle: Option<Spanned<Lifecycle>>,
        /// The sentences of the document that bind somebody.
        rules: Vec<Spanned<Rule>>,
        /// What the document says it does not show, or plainly leaves out.
        not_shown: Vec<Spanned<Short<NotShown>>>,
        /// Statements of the document that cannot all hold.
        contradictions: Vec<Spanned<Contradiction>>,
        /// What was seen on the wire and is in no document.
        observed: Vec<Spanned<Observation>>,
        /// The sections of documents that the file was last checked against, each with its digest; `audit` keeps it.
        reviewed: Reviewed,
    }

    /// The parameters that name the instrument of a request.
    InstrumentNames {
        /// The parameter with the line of business.
        line: Option<Text>,
        /// The parameter with the name of the instrument.
        symbol: Option<Text>,
    }

    /// A class of accounts or requests that has rate limits of its own.
    Class {
        /// Who is in it.
        doc: Option<Text>,
        /// The condition under which a call is, written like that of a rule.
        when: Option<Spanned<Named<Texts>>>,
    }

    /// Where a document says it.
    Source {
        /// One of the `documents` in api.yaml.
        document: Option<Text>,
        /// The heading of the section.
        section: Option<Text>,
    }

    /// An error code.
    ErrorCode {
        /// The message as the document shows it.
        text: Option<Text>,
        /// What it means and what to do.
        doc: Option<Text>,
        /// Its Rust name, where the message makes none.
        rust: Option<Text>,
        /// What it says about an operation that changes something; `not_done` when left out.
        outcome: Option<Outcome>,
        /// Whether it is the code of success.
        success: Option<bool>,
        /// Where a document says it.
        source: Option<Spanned<Source>>,
    }

    /// A ceiling that is not a rate.
    Ceiling {
        /// A name for it, in lower case with hyphens.
        id: Option<Text>,
        /// The ceiling.
        n: Option<Spanned<u64>>,
        /// The values of one enum that count towards it; all of them when left out.
        over: Option<Spanned<Named<Texts>>>,
        /// What it is about.
        doc: Option<Text>,
        /// Where a document says it.
        source: Option<Spanned<Source>>,
    }

    /// States and transitions.
    Lifecycle {
        /// The enum whose values are the states.
        r#enum: Option<Text>,
        /// Where a document says it.
        source: Option<Spanned<Source>>,
        /// The states, by their values.
        states: Named<Short<State>>,
        /// How a state becomes another.
        transitions: Vec<Spanned<Transition>>,
        /// What the document rules out, at once and by way of other states.
        never: Vec<Spanned<Never>>,
        /// The records that tell a state.
        records: Vec<Spanned<Tracked>>,
    }

    /// A state.
    State {
        /// What it means.
        doc: Option<Text>,
        /// Whether nothing follows it.
        terminal: Option<bool>,
    }

    /// A change of state.
    Transition {
        /// The states it leads from, or `any`.
        from: Texts,
        /// What causes it: names of operations, or words of the document for what is no operation.
        trigger: Texts,
        /// The state it leads to, or `unchanged`, or `rejected`.
        to: Option<Text>,
        /// When it happens.
        condition: Option<Text>,
        /// What else there is to say.
        doc: Option<Text>,
    }

    /// What the document rules out: that one state follows another, or that an operation takes effect.
    Never {
        /// The states that something never becomes of.
        from: Texts,
        /// The states that they never become.
        to: Texts,
        /// The operations that never take effect there.
        trigger: Texts,
        /// Its place in the document.
        at: Option<Text>,
        /// Why it is ruled out.
        why: Option<Text>,
    }

    /// A record that tells a state.
    Tracked {
        /// The record.
        record: Option<Text>,
        /// Its field with the exchange's id.
        id: Option<Text>,
        /// Its field with the caller's id.
        client_id: Option<Text>,
        /// Its field with the state.
        state: Option<Text>,
        /// Its field with the time of the last change.
        at: Option<Text>,
    }

    /// What the document leaves open; a text alone where the document is silent.
    NotShown {
        /// What is not shown.
        says: Option<Text>,
        /// The sections that say so themselves.
        at: Texts,
    }

    /// Statements that cannot all hold.
    Contradiction {
        /// A name for it, in lower case with hyphens.
        id: Option<Text>,
        /// What the places say, one after the other.
        readings: Vec<Text>,
        /// What the schema takes.
        chosen: Option<Text>,
        /// Why it takes that.
        why: Option<Text>,
    }

    /// `types.yaml`: what the operations of a family share.
    Types {
        /// Sets of values.
        enums: Named<Spanned<Enum>>,
        /// Newtypes over text.
        identifiers: Named<Spanned<Identifier>>,
        /// Parameters of which only some go together.
        choices: Named<Spanned<Choice>>,
        /// What the exchange answers with.
        records: Named<Spanned<Record>>,
        /// The sections of documents that the file was last checked against, each with its digest; `audit` keeps it.
        reviewed: Reviewed,
    }

    /// A set of values.
    Enum {
        /// What the values are about.
        doc: Option<Text>,
        /// Its Rust name, where the wire's is not fit.
        rust: Option<Text>,
        /// The values, each with what it means.
        values: Named<Short<EnumValue>>,
        /// Which value is true and which is false.
        truth: Named<Spanned<bool>>,
    }

    /// A value of an enum.
    EnumValue {
        /// What it means.
        doc: Option<Text>,
        /// Its Rust name, where the wire's is not fit.
        rust: Option<Text>,
        /// Other spellings that a decoder accepts.
        also: Vec<Text>,
    }

    /// A newtype over text.
    Identifier {
        /// What it names.
        doc: Option<Text>,
        /// Its Rust name, where the wire's is not fit.
        rust: Option<Text>,
        /// The fewest and the most characters.
        length: Option<Spanned<Vec<Spanned<u32>>>>,
        /// The allowed characters, as in a bracket expression.
        alphabet: Option<Text>,
        /// Forms that tell kinds of texts apart: how such a text begins and ends, with `*` between.
        forms: Named<Text>,
        /// Whether the client makes new ones.
        mint: Option<Spanned<bool>>,
    }

    /// Parameters of which only some go together.
    Choice {
        /// What is chosen.
        doc: Option<Text>,
        /// Its Rust name, where the wire's is not fit.
        rust: Option<Text>,
        /// The alternatives of which exactly one is sent.
        one_of: Named<Spanned<Field>>,
        /// The alternative that the exchange takes when several are sent.
        wins: Option<Text>,
        /// The parameter that decides which others go with it.
        choose_by: Option<Text>,
        /// The enum of the deciding parameter.
        r#type: Option<Text>,
        /// For each value of that enum, the parameters that go with it.
        cases: Named<Spanned<Named<Spanned<Field>>>>,
    }

    /// What the exchange answers with.
    Record {
        /// What it is.
        doc: Option<Text>,
        /// Its Rust name, where the wire's is not fit.
        rust: Option<Text>,
        /// Where a document says it.
        source: Option<Spanned<Source>>,
        /// A record whose fields come first.
        includes: Option<Text>,
        /// Whether it is only there to be included.
        r#abstract: Option<bool>,
        /// Whether it was seen on the wire and is in no document.
        observed: Option<bool>,
        /// Its fields, in the document's order.
        fields: Named<Spanned<Field>>,
    }

    /// A field of a record, a request or a choice.
    Field {
        /// `string`, `decimal`, `integer`, `boolean`, `time`, or a name from types.yaml.
        r#type: Option<Text>,
        /// Instead of `type`: a list of that type.
        list: Option<Text>,
        /// Instead of `type`, with `item`: a list of objects with these fields.
        fields: Option<Named<Spanned<Field>>>,
        /// The Rust name of such an object.
        item: Option<Text>,
        /// Whether it has to be sent. Left out: it may be left out.
        required: Option<Spanned<Required>>,
        /// What the exchange takes when it is not sent. The client never sends it by itself.
        default: Option<Text>,
        /// A default that is not one value, in words.
        default_note: Option<Text>,
        /// The smallest number.
        min: Option<Text>,
        /// The largest number.
        max: Option<Text>,
        /// The most items of a list.
        max_items: Option<Spanned<u64>>,
        /// The fewest items of a list.
        min_items: Option<Spanned<u64>>,
        /// The most decimal digits of an integer.
        digits: Option<Spanned<u32>>,
        /// The values of the enum that are allowed or listed here.
        only: Option<Spanned<Vec<Text>>>,
        /// What leaving it out, or a special text, does to a value that is there.
        edit: Option<Spanned<Edit>>,
        /// `unstated`: the document does not say here which alternative of the choice wins.
        wins: Option<Spanned<Unstated>>,
        /// The unit of a number, or units under conditions.
        unit: Option<Spanned<Units>>,
        /// How the number travels, where it differs from the family.
        json: Option<Spanned<Travels>>,
        /// `null`: the document says that it can come.
        may_be: Option<Spanned<MayBe>>,
        /// `operation.parameter`: everything as there; other keys beside it override.
        r#as: Option<Text>,
        /// What it is. Without it the type's serves.
        doc: Option<Text>,
        /// Its Rust name, where the wire's is not fit.
        rust: Option<Text>,
    }

    /// What leaving a parameter out, or a special text, does to a value that is there.
    Edit {
        /// How the value is kept.
        keep: Option<Spanned<Keep>>,
        /// The text that deletes it.
        delete: Option<Text>,
    }

    /// A unit under a condition.
    Unit {
        /// The parameters and their values under which it holds.
        when: Option<Named<Texts>>,
        /// The unit then.
        is: Option<Text>,
        /// The unit in all other cases; closes the list.
        otherwise: Option<Text>,
    }

    /// An operation; the file is named after it.
    Operation {
        /// The last segment of the path.
        operation: Option<Text>,
        /// The heading in the document; Rust names come from it.
        title: Option<Text>,
        /// Its Rust name, where the heading makes none that is fit.
        rust: Option<Text>,
        /// Where a document says it.
        source: Option<Spanned<Source>>,
        /// The method and the path, such as `GET /api/v1/orders`; a parameter in the path stands in braces.
        http: Option<Text>,
        /// What it does.
        doc: Option<Text>,
        /// What a repeat of the call would do.
        effect: Option<Effect>,
        /// Who may call; `signed` when left out.
        access: Option<Access>,
        /// Whether only user ids on the exchange's white list may call.
        whitelisted: Option<Spanned<bool>>,
        /// The permission of the key. Left out: the document does not say.
        permission: Option<Text>,
        /// The headers it carries beside those that every call does.
        headers: Vec<Text>,
        /// How often, for whom: `10/s per UID`, `1/s per IP`, `5/s per UID for reality`.
        rate_limit: Vec<Text>,
        /// The parameters in the document's order; `{}` when there are none; only `"[]"` when the body is an array.
        request: Option<Spanned<Named<Spanned<Field>>>>,
        /// Of an operation that amends: how many amendments of one thing may be under way.
        in_flight: Option<Spanned<InFlight>>,
        /// The parameter with the caller's own id, of the request or of its items.
        client_id: Option<Text>,
        /// How it is found out whether a request, or each of its items, had its effect.
        confirm: Option<Spanned<Confirm>>,
        /// Why a cancel does no harm when it comes twice.
        repeat: Option<Spanned<Repeat>>,
        /// The pair of times that bounds the query.
        window: Option<Spanned<Window>>,
        /// How far back the answer reaches, where no parameter says, such as `3 months`.
        history: Option<Text>,
        /// What comes back as data.
        response: Option<Spanned<Response>>,
        /// Constructors that say what somebody wants.
        intents: Vec<Spanned<Intent>>,
        /// Wire JSON of calls, with values of our own; at least one.
        examples: Vec<Spanned<Example>>,
        /// The sentences of the document that bind somebody.
        rules: Vec<Spanned<Rule>>,
        /// What the document says it does not show, or plainly leaves out.
        not_shown: Vec<Spanned<Short<NotShown>>>,
        /// Statements of the document that cannot all hold.
        contradictions: Vec<Spanned<Contradiction>>,
        /// What was seen on the wire and is in no document.
        observed: Vec<Spanned<Observation>>,
        /// The sections of documents that the file was last checked against, each with its digest; `audit` keeps it.
        reviewed: Reviewed,
    }

    /// How many amendments of one thing may be under way.
    InFlight {
        /// The required parameter, of the request or of its items, that says which thing is meant.
        per: Option<Text>,
        /// How many.
        n: Option<Spanned<u64>>,
    }

    /// How it is found out whether a request had its effect.
    Confirm {
        /// The operation that tells.
        by: Option<Text>,
        /// Its parameter that names what is asked for: the parameter of the request.
        ask: Named<Text>,
        /// Parameters of both that go along.
        with: Texts,
        /// A field of the record: the parameter that it equals once the request had its effect.
        matches: Named<Text>,
        /// Parameters of the request that cannot be compared.
        beside: Texts,
        /// The field that tells when it came to be.
        created: Option<Text>,
        /// How long it can be asked for at least, such as `2 hours`.
        kept: Option<Text>,
        /// The codes that say there is no such thing.
        absent: Texts,
    }

    /// What a repeat of an operation does that changes something.
    Repeat {
        /// What a repeat is.
        is: Option<Spanned<Harmless>>,
        /// Why it is so.
        why: Option<Text>,
    }

    /// What somebody wants, and what is sent for it.
    Intent {
        /// The function's name, in lower case with hyphens.
        id: Option<Text>,
        /// Its Rust name, where the id makes none that is fit.
        rust: Option<Text>,
        /// The list whose items it makes; `"[]"` when the body is an array.
        r#in: Option<Text>,
        /// What it is for.
        says: Option<Text>,
        /// Its place in the document.
        at: Option<Text>,
        /// Values of enums; of a choice, a value that nothing goes with.
        set: Option<Spanned<Named<Text>>>,
        /// Parameters that are not required and become arguments all the same.
        take: Texts,
        /// What arguments are called here, such as by their unit.
        call: Named<Text>,
    }

    /// A pair of times that bounds a query.
    Window {
        /// The parameter it begins with.
        from: Option<Text>,
        /// The parameter it ends with.
        to: Option<Text>,
        /// The longest time from first to last, such as `30 days`.
        span: Option<Text>,
        /// How far back a query may begin, such as `90 days`.
        access: Option<Text>,
        /// `start`: an older start is refused; `data`: it finds nothing older. `start` when left out.
        access_of: Option<AccessOf>,
        /// The time that is taken when nothing is sent, such as `1 day`.
        default: Option<Text>,
        /// Whether one of the two may not be sent alone.
        both_or_neither: Option<Spanned<bool>>,
    }

    /// What comes back as data: one of `object`, `array` and `page`.
    Response {
        /// Data is this record.
        object: Option<Text>,
        /// Data is a list of this record.
        array: Option<Text>,
        /// With `array`: the list was also seen inside this member.
        observed_under: Option<Text>,
        /// Data holds a list under this name, and a cursor.
        page: Option<Text>,
        /// With `page`: the record of the list.
        of: Option<Text>,
        /// With `page`: the member that carries the cursor.
        cursor: Option<Text>,
        /// With `page`: the parameter that takes the cursor.
        next: Option<Text>,
        /// With `page`: the field by which an item is told from another.
        id: Option<Text>,
        /// With `page`: an enum that need not be sent; the listing is whole only when asked once for each of its values.
        each: Option<Text>,
        /// With `object` or `array`: what the answer says about each item of a list that was sent.
        items: Option<Spanned<Items>>,
    }

    /// What an answer says about each item of a list that was sent.
    Items {
        /// The list, or `[]` where it is the body.
        of: Option<Text>,
        /// The names by which an item and its result are told, the one that wins first.
        id: Texts,
        /// With `object`: the list of what succeeded.
        done: Option<Text>,
        /// With `object`: the list of what failed.
        failed: Option<Text>,
        /// With `object`: the boolean that says whether all succeeded.
        all_done: Option<Text>,
        /// The field of a failed result that has the code; with `array`, a code other than that of success makes it one.
        code: Option<Text>,
        /// The field of a failed result that has the message.
        message: Option<Text>,
        /// With `array`: results come in the order of the items.
        by_place: Option<Spanned<bool>>,
    }

    /// Wire JSON of one call.
    Example {
        /// What it shows.
        about: Option<Text>,
        /// The body, or the JSON object of the parameters of a query.
        request: Option<Text>,
        /// The whole body of the answer.
        response: Option<Text>,
    }

    /// A sentence of the document that binds somebody.
    Rule {
        /// A name for it, in lower case with hyphens.
        id: Option<Text>,
        /// Its place in the document.
        at: Option<Text>,
        /// What is made of it.
        kind: Option<Spanned<RuleKind>>,
        /// With `checked`: whether a request that breaks it is refused, or only warned of. `refuse` when left out.
        severity: Option<Spanned<Severity>>,
        /// What it says.
        says: Option<Text>,
        /// With `stated`: why it cannot be more.
        why: Option<Text>,
        /// The condition under which it binds: parameters and their values, `given`, `any_given`, `param.form`.
        when: Option<Spanned<Named<Texts>>>,
        /// What must hold then, written like `when`.
        require: Option<Spanned<Named<Texts>>>,
        /// What must not hold then, written like `when`.
        forbid: Option<Spanned<Named<Texts>>>,
        /// The parameter that has one value in all items of a list.
        same: Option<Text>,
        /// The parameters that no two items of a list share.
        unique: Option<Texts>,
        /// The list whose items it speaks of; `"[]"` when the body is an array.
        r#in: Option<Text>,
        /// `operation.rule`: the conditions of that rule; other keys beside it override.
        r#as: Option<Text>,
    }
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $word:ident = $text:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
        pub(crate) enum $name { $($(#[$vdoc])* #[serde(rename = $text)] $word,)* }

        impl $name {
            /// The word as it is written.
            #[allow(dead_code, reason = "not every word is printed")]
            pub(crate) fn as_str(self) -> &'static str {
                match self { $(Self::$word => $text,)* }
            }
        }

        #[cfg(feature = "cli")]
        impl Describe for $name {
            fn describe(_to: &mut Definitions) -> Value {
                describe::words(&[$($text,)*])
            }
        }
    )*};
}

words! {
    /// How the numbers and times of a family travel.
    Numbers { Text = "text", Json = "json", }
    /// How one number travels.
    Travels { Text = "text", Number = "number", }
    /// Which calls carry a header.
    Sent { Always = "always", ByOperation = "by_operation", }
    /// The parts of the text that is signed.
    SignedPart { Timestamp = "timestamp", Method = "method", Path = "path", Query = "query", Body = "body", }
    /// The signature's algorithm.
    Algorithm { HmacSha256 = "hmac-sha256", }
    /// How the signature is written.
    Encoding { Base64 = "base64", Hex = "hex", }
    /// What an error code says about an operation that changes something.
    Outcome { NotDone = "not_done", Unknown = "unknown", }
    /// What becomes of a request when its call ends in a certain way.
    RowOutcome { NotDone = "not_done", Done = "done", Unknown = "unknown", ByCode = "by_code", }
    /// What a repeat does.
    Harmless { Harmless = "harmless", }
    /// How a call can end.
    Ending {
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
        UnlistedCode = "unlisted-code",
        TooManyRequests = "too-many-requests",
        ServerError = "server-error",
        OtherStatus = "other-status",
        Unreadable = "unreadable",
        ItemFailed = "item-failed",
        ItemUnaccounted = "item-unaccounted",
    }
    /// When a parameter has to be sent.
    Required { Always = "always", Conditional = "conditional", Unstated = "unstated", }
    /// A special value of a response field.
    MayBe { Null = "null", }
    /// What an access limit speaks of.
    AccessOf { Start = "start", Data = "data", }
    /// What a document leaves open.
    Unstated { Unstated = "unstated", }
    /// How a value is kept.
    Keep { LeftOut = "left_out", }
    /// What a repeat of a call would do.
    Effect { Read = "read", Create = "create", Amend = "amend", Cancel = "cancel", Close = "close", }
    /// Who may call.
    Access { Signed = "signed", Public = "public", }
    /// What a property of an account is.
    PropertyType { Flag = "flag", Time = "time", Names = "names", }
    /// What a request comes to that breaks a checked rule.
    Severity { Refuse = "refuse", Warn = "warn", }
    /// What is made of a rule.
    RuleKind { Type = "type", Checked = "checked", Limit = "limit", Simulated = "simulated", Stated = "stated", }
}

impl ShortForm for EnumValue {
    fn from_doc(doc: String) -> Self {
        Self { doc: Some(Spanned { value: doc, ..Spanned::default() }), ..Self::default() }
    }
}

impl ShortForm for InstrumentProperty {
    fn from_doc(doc: String) -> Self {
        Self { doc: Some(Spanned { value: doc, ..Spanned::default() }), ..Self::default() }
    }
}

impl ShortForm for State {
    fn from_doc(doc: String) -> Self {
        Self { doc: Some(Spanned { value: doc, ..Spanned::default() }), ..Self::default() }
    }
}

impl ShortForm for NotShown {
    fn from_doc(says: String) -> Self {
        Self { says: Some(Spanned { value: says, ..Spanned::default() }), at: Texts::default() }
    }
}

#[cfg(feature = "cli")]
impl Describe for Units {
    fn describe(to: &mut Definitions) -> Value {
        describe::either(Text::describe(to), Vec::<Unit>::describe(to))
    }
}

/// A unit, or several under conditions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Units(pub(crate) Vec<Unit>);

impl<'de> Deserialize<'de> for Units {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> serde::de::Visitor<'de> for Either {
            type Value = Units;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a unit, or a list of units with their conditions")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Units, E> {
                let unit = Spanned { value: text.to_owned(), ..Spanned::default() };
                Ok(Units(vec![Unit { otherwise: Some(unit), ..Unit::default() }]))
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Units, A::Error> {
                let mut units = Vec::new();
                while let Some(unit) = seq.next_element()? {
                    units.push(unit);
                }
                Ok(Units(units))
            }
        }

        from.deserialize_any(Either)
    }
}
