//! Request parameters: written as a query or as JSON, and read back.

mod headers;
mod name;
mod named;
mod path;
mod query;
mod reader;
mod unsendable;
mod writer;

use crate::checks::Checks;

#[doc(hidden)]
pub use headers::HeaderWriter;
pub use name::Name;
pub(crate) use named::{Named, texts_of};
#[doc(hidden)]
pub use path::PathWriter;
pub(crate) use path::leads_elsewhere;
pub(crate) use query::{Escapes, has_escape, pairs, query_value};
pub use reader::ParameterReader;
pub(crate) use unsendable::Unsendable;
pub use writer::ParameterWriter;

/// A set of request parameters: of an operation, of an item in a list, or of an alternative of a choice.
pub trait Parameters {
    /// Writes those that are set.
    fn write(&self, out: &mut ParameterWriter);

    /// Reads them back. `None` if that fails; `from` then contains the violations.
    fn read(from: &mut ParameterReader<'_>) -> Option<Self>
    where
        Self: Sized;

    /// Reports broken rules to `to`.
    fn check(&self, to: &mut Checks<'_>);
}

/// The content type of parameters that are a form.
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";

/// The JSON text of all `parameters`, also of those that are sent in the path or in headers.
pub(crate) fn json_of(parameters: &dyn Parameters) -> String {
    let mut out = ParameterWriter::whole();
    parameters.write(&mut out);
    out.finish()
}

/// Declares a struct of parameters with `Clone` and `PartialEq`, with `Debug` and `Display`, which print on one line
/// what is set, and with serde's traits if the feature `serde` is on. [`Parameters`] is implemented apart.
#[macro_export]
macro_rules! parameters {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident {
            $($(#[$field_about:meta])* $field_vis:vis $field:ident: $ty:ty),* $(,)?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, PartialEq)]
        #[must_use = "a request does nothing until it is sent"]
        #[non_exhaustive]
        $vis struct $name {
            $($(#[$field_about])* $field_vis $field: $ty,)*
        }

        $crate::__shown!($name { $($field),* });
        $crate::serde_parameters!($name);
    };
}

impl Checks<'_> {
    /// An object among the parameters must keep its own rules.
    pub fn object<P: Parameters>(&mut self, name: &'static str, object: &P) {
        self.member(name, |checks| object.check(checks));
    }

    /// Each item of a list must keep its own rules. `name` is empty where the body itself is the list.
    pub fn items<P: Parameters>(&mut self, name: &'static str, items: &[P]) {
        for (index, item) in items.iter().enumerate() {
            self.item(name, index, |checks| item.check(checks));
        }
    }
}
