/// One way in which answers differ from the documents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DriftEntry {
    /// What differs.
    pub kind: DriftKind,
    /// Where: the way from the root of the answer, `data.list[].price`. A name that is not told is `*`.
    pub path: String,
    /// The record there, by its name in the schema; `None` for the envelope, a page, and what is around a list.
    pub record: Option<&'static str>,
    /// The field of the record; `None` where its name is not told.
    pub field: Option<String>,
    /// The value, of an enum, or the error code; `None` where there is none, or it is not told.
    pub value: Option<String>,
    /// As what the value was written: `null`, `boolean`, `number`, `text`, `number as text`, `list`, `object`.
    pub json: Vec<&'static str>,
    /// How often it was so.
    pub seen: u64,
    /// How often it could have been: how many records or envelopes were looked at there.
    pub of: u64,
}

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DriftKind {
    /// A field that the documents do not know.
    UnknownField,
    /// A value that the enum does not have.
    UnknownValue,
    /// A value that the enum has, but is not listed for this field.
    ValueNotListedHere,
    /// A field that never came, and not because a condition was lacking.
    MissingField,
    /// A value that is written as another kind of JSON; it was read nevertheless.
    WrittenOtherwise,
    /// A value that could not be read.
    Unreadable,
    /// An error code that the documents do not list.
    UnlistedCode,
    /// Something came that no document has, and the schema knows because it was seen before.
    Observed,
}

impl DriftKind {
    /// Its name in a report.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownField => "unknown field",
            Self::UnknownValue => "unknown value",
            Self::ValueNotListedHere => "value not listed here",
            Self::MissingField => "missing field",
            Self::WrittenOtherwise => "written otherwise",
            Self::Unreadable => "unreadable",
            Self::UnlistedCode => "unlisted code",
            Self::Observed => "observed",
        }
    }
}
