//! The schema files as they are written: one struct for each mapping of the language, nothing resolved.
//!
//! Everything may be missing here; [`crate::model`] says what has to be there. `schema/README.md` explains the keys.

use serde::Deserialize;

use super::shapes::{Named, Short, ShortForm, Text, Texts};
use super::spanned::Spanned;

/// Document -> section -> what the section was when the file was last checked against it.
pub(crate) type Reviewed = Named<Named<Text>>;

macro_rules! mappings {
    ($($(#[$doc:meta])* $name:ident { $($key:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, Deserialize)]
        #[serde(default)]
        pub(crate) struct $name {
            $(pub(crate) $key: $type,)*
        }
    )*};
}

mappings! {
    /// `api.yaml`.
    Api {
        api: Option<Text>,
        doc: Option<Text>,
        documents: Named<Document>,
        envelope: Option<Spanned<Envelope>>,
        credentials: Option<Spanned<Credentials>>,
        headers: Named<Spanned<Header>>,
        remaining_calls: Option<Text>,
        account: Option<Spanned<Account>>,
        observed: Vec<Spanned<Observation>>,
        reviewed: Reviewed,
    }

    /// What a caller may tell about the account, for rules that depend on it.
    Account { doc: Option<Text>, properties: Named<Spanned<Property>>, instrument: Option<Spanned<Instrument>>, }

    /// Something that may be told about an account.
    Property {
        doc: Option<Text>,
        rust: Option<Text>,
        r#type: Option<Spanned<PropertyType>>,
        values: Named<Short<EnumValue>>,
    }

    /// What a caller may tell about something that is traded: numbers by their names.
    Instrument { doc: Option<Text>, properties: Named<Short<InstrumentProperty>>, }

    /// A number that may be told about an instrument.
    InstrumentProperty { doc: Option<Text>, rust: Option<Text>, }

    /// One of the documents.
    Document { title: Option<Text>, }

    /// The members that every answer has.
    Envelope {
        code: Option<Text>,
        message: Option<Text>,
        time: Option<Text>,
        data: Option<Text>,
        success: Option<Text>,
    }

    /// How calls are signed.
    Credentials {
        headers: Spanned<CredentialHeaders>,
        signed_text: Vec<SignedPart>,
        algorithm: Option<Spanned<Algorithm>>,
        encoding: Option<Spanned<Encoding>>,
        window: Option<Text>,
    }

    /// The headers that carry credentials.
    CredentialHeaders {
        key: Option<Text>,
        signature: Option<Text>,
        passphrase: Option<Text>,
        timestamp: Option<Text>,
    }

    /// A header beside those of the credentials.
    Header { doc: Option<Text>, sent: Option<Sent>, }

    /// Something seen on the wire.
    Observation { id: Option<Text>, says: Option<Text>, sources: Vec<Text>, }

    /// `family.yaml`.
    Family {
        family: Option<Text>,
        title: Option<Text>,
        doc: Option<Text>,
        source: Option<Spanned<Source>>,
        numbers: Option<Numbers>,
        errors: Named<Spanned<ErrorCode>>,
        limits: Vec<Spanned<Ceiling>>,
        instrument: Option<Spanned<InstrumentNames>>,
        classes: Named<Spanned<Class>>,
        lifecycle: Option<Spanned<Lifecycle>>,
        rules: Vec<Spanned<Rule>>,
        not_shown: Vec<Spanned<Short<NotShown>>>,
        contradictions: Vec<Spanned<Contradiction>>,
        observed: Vec<Spanned<Observation>>,
        reviewed: Reviewed,
    }

    /// The parameters that name the instrument of a request.
    InstrumentNames { line: Option<Text>, symbol: Option<Text>, }

    /// A class of accounts or requests that has rate limits of its own.
    Class { doc: Option<Text>, when: Option<Spanned<Named<Texts>>>, }

    /// Where a document says it.
    Source { document: Option<Text>, section: Option<Text>, }

    /// An error code.
    ErrorCode {
        text: Option<Text>,
        doc: Option<Text>,
        rust: Option<Text>,
        outcome: Option<Outcome>,
        success: Option<bool>,
        source: Option<Spanned<Source>>,
    }

    /// A ceiling that is not a rate.
    Ceiling {
        id: Option<Text>,
        n: Option<Spanned<u64>>,
        over: Option<Spanned<Named<Texts>>>,
        doc: Option<Text>,
        source: Option<Spanned<Source>>,
    }

    /// States and transitions.
    Lifecycle {
        r#enum: Option<Text>,
        states: Named<Short<State>>,
        transitions: Vec<Spanned<Transition>>,
        never: Vec<Spanned<Never>>,
        records: Vec<Spanned<Tracked>>,
    }

    /// A state.
    State { doc: Option<Text>, terminal: Option<bool>, }

    /// A change of state.
    Transition {
        from: Texts,
        trigger: Texts,
        to: Option<Text>,
        condition: Option<Text>,
        doc: Option<Text>,
    }

    /// What the document rules out: that one state follows another, or that an operation takes effect.
    Never { from: Texts, to: Texts, trigger: Texts, at: Option<Text>, why: Option<Text>, }

    /// A record that tells a state.
    Tracked {
        record: Option<Text>,
        id: Option<Text>,
        client_id: Option<Text>,
        state: Option<Text>,
        at: Option<Text>,
    }

    /// What the document leaves open; `at` is the sections that say so themselves.
    NotShown { says: Option<Text>, at: Texts, }

    /// Two statements that cannot both hold.
    Contradiction { id: Option<Text>, readings: Vec<Text>, chosen: Option<Text>, why: Option<Text>, }

    /// `types.yaml`.
    Types {
        enums: Named<Spanned<Enum>>,
        identifiers: Named<Spanned<Identifier>>,
        choices: Named<Spanned<Choice>>,
        records: Named<Spanned<Record>>,
        reviewed: Reviewed,
    }

    /// An enum.
    Enum { doc: Option<Text>, rust: Option<Text>, values: Named<Short<EnumValue>>, truth: Named<Spanned<bool>>, }

    /// A value of an enum.
    EnumValue { doc: Option<Text>, rust: Option<Text>, also: Vec<Text>, }

    /// A newtype over text.
    Identifier {
        doc: Option<Text>,
        rust: Option<Text>,
        length: Option<Spanned<Vec<Spanned<u32>>>>,
        alphabet: Option<Text>,
        forms: Named<Text>,
    }

    /// Parameters of which only some go together.
    Choice {
        doc: Option<Text>,
        rust: Option<Text>,
        one_of: Named<Spanned<Field>>,
        wins: Option<Text>,
        choose_by: Option<Text>,
        r#type: Option<Text>,
        cases: Named<Spanned<Named<Spanned<Field>>>>,
    }

    /// What the exchange answers with.
    Record {
        doc: Option<Text>,
        rust: Option<Text>,
        source: Option<Spanned<Source>>,
        includes: Option<Text>,
        r#abstract: Option<bool>,
        observed: Option<bool>,
        fields: Named<Spanned<Field>>,
    }

    /// A field of a record, a request or a choice.
    Field {
        r#type: Option<Text>,
        list: Option<Text>,
        fields: Option<Named<Spanned<Field>>>,
        item: Option<Text>,
        required: Option<Spanned<Required>>,
        default: Option<Text>,
        default_note: Option<Text>,
        min: Option<Text>,
        max: Option<Text>,
        max_items: Option<Spanned<u64>>,
        min_items: Option<Spanned<u64>>,
        digits: Option<Spanned<u32>>,
        only: Option<Spanned<Vec<Text>>>,
        edit: Option<Spanned<Edit>>,
        wins: Option<Spanned<Unstated>>,
        unit: Option<Spanned<Units>>,
        json: Option<Spanned<Travels>>,
        may_be: Option<Spanned<MayBe>>,
        r#as: Option<Text>,
        doc: Option<Text>,
        rust: Option<Text>,
    }

    /// What leaving a parameter out, or a special text, does to a value that is there.
    Edit { keep: Option<Spanned<Keep>>, delete: Option<Text>, }

    /// A unit under a condition.
    Unit { when: Option<Named<Texts>>, is: Option<Text>, otherwise: Option<Text>, }

    /// An operation file.
    Operation {
        operation: Option<Text>,
        title: Option<Text>,
        rust: Option<Text>,
        source: Option<Spanned<Source>>,
        http: Option<Text>,
        doc: Option<Text>,
        effect: Option<Effect>,
        access: Option<Access>,
        whitelisted: Option<Spanned<bool>>,
        permission: Option<Text>,
        headers: Vec<Text>,
        rate_limit: Vec<Text>,
        request: Option<Spanned<Named<Spanned<Field>>>>,
        in_flight: Option<Spanned<InFlight>>,
        window: Option<Spanned<Window>>,
        history: Option<Text>,
        response: Option<Spanned<Response>>,
        intents: Vec<Spanned<Intent>>,
        examples: Vec<Spanned<Example>>,
        rules: Vec<Spanned<Rule>>,
        not_shown: Vec<Spanned<Short<NotShown>>>,
        contradictions: Vec<Spanned<Contradiction>>,
        observed: Vec<Spanned<Observation>>,
        reviewed: Reviewed,
    }

    /// How many amendments of one thing may be under way.
    InFlight { per: Option<Text>, n: Option<Spanned<u64>>, }

    /// What somebody wants, and what is sent for it.
    Intent {
        id: Option<Text>,
        rust: Option<Text>,
        r#in: Option<Text>,
        says: Option<Text>,
        at: Option<Text>,
        set: Option<Spanned<Named<Text>>>,
        take: Texts,
        call: Named<Text>,
    }

    /// A pair of times that bounds a query.
    Window {
        from: Option<Text>,
        to: Option<Text>,
        span: Option<Text>,
        access: Option<Text>,
        access_of: Option<AccessOf>,
        default: Option<Text>,
        both_or_neither: Option<Spanned<bool>>,
    }

    /// What comes back.
    Response {
        object: Option<Text>,
        array: Option<Text>,
        observed_under: Option<Text>,
        page: Option<Text>,
        of: Option<Text>,
        cursor: Option<Text>,
        next: Option<Text>,
    }

    /// Wire JSON of one call.
    Example { about: Option<Text>, request: Option<Text>, response: Option<Text>, }

    /// A sentence that binds somebody.
    Rule {
        id: Option<Text>,
        at: Option<Text>,
        kind: Option<Spanned<RuleKind>>,
        severity: Option<Spanned<Severity>>,
        says: Option<Text>,
        why: Option<Text>,
        when: Option<Spanned<Named<Texts>>>,
        require: Option<Spanned<Named<Texts>>>,
        forbid: Option<Spanned<Named<Texts>>>,
        same: Option<Text>,
        unique: Option<Texts>,
        r#in: Option<Text>,
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
