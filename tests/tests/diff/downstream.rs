//! Generated code that uses every public item of an emitted crate by its exact type.
//!
//! It is generated from the emitted files alone, independently of `diff`.

use std::collections::{BTreeMap, BTreeSet};

use quote::{ToTokens, format_ident, quote};
use syn::parse::ParseStream;

/// Uses of a crate's items by module; the root has the empty name.
pub(crate) type Uses = BTreeMap<String, BTreeSet<String>>;

/// Returns the uses of all items in these files.
///
/// Blocking functions are left out, because the macros declare them by the same rows as the async ones.
pub(crate) fn uses(files: &BTreeMap<String, String>) -> Uses {
    let mut all = Uses::new();
    for (name, text) in files {
        let module = name.split_once('/').map_or("", |(folder, _)| folder);
        let file = syn::parse_file(text).unwrap();
        all.entry(module.to_owned()).or_default().extend(file.items.iter().flat_map(item));
    }
    all
}

/// Returns the uses as a module of the crate.
pub(crate) fn module(uses: &Uses) -> String {
    let mut text = "#![allow(warnings)]\n".to_owned();
    for (module, uses) in uses {
        let (name, path) = match module.as_str() {
            "" => ("root".to_owned(), "crate".to_owned()),
            module => (module.to_owned(), format!("crate::{module}")),
        };
        let head = format!(
            "mod {name} {{\nuse {path}::*;\nuse std::ops::Deref;\nuse tradeapi_runtime::{{self as runtime, tables}};\n"
        );
        text.push_str(&head);
        for (number, of) in uses.iter().enumerate() {
            text.push_str(&format!("const _: () = {{ {} }};\n", of.replace("USE", &format!("use_{number}"))));
        }
        text.push_str("}\n");
    }
    text
}

fn item(item: &syn::Item) -> Vec<String> {
    match item {
        syn::Item::Struct(item) if is_public(&item.vis) => structure(item),
        syn::Item::Enum(item) if is_public(&item.vis) => enumeration(item),
        syn::Item::Const(item) if is_public(&item.vis) => vec![value(&item.ident, &item.ty)],
        syn::Item::Static(item) if is_public(&item.vis) => {
            let (name, ty) = (&item.ident, &item.ty);
            vec![text(quote!(fn USE() { let _: &#ty = &#name; }))]
        }
        syn::Item::Use(item) if is_public(&item.vis) => reexport(&item.tree),
        syn::Item::Impl(item) => implementation(item),
        syn::Item::Macro(item) if item.mac.path.is_ident("macro_rules") => vec![macro_over_types(item)],
        syn::Item::Macro(item) => macro_call(&item.mac),
        _ => Vec::new(),
    }
}

/// Returns a use of a runtime type that the crate re-exports by name; re-exported groups do not depend on the schema.
fn reexport(tree: &syn::UseTree) -> Vec<String> {
    let syn::UseTree::Path(path) = tree else { return Vec::new() };
    match (path.ident.to_string().as_str(), &*path.tree) {
        ("tradeapi_runtime", syn::UseTree::Name(name)) => {
            vec![format!("fn USE(it: crate::{0}) -> runtime::{0} {{ it }}", name.ident)]
        }
        _ => Vec::new(),
    }
}

fn structure(item: &syn::ItemStruct) -> Vec<String> {
    let name = &item.ident;
    let generics = (!item.generics.params.is_empty()).then(|| quote!(<'_>));
    let fields = item.fields.iter().filter(|field| is_public(&field.vis));
    let reads = fields.map(|field| {
        let (field, ty) = (&field.ident, &field.ty);
        text(quote!(fn USE(it: &#name #generics) -> &#ty { &it.#field }))
    });
    derives(&item.attrs, quote!(#name #generics)).into_iter().chain(reads).collect()
}

fn enumeration(item: &syn::ItemEnum) -> Vec<String> {
    let name = &item.ident;
    let variants = item.variants.iter().flat_map(|variant| {
        let (variant, fields) = (&variant.ident, &variant.fields);
        match fields.iter().next() {
            None => [
                quote!(fn USE() -> #name { #name::#variant }),
                quote!(fn USE(it: &#name) -> bool { match it { #name::#variant => true, _ => false } }),
            ],
            Some(field) => [
                quote!(fn USE(with: #field) -> #name { #name::#variant(with) }),
                quote!(fn USE(it: #name) -> Option<#field> { match it { #name::#variant(with) => Some(with), _ => None } }),
            ],
        }
    });
    derives(&item.attrs, quote!(#name)).into_iter().chain(variants.map(text)).collect()
}

/// Uses of the derived traits of a type.
fn derives(attributes: &[syn::Attribute], ty: impl ToTokens) -> Vec<String> {
    let mut traits = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
        attribute
            .parse_nested_meta(|meta| {
                traits.push(match meta.path.to_token_stream().to_string().as_str() {
                    "Debug" => "std::fmt::Debug".to_owned(),
                    "Hash" => "std::hash::Hash".to_owned(),
                    "Clone" => "std::clone::Clone".to_owned(),
                    "Copy" => "std::marker::Copy".to_owned(),
                    "Default" => "std::default::Default".to_owned(),
                    name => format!("std::cmp::{name}"),
                });
                Ok(())
            })
            .unwrap();
    }
    traits.into_iter().map(|name| is(&name, &text(&ty))).collect()
}

fn is(of: &str, ty: &str) -> String {
    format!("fn USE(it: {ty}) -> impl {of} {{ it }}")
}

fn value(name: &syn::Ident, ty: &syn::Type) -> String {
    text(quote!(fn USE() { let _: #ty = #name; }))
}

fn implementation(item: &syn::ItemImpl) -> Vec<String> {
    let ty = text(&item.self_ty).replace("< 'a >", "<'_>");
    if let Some((path, _)) = &item.trait_ {
        let path = text(path);
        return std::iter::once(is(&path, &ty))
            .chain(item.items.iter().filter_map(|member| match member {
                syn::ImplItem::Type(answer) => {
                    let answer_type = text(&answer.ty);
                    Some(format!("fn USE(it: <{ty} as {path}>::{}) -> {answer_type} {{ it }}", answer.ident))
                }
                _ => None,
            }))
            .collect();
    }
    let members = item.items.iter().filter_map(|member| match member {
        syn::ImplItem::Fn(function) if is_public(&function.vis) => Some(call(&ty, &function.sig)),
        syn::ImplItem::Const(constant) if is_public(&constant.vis) => {
            let (name, of) = (&constant.ident, text(&constant.ty).replace("Self", &ty));
            Some(format!("fn USE() {{ let _: {of} = <{ty}>::{name}; }}"))
        }
        _ => None,
    });
    members.collect()
}

/// Returns a function with the same signature that calls it.
fn call(ty: &str, signature: &syn::Signature) -> String {
    let names: Vec<_> = (0..signature.inputs.len()).map(|index| format_ident!("a{index}")).collect();
    let arguments = signature.inputs.iter().zip(&names).map(|(input, name)| match input {
        syn::FnArg::Receiver(receiver) if text(receiver).starts_with('&') => {
            // The lifetime, if it has a name.
            let lifetime = if text(receiver).starts_with("& 'a") { quote!(&'a Self) } else { quote!(&Self) };
            quote!(#name: #lifetime)
        }
        syn::FnArg::Receiver(_) => quote!(#name: Self),
        syn::FnArg::Typed(typed) => {
            let ty = &typed.ty;
            quote!(#name: #ty)
        }
    });
    let syn::Signature { asyncness, generics, output, ident, .. } = signature;
    let (bounds, wait) = (&generics.where_clause, asyncness.is_some().then(|| quote!(.await)));
    let body = quote!(<Self>::#ident(#(#names),*) #wait);
    text(quote!(#asyncness fn USE #generics(#(#arguments),*) #output #bounds { #body })).replace("Self", ty)
}

fn macro_over_types(item: &syn::ItemMacro) -> String {
    let name = &item.ident;
    text(quote! {
        macro_rules! each { ($($ty:ty),*) => { $(let _ = <$ty as runtime::Operation>::META;)* } }
        fn USE() { crate::#name!(each); }
    })
}

/// Uses of what the runtime's macros declare for a type.
fn macro_call(call: &syn::Macro) -> Vec<String> {
    let name = text(&call.path).replace(' ', "");
    let tokens: Vec<_> = call.tokens.clone().into_iter().collect();
    match (name.as_str(), tokens.as_slice()) {
        ("runtime::identifier", [.., ty, constraints]) => identifier(&ty.to_string(), &constraints.to_string()),
        ("runtime::mintable", [ty]) => vec![format!("fn USE() -> {ty} {{ {ty}::mint() }}")],
        ("runtime::open_enum", _) => open_enum(call.parse_body().unwrap()),
        ("runtime::record", _) => record(call.parse_body().unwrap()),
        ("runtime::parameters", _) => {
            call.parse_body::<syn::File>().unwrap().items.into_iter().flat_map(parameters).collect()
        }
        ("runtime::one_of_records", _) => one_of_records(call.parse_body().unwrap()),
        ("runtime::one_of", _) => one_of(call.parse_body().unwrap()),
        ("runtime::by_value", _) => {
            call.parse_body::<syn::File>().unwrap().items.into_iter().flat_map(by_value).collect()
        }
        ("runtime::operations", _) => call.parse_body_with(operations).unwrap(),
        ("runtime::client", _) => call.parse_body_with(client).unwrap(),
        _ => Vec::new(),
    }
}

/// Uses of a set of parameters, with its setters, or of the functions that stand beside it.
fn parameters(within: syn::Item) -> Vec<String> {
    let syn::Item::Struct(mut set) = within else { return item(&within) };
    set.attrs.push(syn::parse_quote!(#[derive(Clone, PartialEq)]));
    let setters = set.fields.iter().filter_map(|field| setter(&set.ident, field));
    structure(&set).into_iter().chain(setters).collect()
}

/// Returns a use of the setter of a parameter that may be left out.
fn setter(set: &syn::Ident, field: &syn::Field) -> Option<String> {
    let syn::Type::Path(path) = &field.ty else { return None };
    let last = path.path.segments.last()?;
    let syn::PathArguments::AngleBracketed(of) = &last.arguments else { return None };
    let (of, name) = (&of.args, &field.ident);
    let wire = field.attrs.iter().find(|attribute| attribute.path().is_ident("wire"))?.to_token_stream().to_string();
    let from = wire.split("from impl ").nth(1).and_then(|rest| rest.split([',', ' ', ')', ']']).next());
    let ty = match (last.ident.to_string().as_str(), from) {
        ("Option", None) => quote!(#of),
        ("Option", Some("Into")) => quote!(impl Into<#of>),
        ("Option", Some("IntoDecimal")) => quote!(impl runtime::value::IntoDecimal),
        ("Edit", Some("Into")) => quote!(impl Into<runtime::Edit<#of>>),
        ("Edit", Some("IntoEdit")) => quote!(impl runtime::value::IntoEdit),
        _ => return None,
    };
    Some(text(quote!(fn USE(it: #set, value: #ty) -> #set { it.#name(value) })))
}

/// Uses of a choice by presence.
fn one_of(mut item: syn::ItemEnum) -> Vec<String> {
    item.attrs.push(syn::parse_quote!(#[derive(Clone, Debug, PartialEq)]));
    let name = &item.ident;
    let from = item.variants.iter().filter(|variant| {
        variant.attrs.iter().any(|attribute| attribute.to_token_stream().to_string().contains("impl From"))
    });
    let from = from.flat_map(|variant| variant.fields.iter().map(|field| field.ty.to_token_stream()));
    let from = from.map(|ty| text(quote!(fn USE(it: #ty) -> #name { #name::from(it) })));
    enumeration(&item).into_iter().chain(from).collect()
}

/// Uses of a record that is one of several.
fn one_of_records(mut item: syn::ItemEnum) -> Vec<String> {
    item.attrs.push(syn::parse_quote!(#[derive(Clone, Debug, PartialEq)]));
    let name = item.ident.clone();
    let from = item.variants.iter().map(|variant| {
        let boxed = variant.fields.iter().next().unwrap().ty.to_token_stream();
        text(quote!(fn USE(it: #boxed) -> #name { #name::from(*it) }))
    });
    let unknown = text(quote!(fn USE(it: #name) -> bool { match it { #name::Unknown(_) => true, _ => false } }));
    let own: Vec<_> = from.chain([unknown, is("runtime::json::Decode", &name.to_string())]).collect();
    enumeration(&item).into_iter().chain(own).collect()
}

/// Uses of a choice by value, or of the functions that stand beside it.
fn by_value(within: syn::Item) -> Vec<String> {
    let syn::Item::Enum(mut choice) = within else { return item(&within) };
    let wire = choice.attrs.iter().find(|attribute| attribute.path().is_ident("wire")).unwrap();
    let decider = wire.to_token_stream().to_string();
    let decider: syn::Ident =
        syn::parse_str(decider.split(" of ").nth(1).unwrap().split([' ', ',', ')']).next().unwrap()).unwrap();
    choice.attrs.push(syn::parse_quote!(#[derive(Clone, Debug, PartialEq)]));
    let name = &choice.ident;
    let functions: syn::ItemImpl = syn::parse_quote! {
        impl #name {
            pub const MEMBERS: &'static [&'static str] = &[];
            pub fn kind(&self) -> #decider {}
        }
    };
    let from = choice.variants.iter().flat_map(|variant| variant.fields.iter().map(|field| field.ty.to_token_stream()));
    let from = from.map(|ty| text(quote!(fn USE(it: #ty) -> #name { #name::from(it) })));
    enumeration(&choice).into_iter().chain(implementation(&functions)).chain(from).collect()
}

fn open_enum(mut item: syn::ItemEnum) -> Vec<String> {
    item.attrs.push(syn::parse_quote!(#[derive(Clone, Debug, PartialEq, Eq, Hash)]));
    item.variants.push(syn::parse_quote!(Unknown(runtime::value::UnknownValue)));
    let name = &item.ident;
    let functions: syn::ItemImpl = syn::parse_quote! {
        impl #name {
            pub const ALL: &'static [Self] = &[];
            pub fn as_str(&self) -> &str {}
        }
    };
    let traits =
        ["std::fmt::Display", "std::str::FromStr", "runtime::value::OpenEnum"].map(|of| is(of, &name.to_string()));
    enumeration(&item).into_iter().chain(implementation(&functions)).chain(traits).collect()
}

fn record(mut item: syn::ItemStruct) -> Vec<String> {
    item.attrs.push(syn::parse_quote!(#[derive(Clone, Debug, Default, PartialEq)]));
    structure(&item).into_iter().chain([is("runtime::emitted::Record", &item.ident.to_string())]).collect()
}

/// Returns the type of a family, with a function for each row. The probe of credentials does not depend on the request.
fn operations(input: ParseStream<'_>) -> syn::Result<Vec<String>> {
    let family: syn::ItemStruct = input.parse()?;
    let ty = format!("{}<'_>", family.ident);
    let mut uses: Vec<_> = ["std::clone::Clone", "std::marker::Copy", "std::fmt::Debug"].map(|of| is(of, &ty)).into();
    while !input.is_empty() {
        input.call(syn::Attribute::parse_outer)?;
        let signature: syn::Signature = if input.peek(syn::Token![let]) {
            input.parse::<syn::Stmt>()?;
            syn::parse_quote!(async fn check_credentials(&self) -> Result<(), runtime::Error>)
        } else {
            input.parse::<syn::Token![fn]>()?;
            let (function, request): (syn::Ident, syn::TypeParen) = (input.parse()?, input.parse()?);
            input.parse::<syn::Token![->]>()?;
            let (request, response): (_, syn::Type) = (request.elem, input.parse()?);
            let mut reply: syn::Type = syn::parse_quote!(runtime::Reply<#response>);
            if input.parse::<Option<syn::Token![as]>>()?.is_some() {
                input.parse::<syn::Ident>()?;
                reply = syn::parse_quote!(runtime::batches::ItemsReply<#response>);
            }
            input.parse::<syn::Token![;]>()?;
            uses.push(is(
                &format!("runtime::client::Callable<Reply = {}>", text(quote!(#reply))),
                &text(quote!(#request)),
            ));
            syn::parse_quote!(async fn #function(&self, request: &#request) -> Result<#reply, runtime::Error>)
        };
        uses.push(call(&ty, &signature));
    }
    Ok(uses)
}

/// Returns the client, with a function for each family. The other functions do not depend on the schema.
fn client(input: ParseStream<'_>) -> syn::Result<Vec<String>> {
    for _table in ["API", "RECOVERIES", "LISTINGS", "FLATS", "INSTRUMENTS", "Instrument"] {
        input.parse::<syn::Ident>()?;
        let _: Option<syn::Token![,]> = input.parse()?;
    }
    input.parse::<syn::Token![;]>()?;
    let mut uses: Vec<_> = [
        "std::clone::Clone",
        "std::fmt::Debug",
        "std::convert::From<runtime::ClientCore>",
        "std::convert::AsRef<runtime::ClientCore>",
    ]
    .map(|of| is(of, "Client"))
    .into();
    while !input.is_empty() {
        input.call(syn::Attribute::parse_outer)?;
        let (family, _, ty, _): (syn::Ident, syn::Token![:], syn::Ident, syn::Token![;]) =
            (input.parse()?, input.parse()?, input.parse()?, input.parse()?);
        uses.push(call("Client", &syn::parse_quote!(fn #family(&self) -> #family::#ty<'_>)));
    }
    Ok(uses)
}

fn identifier(ty: &str, constraints: &str) -> Vec<String> {
    let mut uses: Vec<_> = ["Clone", "Eq", "Ord", "std::hash::Hash", "std::fmt::Display", "runtime::value::Identifier"]
        .map(|of| is(of, ty))
        .into();
    uses.push(format!("fn USE(text: &str) -> Result<{ty}, runtime::value::InvalidIdentifier> {{ {ty}::new(text) }}"));
    uses.push(format!("fn USE(it: &{ty}) -> &str {{ it.as_str() }}"));
    if constraints.contains(':') {
        uses.push(format!(
            "fn USE(text: &str) -> Result<{ty}, runtime::value::InvalidIdentifier> {{ {ty}::try_from(text) }}"
        ));
    } else {
        uses.push(format!("fn USE(text: &str) -> {ty} {{ {ty}::from(text) }}"));
        uses.push(format!("fn USE(text: String) -> {ty} {{ {ty}::from(text) }}"));
    }
    if constraints.contains("length") {
        uses.push(format!("fn USE() {{ let _: [usize; 2] = [{ty}::MIN_LENGTH, {ty}::MAX_LENGTH]; }}"));
    }
    uses
}

fn is_public(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
}

/// Returns tokens as code; `super` is the root for modules next to the uses.
fn text(tokens: impl ToTokens) -> String {
    tokens.to_token_stream().to_string().replace("super ::", "crate ::")
}
