//! Choices as enums: parameters of which only certain combinations are allowed.

use proc_macro2::Ident;
use quote::quote;
use syn::{Attribute, parse_quote};

use super::code::{File, Item, alternative, ident};
use super::docs::{Docs, code, escape};
use super::parameters::{self, Set};
use super::scope::Scope;
use super::{declarations, parameter_docs, trees};
use crate::compiler::model::phrases;
use crate::compiler::model::{Case, Choice, ChoiceKind, EnumValue, Family, Name, Parameter, Type};

/// `choices.rs` of a family.
pub(super) fn emit(family: &Family) -> File {
    let scope = Scope::new(family);
    let mut items: Vec<_> = family.choices.iter().flat_map(|choice| emit_choice(&scope, choice)).collect();
    let defined: Vec<_> = family.choices.iter().flat_map(|choice| type_names(family, choice)).collect();
    let defined: Vec<_> = defined.iter().map(String::as_str).collect();
    items.insert(0, scope.imports(&defined));
    File::new(Docs::new(&format!("Parameters of the {} operations that go together.", family.title), "").inner(), items)
}

/// Returns the types that a choice defines: its own, and those of its cases.
pub(super) fn type_names(family: &Family, choice: &Choice) -> Vec<String> {
    let mut names = vec![choice.name.rust.clone()];
    let with_parameters = choice.cases(family).filter(|(_, case)| !case.parameters.is_empty());
    names.extend(with_parameters.map(|(value, _)| case_name(choice, value)));
    names.extend(choice.objects().into_iter().map(|object| object.rust.clone()));
    names
}

/// Returns the type for the parameters of a case, such as `LimitExecution`.
pub(super) fn case_name(choice: &Choice, value: &EnumValue) -> String {
    format!("{}{}", value.name.beginning(), choice.name.rust)
}

/// The values of the deciding enum, each with its case.
type Cases<'a> = [(&'a EnumValue, &'a Case)];

fn emit_choice(scope: &Scope<'_>, choice: &Choice) -> Vec<Item> {
    let mut items = match &choice.kind {
        ChoiceKind::Presence { alternatives, wins } => {
            let wins = wins.as_ref().map(|(wins, _)| wins.as_str());
            vec![by_presence(scope, choice, alternatives, wins)]
        }
        ChoiceKind::Value { decider, enum_index, .. } => {
            let cases: Vec<_> = choice.cases(scope.family).collect();
            by_value(scope, choice, decider, *enum_index, &cases)
        }
    };
    items.extend(choice.objects().into_iter().flat_map(|object| parameters::object(scope, object, &choice.name.rust)));
    items
}

fn by_presence(scope: &Scope<'_>, choice: &Choice, alternatives: &[Parameter], wins: Option<&str>) -> Item {
    let mut docs = Docs::new(&choice.doc, &choice.name.wire);
    docs.documented(&choice.keys(scope.family));
    let wires: Vec<_> = alternatives.iter().map(|parameter| code(&parameter.name.wire)).collect();
    docs.markdown(&format!("Exactly one of {} is sent.", wires.join(", ")));
    if let Some(wins) = wins {
        docs.markdown(&format!(
            "If several were sent, the exchange would take {}; this type cannot hold two.",
            code(wins)
        ));
    }
    let shown = |parameter: &Parameter| phrases::shape(&parameter.shape, |ty| scope.family.type_rust(ty));
    let is_only_one = |ty: String| alternatives.iter().filter(|other| shown(other) == ty).count() == 1;
    let variants = alternatives.iter().map(|parameter| {
        let docs = parameter_docs::field(scope, parameter).outer();
        let converts = is_only_one(shown(parameter)).then(|| quote!(impl From));
        let wire = parameters::wire(parameter, &[&parameter.name.wire], converts, None);
        let attributes = docs.into_iter().chain([wire]).collect();
        declarations::holding(attributes, ident(&alternative(parameter)), scope.parameter_type(parameter))
    });
    let is_key = alternatives.iter().all(|parameter| parameter.shape.is_one(Type::can_be_key));
    let derived = is_key.then(|| parse_quote!(#[derive(Eq, Hash)]));
    let attributes = docs.outer().into_iter().chain(derived).collect();
    Item::declared_by("one_of", vec![declarations::enumeration(attributes, ident(&choice.name.rust), variants)])
}

fn by_value(scope: &Scope<'_>, choice: &Choice, decider: &Name, enum_index: usize, cases: &Cases<'_>) -> Vec<Item> {
    let deciding = scope.named(&scope.family.enums[enum_index].name.rust);
    let declared =
        std::iter::once(value_enum(scope, choice, decider, &deciding, cases)).chain(makers(scope, choice, cases));
    let mut items = vec![Item::declared_by("by_value", declared.collect())];
    for (value, case) in cases.iter().filter(|(_, case)| !case.parameters.is_empty()) {
        items.extend(payload(scope, choice, decider, value, case));
    }
    items
}

fn value_enum(scope: &Scope<'_>, choice: &Choice, decider: &Name, deciding: &Ident, cases: &Cases<'_>) -> syn::Item {
    let mut docs = Docs::new(&choice.doc, &choice.name.wire);
    docs.documented(&choice.keys(scope.family));
    docs.markdown(&format!("{} decides which other parameters go with it.", code(&decider.wire)));
    let variants = cases.iter().flat_map(|(value, case)| {
        let meaning = format!("{} = {}", code(&decider.wire), code(&value.name.wire));
        let says = format!("{meaning}: {}", escape(&value.doc));
        let payload = || declarations::ty(&[&case_name(choice, value)]);
        let name = ident(&value.name.rust);
        let alone = match case.is_optional() {
            true => declarations::alone(about(&says), name),
            false => declarations::holding(about(&says), name, payload()),
        };
        let with = case.variant_with(value).filter(|_| case.is_optional()).map(|name| {
            let docs = about(&format!("{meaning}, with parameters that can be left out."));
            let attributes = std::iter::once(declarations::marked("or")).chain(docs).collect();
            declarations::holding(attributes, ident(&name), payload())
        });
        std::iter::once(alone).chain(with)
    });
    let (wire, members) = (&decider.wire, choice.distinct_wires());
    let members = members.into_iter().filter(|member| member != wire);
    let names = declarations::with_arguments("wire", quote!(#wire of #deciding #(, #members)*));
    let attributes = docs.outer().into_iter().chain([names]).collect();
    declarations::enumeration(attributes, ident(&choice.name.rust), variants)
}

fn about(says: &str) -> Vec<Attribute> {
    let mut docs = Docs::default();
    docs.markdown(says);
    docs.outer().into_iter().collect()
}

/// Returns constructors for each case, if there are any.
fn makers(scope: &Scope<'_>, choice: &Choice, cases: &Cases<'_>) -> Option<syn::Item> {
    let name = ident(&choice.name.rust);
    let makers = cases.iter().filter(|(_, case)| !case.parameters.is_empty()).map(|(value, case)| {
        let payload = ident(&case_name(choice, value));
        let value = &value.name;
        let maker = ident(&value.function().unwrap_or_default());
        let required: Vec<_> = case.parameters.iter().filter(|parameter| parameter.is_argument()).collect();
        let arguments = required.iter().map(|parameter| {
            let (field, ty) = (ident(&parameter.name.rust), parameters::argument_type(scope, parameter));
            quote!(#field: #ty)
        });
        let names = required.iter().map(|parameter| ident(&parameter.name.rust));
        let mut docs = Docs::default();
        docs.markdown(&format!(
            "Returns the parameters that go with {}; they convert into [`{name}`].",
            code(&value.wire)
        ));
        let docs = docs.outer();
        quote! {
            #docs
            pub fn #maker(#(#arguments),*) -> #payload {
                #payload::new(#(#names),*)
            }
        }
    });
    let makers: Vec<_> = makers.map(trees::member).collect();
    (!makers.is_empty()).then(|| declarations::inherent(name.clone(), makers))
}

fn payload(scope: &Scope<'_>, choice: &Choice, decider: &Name, value: &EnumValue, case: &Case) -> Vec<Item> {
    let rust = case_name(choice, value);
    let mut docs = Docs::default();
    docs.markdown(&format!("The parameters that go with {} = {}.", code(&decider.wire), code(&value.name.wire)));
    Set::new(&rust, docs, &case.parameters).emit(scope)
}
