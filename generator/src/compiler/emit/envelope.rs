//! The table of the members around the data of an answer.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::code::{ident, optional_text};
use crate::compiler::model::{AnswerPath, Envelope, Step, SuccessWith};

pub(super) fn table(envelope: &Envelope) -> TokenStream {
    let Envelope { around, code, message, time, data, success, success_with, beside, place: _ } = envelope;
    let around = ident(around.variant());
    let (code, message) = (paths(code), paths(message));
    let [time, success] = [time, success].map(|text| optional_text(text.as_deref()));
    let data = data.as_ref().map(path).map_or_else(|| quote!(None), |path| quote!(Some(#path)));
    let success_with = self::success_with(success_with);
    quote!(tables::Envelope {
        around: tables::Around::#around,
        code: #code,
        message: #message,
        time: #time,
        data: #data,
        success: #success,
        success_with: #success_with,
        beside: &[#(#beside),*],
    })
}

fn success_with(SuccessWith { message, status }: &SuccessWith) -> TokenStream {
    if message.is_none() && status.is_none() {
        return quote!(tables::SuccessWith::NOTHING);
    }
    let message = optional_text(message.as_deref());
    let status = status.map(Literal::u16_unsuffixed).map_or_else(|| quote!(None), |status| quote!(Some(#status)));
    quote!(tables::SuccessWith { message: #message, status: #status })
}

fn paths(paths: &[AnswerPath]) -> TokenStream {
    let paths = paths.iter().map(path);
    quote!(&[#(#paths),*])
}

/// A path to a value in an answer.
pub(super) fn path(path: &AnswerPath) -> TokenStream {
    let steps = path.0.iter().map(|step| match step {
        Step::Member(name) => quote!(tables::Step::Member(#name)),
        Step::Item(item) => {
            let item = Literal::usize_unsuffixed(*item);
            quote!(tables::Step::Item(#item))
        }
    });
    quote!(&[#(#steps),*])
}
