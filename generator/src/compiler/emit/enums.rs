//! The types of `types.yaml`: enums, open in answers and strict in requests, identifiers, and choices as enums of
//! parameters of which only certain combinations are allowed.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use syn::{Attribute, Variant, parse_quote};

use super::code::{File, Item, alternative, gate, ident, optional_text};
use super::docs::{Docs, code, escape};
use super::parameters::{self, Set};
use super::scope::Scope;
use super::{codes, declarations, lifecycle, module_name, trees};
use crate::compiler::emit::Layout;
use crate::compiler::model::{
    Api, Case, Choice, ChoiceKind, Decided, Enum, EnumValue, Family, Form, Identifier, InstrumentNames, Name,
    Parameter, Pattern, PropertyKind, Type, phrases,
};

/// Returns `enums.rs` of a family.
pub(super) fn emit(api: &Api, family: &Family, layout: Layout) -> File {
    let mut items = vec![Item::Imports(Vec::new())];
    for (index, all) in family.enums.iter().enumerate() {
        items.extend(enumeration(all, docs_of(family, all)));
        items.extend(conversions(api, family, layout, all).into_iter().map(Item::Code));
        items.extend(line_of(family, index).map(|of| Item::Code(instrument_line(all, of))));
    }
    File::new(Docs::new(&format!("Values of the {} operations.", family.title), "").inner(), items)
}

/// Returns `errors.rs`: the codes as an enum, and what each proves.
pub(super) fn emit_errors(family: &Family) -> File {
    let values = family.errors.iter().map(|error| {
        let name = Name { wire: error.code.clone(), rust: error.rust.clone(), place: error.place };
        let doc = match error.doc.as_str() {
            "" => error.text.clone(),
            doc => format!("{}. {doc}", error.text.trim_end_matches('.')),
        };
        EnumValue::new(name, doc)
    });
    let codes = Enum {
        name: Name { wire: "ErrorCode".to_owned(), rust: "ErrorCode".to_owned(), place: family.place },
        doc: "The code of an answer: of a refusal, or of a success.".to_owned(),
        values: values.collect(),
        truth: None,
        truth_places: Vec::new(),
        counterpart: None,
    };
    let mut items = vec![Item::Imports(Vec::new())];
    items.extend(enumeration(&codes, Docs::new(&codes.doc, "")));
    items.push(error_table(family));
    File::new(Docs::new(&format!("Codes of the {} operations.", family.title), "").inner(), items)
}

fn error_table(family: &Family) -> Item {
    let rows = family.errors.iter().map(|error| {
        let success = if error.success { " and success" } else { "" };
        codes::row(&error.code, "", &error.proof, success, [&error.text, &error.doc])
    });
    codes::table(
        "Every documented code, and what it proves about the request that it answers.",
        "ERRORS",
        "documented",
        rows,
    )
}

/// Returns the description of an enum; for the states of a lifecycle, also how they follow each other.
fn docs_of(family: &Family, all: &Enum) -> Docs {
    let mut docs = Docs::new(&all.doc, &all.name.wire);
    docs.documented(&all.keys());
    if let Some(lifecycle) = family.lifecycle.as_ref().filter(|one| one.states_of(family).name == all.name) {
        docs.heading("Lifecycle");
        lifecycle::add(&mut docs, family, lifecycle);
    }
    docs
}

fn enumeration(all: &Enum, docs: Docs) -> Vec<Item> {
    let attributes = docs.outer().into_iter().collect();
    let definition = declarations::enumeration(attributes, ident(&all.name.rust), all.values.iter().map(variant));
    let truth = truth(all).map(Item::Code);
    std::iter::once(Item::declared_by("open_enum", vec![definition])).chain(truth).collect()
}

/// Returns the conversions from the enums that other families have under the same name, and from the property of the
/// account that the values show. The texts on the wire are the same, whatever the variants are called.
fn conversions(api: &Api, family: &Family, layout: Layout, all: &Enum) -> Vec<TokenStream> {
    let name = ident(&all.name.rust);
    let others = api
        .families
        .iter()
        .filter(|other| other.name != family.name && other.enums.iter().any(|one| one.name.rust == all.name.rust));
    let others = others.map(|other| {
        let (gate, module) = (gate(other, layout), ident(&module_name(&other.name)));
        (gate, quote!(super::super::#module::#name))
    });
    let properties = api.account.iter().flat_map(|account| &account.properties);
    let shown = properties.filter_map(|property| match &property.kind {
        PropertyKind::Words(words, _)
            if words.rust == all.name.rust || property.is_shown_as(&family.name, &all.name.wire) =>
        {
            let words = ident(&words.rust);
            Some((None, quote!(super::super::#words)))
        }
        _ => None,
    });
    let conversion = |(gate, other): (Option<TokenStream>, TokenStream)| {
        quote! {
            #gate
            runtime::same_texts!(#other => #name);
        }
    };
    others.chain(shown).map(conversion).collect()
}

/// Returns the family whose instruments have the values of an enum as business lines.
fn line_of(family: &Family, index: usize) -> Option<&str> {
    let is_of = |parameter: &Parameter| parameter.shape.single_enum() == Some(index);
    let is_line = |parameter: &Parameter, line: &str| parameter.name.wire == line && is_of(parameter);
    let is_named = |names: &InstrumentNames| family.all_parameters().any(|one| is_line(one, &names.line.0));
    let own = family.instrument.as_ref().filter(|names| is_named(names)).map(|_| family.name.as_str());
    own.or_else(|| {
        let listings = family.operations.iter().filter_map(|operation| {
            let listed = operation.listing.instruments.as_ref()?;
            operation.parameter(&listed.over).is_some_and(is_of).then_some(listed.of.text.as_str())
        });
        let mut of = listings.collect::<Vec<_>>();
        of.dedup();
        // An enum of several families' lines names none of them.
        of.pop().filter(|_| of.is_empty())
    })
}

fn instrument_line(all: &Enum, family: &str) -> TokenStream {
    let name = ident(&all.name.rust);
    quote! {
        impl runtime::account::InstrumentLine for #name {
            fn family(&self) -> &str {
                #family
            }

            fn line(&self) -> &str {
                self.as_str()
            }
        }
    }
}

fn variant(value: &EnumValue) -> Variant {
    let mut text = code(&value.name.wire);
    if !value.doc.is_empty() {
        text.push_str(": ");
        text.push_str(&escape(&value.doc));
    }
    let mut docs = Docs::default();
    docs.markdown(&text);
    docs.documented(&value.keys());
    let deprecation = declarations::deprecation(value.deprecated.as_ref());
    let attributes = docs.outer().into_iter().chain(deprecation).chain(declarations::dated(&value.dates)).collect();
    let also = value.also.iter().map(|(text, _)| trees::text(text));
    let wires = also.fold(trees::text(&value.name.wire), trees::or);
    declarations::variant(attributes, ident(&value.name.rust), wires)
}

/// Returns the conversion from `bool`, if the enum has truth values.
fn truth(all: &Enum) -> Option<TokenStream> {
    let name = ident(&all.name.rust);
    let (yes, no) = all.truth?;
    let (yes, no) = (ident(&all.values[yes].name.rust), ident(&all.values[no].name.rust));
    Some(quote! {
        impl From<bool> for #name {
            fn from(value: bool) -> Self {
                if value { Self::#yes } else { Self::#no }
            }
        }
    })
}

/// Returns `identifiers.rs` of a family.
pub(super) fn emit_identifiers(family: &Family) -> File {
    let mut items = vec![Item::Imports(Vec::new())];
    items.extend(
        family
            .identifiers
            .iter()
            .flat_map(|all| [Item::Text(identifier(all)), Item::Text(mint(all)), Item::Code(forms(all))]),
    );
    let what = format!("Names and numbers that identify things of the {} operations.", family.title);
    File::new(Docs::new(&what, "").inner(), items)
}

/// Returns a call of the runtime's macro, as text because formatters leave the arguments of macros alone.
fn identifier(all: &Identifier) -> String {
    let mut docs = Docs::new(&all.doc, &all.name.wire);
    docs.documented(&all.keys());
    let mut limits = Vec::new();
    if let Some((min, max)) = all.length {
        docs.prose(&format!("The text has {min} to {max} characters."));
        limits.push(format!("length: {min}..={max}"));
    }
    if let Some((alphabet, _)) = &all.alphabet {
        docs.markdown(&format!("The characters are those of {}.", code(&format!("[{alphabet}]"))));
        limits.push(format!("alphabet: {}", Literal::string(alphabet)));
    }
    let (comments, name) = (docs.comments("    "), ident(&all.name.rust));
    let limits = if limits.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", limits.join(", ")) };
    format!("runtime::identifier! {{\n{comments}    pub struct {name} {limits}\n}}\n")
}

/// Returns a call of the runtime's macro that makes new values.
fn mint(all: &Identifier) -> String {
    match all.mint {
        Some(_) => format!("runtime::mintable!({});\n", ident(&all.name.rust)),
        None => String::new(),
    }
}

/// Returns the function that tests for a form.
pub(super) fn form_function(form: &Form) -> String {
    format!("is_{}", form.name.bare())
}

fn forms(all: &Identifier) -> TokenStream {
    if all.forms.is_empty() {
        return TokenStream::new();
    }
    let name = ident(&all.name.rust);
    let functions = all.forms.iter().map(form);
    let respelled = respelled(all);
    quote!(impl #name { #(#functions)* #respelled })
}

/// Returns the function that tests for a form.
fn form(form: &Form) -> TokenStream {
    let function = ident(&form_function(form));
    let mut docs = Docs::default();
    docs.markdown(&format!(
        "Returns whether the identifier has the form {}, which identifies {}.",
        code(&form.pattern.text),
        code(&form.name.wire)
    ));
    let is_it = has_pattern(&form.pattern);
    let Some(Decided { also, by: (by, _) }) = &form.decided else {
        let docs = docs.outer();
        return quote! {
            #docs
            pub fn #function(&self) -> bool {
                #is_it
            }
        };
    };
    docs.markdown(&format!(
        "`None` for a text of the form {}: {} of the instrument decides whether that is one.",
        code(&also.text),
        code(by)
    ));
    let (docs, may_be) = (docs.outer(), has_pattern(also));
    quote! {
        #docs
        pub fn #function(&self) -> Option<bool> {
            if #is_it {
                return Some(true);
            }
            if #may_be { None } else { Some(false) }
        }
    }
}

/// Returns whether the text has a pattern.
fn has_pattern(Pattern { prefix, suffix, alphabet, text: _, place: _ }: &Pattern) -> TokenStream {
    let alphabet = optional_text(alphabet.as_deref());
    quote!(runtime::emitted::has_form(self.as_str(), #prefix, #alphabet, #suffix))
}

/// Returns the function that returns the other spelling of a text, by which an instrument may be listed.
fn respelled(all: &Identifier) -> Option<TokenStream> {
    if !all.is_respelled() {
        return None;
    }
    let affixes = |Pattern { prefix, suffix, .. }: &Pattern| quote!((#prefix, #suffix));
    let pairs = all.forms.iter().filter_map(|form| {
        let [one, other] = [affixes(&form.pattern), affixes(&form.decided.as_ref()?.also)];
        Some(quote!([#one, #other]))
    });
    Some(quote! {
        /// Returns the other spelling of a text of a form that is written in two ways.
        pub fn respelled(&self) -> Option<String> {
            runtime::emitted::respelled(self.as_str(), &[#(#pairs),*])
        }
    })
}

/// Returns `choices.rs` of a family.
pub(super) fn emit_choices(family: &Family) -> File {
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
        let docs = parameters::field(scope, parameter).outer();
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
