//! Names by which one part of the schema refers to another. The type of a key says what its name can stand for. Reading
//! gives the text; `model/resolve.rs` finds the part once, so that later steps look up a number.

use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::ops::Deref;

use super::diagnostics::{Code, Place};
use super::words::Effect;

/// A name, and the number of the part that it stands for once that is found.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub(crate) text: String,
    pub(crate) place: Place,
    /// The number of the part among all of its kind in its scope; `None` if there is none, which was reported.
    pub(crate) number: Option<usize>,
}

impl Reference {
    /// Returns whether the file lacks the key, which was reported.
    pub(crate) fn is_left_out(&self) -> bool {
        self.place == Place::default()
    }

    /// Returns whether both stand for the same part.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.number.is_some() && self.number == other.number
    }
}

impl Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The name of a part of a kind.
#[derive(Clone, Debug)]
pub(crate) struct NameOf<K> {
    reference: Reference,
    kind: PhantomData<K>,
}

impl<K: Kind> NameOf<K> {
    /// Makes a name that is not resolved yet.
    pub(crate) fn new((text, place): (String, Place)) -> Self {
        Self { reference: Reference { text, place, number: None }, kind: PhantomData }
    }

    /// Makes a name that stands for nothing.
    pub(crate) fn of_nothing() -> Self {
        Self::new((String::new(), Place::default()))
    }

    /// Shows the name, with what it can stand for, to the pass that resolves it.
    pub(crate) fn show(&mut self, see: &mut See<'_>) {
        see(K::SOUGHT, &mut self.reference);
    }
}

impl<K> Display for NameOf<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reference.fmt(f)
    }
}

impl<K> Deref for NameOf<K> {
    type Target = Reference;

    fn deref(&self) -> &Reference {
        &self.reference
    }
}

/// Looks at a reference and at what it can stand for.
pub(crate) type See<'a> = dyn FnMut(Sought, &mut Reference) + 'a;

/// A kind of parts, as far as a key restricts it.
pub(crate) trait Kind {
    /// The parts that a name of the kind can stand for.
    const SOUGHT: Sought;
}

/// The parts that a name can stand for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sought {
    /// An operation of the family.
    Operation(SoughtOperation),
    /// A parameter of the request, outside of choices.
    Parameter(SoughtParameter),
    /// A field of an answer.
    Field(SoughtField),
    /// A family.
    Family(SoughtFamily),
    /// A header of `api.yaml`.
    Header {
        /// True if it can be written in other case.
        ignores_case: bool,
    },
}

impl Sought {
    pub(crate) fn is_operation(self) -> bool {
        matches!(self, Self::Operation(_))
    }
}

/// The operations that a name can stand for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SoughtOperation {
    /// The effects of which it has one.
    pub(crate) effects: &'static [Effect],
    /// True if the text can also be a cause in words.
    pub(crate) or_words: bool,
    /// Advice for a name of none of them.
    pub(crate) otherwise: &'static str,
}

/// The parameters that a name can stand for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SoughtParameter {
    pub(crate) form: SoughtForm,
    /// The kind of mistake if it has another form.
    pub(crate) code: Code,
}

/// The fields that a name can stand for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SoughtField {
    pub(crate) of: FieldsOf,
    pub(crate) form: SoughtForm,
    /// The kind of mistake if it has another form.
    pub(crate) code: Code,
}

/// The record whose fields a name can stand for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldsOf {
    /// The answer, if it is an object.
    Answer,
    /// The answer of the operation that is named before, which is an object.
    Named,
    /// The records that the answer lists.
    Items,
    /// The record that shows what became of a request.
    Query,
}

/// The families that a name can stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SoughtFamily {
    Any,
    /// One that is not the family of the name itself.
    Other,
    /// One with `instrument`.
    WithInstruments,
}

/// The types that something named can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SoughtForm {
    Any,
    Enum,
    Time,
    Integer,
    /// A value that can begin a page: a text, a number or an id.
    Cursor,
    Text,
    Decimal,
    /// A number that counts something.
    Quantity,
    Boolean,
    ListOfRecords,
}

const fn parameter(form: SoughtForm) -> Sought {
    Sought::Parameter(SoughtParameter { form, code: Code::BadResponse })
}

const fn field(of: FieldsOf, form: SoughtForm) -> Sought {
    Sought::Field(SoughtField { of, form, code: Code::BadResponse })
}

const fn operation(effects: &'static [Effect], otherwise: &'static str) -> Sought {
    Sought::Operation(SoughtOperation { effects, or_words: false, otherwise })
}

const fn operation_or_words(effects: &'static [Effect], otherwise: &'static str) -> Sought {
    Sought::Operation(SoughtOperation { effects, or_words: true, otherwise })
}

/// Declares kinds of names, each with what it stands for.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $name:ident = $sought:expr;)*) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum $name {}

        impl Kind for $name {
            const SOUGHT: Sought = $sought;
        }
    )*};
}

const OF_THE_FAMILY: &str = "name an operation of the family";

kinds! {
    /// An operation that shows what became of a request.
    Query = operation(&[Effect::Read], "name an operation that reads one record");
    /// An operation that cancels one of the orders of a listing.
    CancelsOne = operation(&[Effect::Cancel], "name an operation that cancels one order");
    /// An operation that checks credentials.
    Checks = operation(&[Effect::Read], "name a signed operation with `effect: read`");
    /// An operation that cancels orders of a family.
    Cancels = operation(&[Effect::Cancel], OF_THE_FAMILY);
    /// An operation that closes positions of a family.
    Closes = operation(&[Effect::Close], OF_THE_FAMILY);
    /// An operation that reads something of a family.
    Reads = operation(&[Effect::Read], OF_THE_FAMILY);
    /// An operation that creates orders of a family.
    Creates = operation(&[Effect::Create], OF_THE_FAMILY);
    /// An operation that amends or cancels.
    Alters = operation(&[Effect::Amend, Effect::Cancel], "name an operation that amends or cancels");
    /// A header that operations carry.
    DeclaredHeader = Sought::Header { ignores_case: false };
    /// A header that leads to a market.
    HeaderOfMarket = Sought::Header { ignores_case: true };
    /// A family.
    AnyFamily = Sought::Family(SoughtFamily::Any);
    /// A family beside that of the name.
    OtherFamily = Sought::Family(SoughtFamily::Other);
    /// A family whose requests name their instruments.
    FamilyOfInstruments = Sought::Family(SoughtFamily::WithInstruments);
    /// A parameter outside of choices.
    PlainParameter = parameter(SoughtForm::Any);
    /// A parameter by which the exchange recognizes a repeat.
    RepeatKey = Sought::Parameter(SoughtParameter { form: SoughtForm::Any, code: Code::BadOutcome });
    /// A parameter that takes words.
    EnumParameter = parameter(SoughtForm::Enum);
    /// A parameter that takes a number of items.
    IntegerParameter = parameter(SoughtForm::Integer);
    /// A parameter that takes a text or an id.
    TextParameter = parameter(SoughtForm::Text);
    /// A parameter that takes a quantity.
    QuantityParameter = parameter(SoughtForm::Quantity);
    /// A parameter that takes the cursor of a page.
    CursorParameter = parameter(SoughtForm::Cursor);
    /// A parameter that bounds the times of a query.
    Bound = Sought::Parameter(SoughtParameter { form: SoughtForm::Time, code: Code::BadWindow });
    /// A list of records in the answer.
    ListOfAnswer = field(FieldsOf::Answer, SoughtForm::ListOfRecords);
    /// A field of the answer that is true or false.
    FlagOfAnswer = field(FieldsOf::Answer, SoughtForm::Boolean);
    /// A field of the answer that counts.
    CountOfAnswer = field(FieldsOf::Answer, SoughtForm::Integer);
    /// A field of the answer of the operation that is named before.
    FieldOfNamed = field(FieldsOf::Named, SoughtForm::Any);
    /// A field of listed records with a text or an id.
    TextOfItems = field(FieldsOf::Items, SoughtForm::Text);
    /// A field of listed records with a number.
    DecimalOfItems = field(FieldsOf::Items, SoughtForm::Decimal);
    /// A field of listed records with a word.
    EnumOfItems = field(FieldsOf::Items, SoughtForm::Enum);
    /// A list of records in listed records.
    ListOfItems = field(FieldsOf::Items, SoughtForm::ListOfRecords);
    /// A time in the record that shows what became of a request.
    TimeOfQuery = Sought::Field(SoughtField { of: FieldsOf::Query, form: SoughtForm::Time, code: Code::BadOutcome });
    /// The cause of a transition: an operation that changes something, or words.
    Cause = operation_or_words(
        &[Effect::Create, Effect::Amend, Effect::Cancel, Effect::Close],
        "name an operation that changes something"
    );
}
