//! Pages with a list. `null` means an empty list in responses, but a success without data, or with data without the
//! list, is not a page: taken for an empty one, it would end an incomplete listing.

use super::page::Paged;
use crate::data::account::Known;
use crate::data::checks::Checks;
use crate::data::json::{Decode, Form, Kind, ReadError, Reader};
use crate::data::lifecycle::{OrderShown, PropertyShown};
use crate::data::operation::{Operation, Repeatable};
use crate::data::parameters::{HeaderWriter, ParameterReader, ParameterWriter, Parameters, PathWriter};
use crate::data::tables::Meta;

/// A request whose response must be a page.
pub(crate) struct ForPage<O>(pub(crate) O);

/// The answer to it.
pub(crate) struct WholePage<O: Paged>(pub(crate) O::Response);

impl<O: Paged> Operation for ForPage<O> {
    type Response = WholePage<O>;

    const META: &'static Meta = O::META;

    fn write_path(&self, out: &mut PathWriter) {
        self.0.write_path(out);
    }

    fn write_headers(&self, out: &mut HeaderWriter<'_>) {
        self.0.write_headers(out);
    }

    fn show_orders<'a>(response: &'a Self::Response, see: &mut dyn FnMut(OrderShown<'a>)) {
        O::show_orders(&response.0, see);
    }

    fn show_properties(response: &Self::Response, see: &mut dyn FnMut(PropertyShown<'_>)) {
        O::show_properties(&response.0, see);
    }

    fn limit_class(&self, known: Known<'_>) -> [Option<&'static str>; 2] {
        self.0.limit_class(known)
    }
}

impl<O: Paged> Repeatable for ForPage<O> {}

impl<O: Paged> Parameters for ForPage<O> {
    fn write(&self, out: &mut ParameterWriter) {
        self.0.write(out);
    }

    fn read(from: &mut ParameterReader<'_>) -> Option<Self> {
        O::read(from).map(Self)
    }

    fn check(&self, to: &mut Checks<'_>) {
        self.0.check(to);
    }
}

impl<O: Paged> Decode for WholePage<O> {
    const FORM: Form = O::Response::FORM;

    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        refuse_unlisted(from, O::LIST, O::Response::FORM)?;
        O::Response::decode(from).map(Self)
    }
}

/// Fails unless the next value, of this form, is a page with `list`. The value is not consumed.
fn refuse_unlisted(from: &mut Reader<'_>, list: &str, form: Form) -> Result<(), ReadError> {
    match (from.peek(), list) {
        (Kind::Array, "") => Ok(()),
        (Kind::Object, "") if matches!(form, Form::Map(_)) => Ok(()),
        (_, "") => Err(ReadError::new(from.mark().at, "expected a list")),
        (Kind::Object, list) => find(from, list),
        _ => Ok(()),
    }
}

/// Fails unless the object that comes next, which stays unread, names `list`.
fn find(from: &mut Reader<'_>, list: &str) -> Result<(), ReadError> {
    let start = from.mark();
    let mut members = from.object(&[])?;
    while let Some(name) = members.next_name(from)? {
        if name == list {
            from.go_back(start);
            return Ok(());
        }
        from.skip()?;
    }
    Err(ReadError::new(start.at, format!("there is no {list:?}")))
}
