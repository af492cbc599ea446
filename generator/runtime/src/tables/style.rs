//! How the parameters of a request travel.

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

/// Where the parameters of a request are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sends {
    /// In the query.
    Query,
    /// In the body, as JSON.
    Json,
    /// In the body, written like a query.
    Form,
}

/// How a list is written in a query or a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lists {
    /// As one JSON text.
    Json,
    /// `a=1&a=2`; a list of objects as JSON.
    Repeated,
    /// `a=1,2`; a list of objects as JSON.
    Comma,
    /// `a[]=1&a[]=2`; a list of objects with their places.
    Brackets,
    /// `a[0]=1&a[1]=2`
    Indexed,
}

/// How an object is written in a query or a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objects {
    /// As one JSON text.
    Json,
    /// `a[b]=1`
    Brackets,
    /// `a.b=1`
    Dots,
}

impl ParameterStyle {
    /// In the usual place of the method; lists and objects are JSON.
    pub const DEFAULT: Self = Self { sends: None, lists: Lists::Json, objects: Objects::Json };

    /// Whether a list of objects is written member by member.
    pub(crate) const fn spreads_items(self) -> bool {
        matches!(self.lists, Lists::Brackets | Lists::Indexed) && !matches!(self.objects, Objects::Json)
    }
}
