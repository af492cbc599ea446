//! The parameters of requests. Emitted.

/// A parameter of a request, or of the objects in one.
#[derive(Debug)]
pub struct Parameter {
    /// Its name in a request; empty for a body that is an array.
    pub name: &'static str,
    /// Its name as a flag, without the dashes.
    pub flag: &'static str,
    /// Its values.
    pub kind: Kind,
    /// Whether it has to be sent.
    pub required: Required,
    /// What the exchange assumes where it is left out; never sent.
    pub default: Option<&'static str>,
    /// The unit of a quantity; empty if it has none.
    pub unit: &'static str,
    /// The bounds of its value; empty if there are none.
    pub bounds: &'static str,
    /// What it is.
    pub doc: &'static str,
}

impl Parameter {
    /// An optional text without a name; for the fields that a table leaves out.
    pub const DEFAULT: Self = Self {
        name: "",
        flag: "",
        kind: Kind::Text("string"),
        required: Required::No,
        default: None,
        unit: "",
        bounds: "",
        doc: "",
    };
}

/// The values of a parameter.
#[derive(Debug)]
pub enum Kind {
    /// One value that a text states; the name of its type.
    Text(&'static str),
    /// `true` or `false`.
    Truth,
    /// One of these words, with their meanings.
    Words(&'static [(&'static str, &'static str)]),
    /// A list of such values.
    List(&'static Kind),
    /// An object with these parameters.
    Object(&'static [Parameter]),
    /// A list of objects with these parameters.
    Objects(&'static [Parameter]),
    /// Any JSON.
    Json,
}

/// Whether a parameter has to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Required {
    /// Always.
    Always,
    /// Under this condition, or only with something else.
    Sometimes(&'static str),
    /// Never.
    No,
}

impl Parameter {
    /// The id of its flag; an option may have the same name.
    pub(crate) fn id(&self) -> String {
        format!("parameter {}", self.name)
    }
}
