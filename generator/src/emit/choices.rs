//! Choices as enums: parameters of which only certain combinations are allowed.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::{File, Item, alternative, ident};
use super::docs::{Docs, code, escape};
use super::parameters::{self, Set};
use super::scope::Scope;
use super::{declarations, parameter_docs};
use crate::model::{Case, Choice, ChoiceKind, EnumValue, Family, Name, Parameter, Type};

/// `choices.rs` of a family.
pub(super) fn emit(family: &Family) -> File {
    let scope = Scope::new(family);
    let mut items: Vec<_> = family.choices.iter().flat_map(|choice| emit_choice(&scope, choice)).collect();
    let defined: Vec<_> = family.choices.iter().flat_map(|choice| type_names(family, choice)).collect();
    let defined: Vec<_> = defined.iter().map(String::as_str).collect();
    items.insert(0, scope.imports(&defined));
    File::new(Docs::new(&format!("Parameters of the {} operations that go together.", family.title), "").inner(), items)
}

/// The types that a choice defines: its own, and those of its cases.
pub(super) fn type_names(family: &Family, choice: &Choice) -> Vec<String> {
    let mut names = vec![choice.name.rust.clone()];
    let with_parameters = choice.cases(family).filter(|(_, case)| !case.parameters.is_empty());
    names.extend(with_parameters.map(|(value, _)| case_name(choice, value)));
    names
}

/// The type for the parameters of a case, such as `LimitExecution`.
pub(super) fn case_name(choice: &Choice, value: &EnumValue) -> String {
    format!("{}{}", value.name.beginning(), choice.name.rust)
}

/// The values of the deciding enum, each with its case.
type Cases<'a> = [(&'a EnumValue, &'a Case)];

fn emit_choice(scope: &Scope<'_>, choice: &Choice) -> Vec<Item> {
    match &choice.kind {
        ChoiceKind::Presence { alternatives, wins } => {
            let wins = wins.as_ref().map(|(wins, _)| wins.as_str());
            vec![by_presence(scope, choice, alternatives, wins)]
        }
        ChoiceKind::Value { decider, enum_index, .. } => {
            let cases: Vec<_> = choice.cases(scope.family).collect();
            by_value(scope, choice, decider, *enum_index, &cases)
        }
    }
}

fn one_type(parameter: &Parameter) -> Type {
    parameter.shape.single().unwrap_or(Type::Undefined)
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
    let is_only_one = |ty: Type| alternatives.iter().filter(|other| one_type(other) == ty).count() == 1;
    let variants = alternatives.iter().map(|parameter| {
        let docs = parameter_docs::field(scope, parameter).outer();
        let converts = is_only_one(one_type(parameter)).then(|| quote!(impl From));
        let wire = parameters::wire(parameter, &[&parameter.name.wire], converts, false);
        let attributes = docs.into_iter().chain([wire]).collect();
        declarations::holding(attributes, ident(&alternative(parameter)), scope.ty(one_type(parameter)))
    });
    let definition = declarations::enumeration(docs.outer().into_iter().collect(), ident(&choice.name.rust), variants);
    Item::declared_by("one_of", vec![definition])
}

fn by_value(scope: &Scope<'_>, choice: &Choice, decider: &Name, enum_index: usize, cases: &Cases<'_>) -> Vec<Item> {
    let mut items = vec![Item::Code(value_enum(scope, choice, decider, cases))];
    items.push(Item::Code(value_inherent(scope, choice, enum_index, cases)));
    items.push(Item::Code(value_parameters(scope, choice, decider, enum_index, cases)));
    for (value, case) in cases.iter().filter(|(_, case)| !case.parameters.is_empty()) {
        items.extend(payload(scope, choice, decider, value, case));
    }
    items
}

fn value_enum(scope: &Scope<'_>, choice: &Choice, decider: &Name, cases: &Cases<'_>) -> TokenStream {
    let name = ident(&choice.name.rust);
    let mut docs = Docs::new(&choice.doc, &choice.name.wire);
    docs.documented(&choice.keys(scope.family));
    docs.markdown(&format!("{} decides which other parameters go with it.", code(&decider.wire)));
    let docs = docs.outer();
    let variants = cases.iter().map(|(value, case)| {
        let meaning = format!("{} = {}", code(&decider.wire), code(&value.name.wire));
        let variant = |name: &str, docs: &str, payload: &TokenStream| {
            let (mut about, variant) = (Docs::default(), ident(name));
            about.markdown(docs);
            let about = about.outer();
            quote!(#about #variant #payload,)
        };
        let alone = case.is_optional().then(|| {
            let docs = format!("{meaning}: {}", escape(&value.doc));
            variant(&value.name.rust, &docs, &TokenStream::new())
        });
        let with = case.variant_with(value).map(|name| {
            let payload = ident(&case_name(choice, value));
            let docs = match case.is_optional() {
                true => format!("{meaning}, with parameters that can be left out."),
                false => format!("{meaning}: {}", escape(&value.doc)),
            };
            variant(&name, &docs, &quote!((#payload)))
        });
        quote!(#alone #with)
    });
    quote! {
        #docs
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum #name {
            #(#variants)*
        }
    }
}

/// Constructors for each case, and the function that returns the deciding value.
fn value_inherent(scope: &Scope<'_>, choice: &Choice, enum_index: usize, cases: &Cases<'_>) -> TokenStream {
    let name = ident(&choice.name.rust);
    let deciding = scope.named(&scope.family.enums[enum_index].name.rust);
    let makers = cases.iter().filter(|(_, case)| !case.parameters.is_empty()).map(|(value, case)| {
        let payload = ident(&case_name(choice, value));
        let value = &value.name;
        let maker = ident(&value.function().unwrap_or_default());
        let required: Vec<_> = case.parameters.iter().filter(|parameter| parameter.is_required()).collect();
        let arguments = required.iter().map(|parameter| {
            let (field, ty) = (ident(&parameter.name.rust), parameters::argument_type(scope, parameter));
            quote!(#field: #ty)
        });
        let names = required.iter().map(|parameter| ident(&parameter.name.rust));
        let mut docs = Docs::default();
        docs.markdown(&format!("The parameters that go with {}; they convert into [`{name}`].", code(&value.wire)));
        let docs = docs.outer();
        quote! {
            #docs
            pub fn #maker(#(#arguments),*) -> #payload {
                #payload::new(#(#names),*)
            }
        }
    });
    let members = choice.distinct_wires();
    let arms = cases.iter().map(|(value, case)| {
        let alone = case.is_optional().then(|| ident(&value.name.rust));
        let with = case.variant_with(value).map(|variant| ident(&variant));
        let patterns =
            alone.iter().map(|alone| quote!(Self::#alone)).chain(with.iter().map(|with| quote!(Self::#with(_))));
        let value = ident(&value.name.rust);
        quote!(#(#patterns)|* => #deciding::#value,)
    });
    quote! {
        impl #name {
            /// The parameters it stands for.
            pub const MEMBERS: &'static [&'static str] = &[#(#members),*];

            #(#makers)*

            /// The value of the deciding parameter.
            pub fn kind(&self) -> #deciding {
                match self {
                    #(#arms)*
                }
            }
        }
    }
}

fn value_parameters(
    scope: &Scope<'_>,
    choice: &Choice,
    decider: &Name,
    enum_index: usize,
    cases: &Cases<'_>,
) -> TokenStream {
    let name = ident(&choice.name.rust);
    let deciding = scope.named(&scope.family.enums[enum_index].name.rust);
    let wire = &decider.wire;
    let alone: Vec<_> =
        cases.iter().filter(|(_, case)| case.is_optional()).map(|(value, _)| ident(&value.name.rust)).collect();
    let with: Vec<_> =
        cases.iter().filter_map(|(value, case)| case.variant_with(value)).map(|variant| ident(&variant)).collect();
    let rest = (!alone.is_empty()).then(|| quote!(#(Self::#alone)|* => {}));
    let to = if with.is_empty() { quote!(_to) } else { quote!(to) };
    let reads = cases.iter().map(|(value, case)| {
        let variant = ident(&value.name.rust);
        let read = match case.parameters.is_empty() {
            true => quote!(Some(Self::#variant)),
            false => {
                let payload = ident(&case_name(choice, value));
                quote!(<#payload as runtime::parameters::Parameters>::read(from).map(Into::into))
            }
        };
        quote!(#deciding::#variant => #read,)
    });
    quote! {
        impl runtime::emitted::ParameterValue for #name {
            type Kind = runtime::emitted::kinds::Choice;
        }

        impl runtime::parameters::Parameters for #name {
            fn write(&self, out: &mut runtime::parameters::ParameterWriter) {
                out.text(name!(#wire), &self.kind());
                match self {
                    #(Self::#with(with) => runtime::parameters::Parameters::write(with, out),)*
                    #rest
                }
            }

            fn read(from: &mut runtime::parameters::ParameterReader<'_>) -> Option<Self> {
                match from.decide::<#deciding>(#wire, Self::MEMBERS)? {
                    #(#reads)*
                    #deciding::Unknown(_) => None,
                }
            }

            fn check(&self, #to: &mut runtime::checks::Checks<'_>) {
                match self {
                    #(Self::#with(with) => runtime::parameters::Parameters::check(with, to),)*
                    #rest
                }
            }
        }
    }
}

fn payload(scope: &Scope<'_>, choice: &Choice, decider: &Name, value: &EnumValue, case: &Case) -> Vec<Item> {
    let rust = case_name(choice, value);
    let mut docs = Docs::default();
    docs.markdown(&format!("What goes with {} = {}.", code(&decider.wire), code(&value.name.wire)));
    let mut items = Set::new(&rust, docs, &case.parameters).emit(scope);
    let (name, payload) = (ident(&choice.name.rust), ident(&rust));
    let variant = case.variant_with(value).map(|variant| ident(&variant));
    let converted = match case.is_optional() {
        true => {
            let alone = ident(&value.name.rust);
            quote!(if with == #payload::new() { Self::#alone } else { Self::#variant(with) })
        }
        false => quote!(Self::#variant(with)),
    };
    items.push(Item::Code(quote! {
        impl From<#payload> for #name {
            fn from(with: #payload) -> Self {
                #converted
            }
        }
    }));
    items
}
