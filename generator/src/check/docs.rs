//! Everything that is emitted is documented, so everything says what it is.

use crate::diagnostics::{Code, Diagnostics, Place};
use crate::model::{Api, Family, Name, Shape};

/// The headers, pools and markets of `api.yaml`.
pub(super) fn api_has_docs(api: &Api, to: &mut Diagnostics) {
    if api.is_sound {
        for header in &api.headers {
            has_doc(&format!("the header `{}`", header.name), header.place, &header.doc, to);
        }
        for pool in &api.pools {
            has_doc(&format!("the pool `{}`", pool.name), pool.place, &pool.doc, to);
        }
        for market in &api.markets {
            has_doc(&format!("the market `{}`", market.name), market.place, &market.doc, to);
        }
    }
}

/// The types and parameters of a family.
pub(super) fn family_has_docs(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for all in &family.enums {
        name_has_doc("enum", &all.name, &all.doc, to);
        all.values.iter().for_each(|value| name_has_doc("value", &value.name, &value.doc, to));
    }
    family.identifiers.iter().for_each(|all| name_has_doc("identifier", &all.name, &all.doc, to));
    family.choices.iter().for_each(|choice| name_has_doc("choice", &choice.name, &choice.doc, to));
    for record in &family.records {
        name_has_doc("record", &record.name, &record.doc, to);
        for field in record.fields.iter().filter(|field| !has_type_with_doc(&field.shape)) {
            name_has_doc("field", &field.name, &field.doc, to);
        }
    }
    // What is `as` another has its doc from there.
    let written = family.all_parameters().filter(|parameter| parameter.written == parameter.name.place);
    for parameter in written.filter(|parameter| !has_type_with_doc(&parameter.shape)) {
        name_has_doc("parameter", &parameter.name, &parameter.doc, to);
    }
}

fn name_has_doc(kind: &str, name: &Name, doc: &str, to: &mut Diagnostics) {
    has_doc(&format!("the {kind} `{}`", name.wire), name.place, doc, to);
}

fn has_doc(what: &str, place: Place, doc: &str, to: &mut Diagnostics) {
    if doc.is_empty() && !to.is_unread(place.file, "doc") {
        to.at(place, Code::MissingKey, format!("{what} has no `doc`")).help("add `doc: ...`");
    }
}

/// The doc of a type of the family serves its fields; where that is missing, it is reported there.
fn has_type_with_doc(shape: &Shape) -> bool {
    shape.element().is_some_and(|ty| !ty.is_built_in())
}
