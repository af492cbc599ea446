//! How the parameters of a request travel.

#[doc(inline)]
pub use tradeapi_words::{Lists, Objects, Sends};

/// How the parameters of a request travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterStyle {
    /// Where they are; `None` for the usual place of its method.
    pub sends: Option<Sends>,
    /// How a list is written in a query or a form.
    pub lists: Lists,
    /// How an object is written in a query or a form.
    pub objects: Objects,
}

impl ParameterStyle {
    /// In the usual place of the method; lists and objects are JSON.
    pub const DEFAULT: Self = Self { sends: None, lists: Lists::Json, objects: Objects::Json };

    /// Whether a list of objects is written member by member.
    pub(crate) const fn spreads_items(self) -> bool {
        matches!(self.lists, Lists::Brackets | Lists::Indexed) && !matches!(self.objects, Objects::Json)
    }
}
