//! The counterpart of an operation, or the reason that there is none.

use crate::compiler::model::phrases::PLAIN;
use crate::compiler::model::{Api, Family, Operation};
use crate::tools::export::site::address::Address;

/// The counterpart of an operation with what becomes of its request.
pub(in crate::tools::export::site) enum CounterpartView<'a> {
    /// The reason that no operation does the same.
    None(&'a str),
    Operation {
        id: &'a str,
        title: &'a str,
        address: Address,
        /// Each parameter or case, and what it becomes.
        rows: Vec<[String; 2]>,
        differs: Vec<&'a str>,
    },
}

pub(super) fn view<'a>(api: &'a Api, family: &'a Family, operation: &'a Operation) -> Option<CounterpartView<'a>> {
    let counterpart = operation.counterpart.as_ref()?;
    if let Some((why, _)) = &counterpart.none {
        return Some(CounterpartView::None(why));
    }
    let conversion = api.conversion(family, operation)?;
    let to = conversion.to.operation;
    Some(CounterpartView::Operation {
        id: &to.id,
        title: &to.title,
        address: Address::operation(&conversion.to.family.name, &to.name),
        rows: conversion.rows(&PLAIN),
        differs: counterpart.differs.iter().map(|(says, _)| says.as_str()).collect(),
    })
}
