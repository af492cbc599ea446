//! Syntax trees of declarations that are emitted often: types, structs, enums and constructors, with their attributes.
//! They are trees for the reason that stands at [`trees`].

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{
    AngleBracketedGenericArguments, AttrStyle, Attribute, Block, Expr, Field, Fields, FieldsNamed, FieldsUnnamed,
    FnArg, GenericArgument, Generics, ImplItem, ImplItemFn, Item, ItemEnum, ItemImpl, ItemStruct, MacroDelimiter, Meta,
    MetaList, Pat, PatIdent, PatType, Path, PathArguments, PathSegment, ReturnType, Signature, Stmt, TraitBound, Type,
    TypeImplTrait, TypeParamBound, TypePath, TypeTuple, Variant, Visibility,
};

use super::code::deprecation_note;
use super::trees::{self, path_of};
use crate::compiler::model::{Dates, Deprecated, Placed};

/// Returns `path::Type`.
pub(super) fn ty(segments: &[&str]) -> Type {
    of_path(path_of(segments))
}

/// Returns a type that is in scope.
pub(super) fn named(name: Ident) -> Type {
    of_path(PathSegment::from(name).into())
}

/// Returns `path::Type<argument>`.
pub(super) fn of(segments: &[&str], argument: Type) -> Type {
    of_path(generic(segments, GenericArgument::Type(argument)))
}

/// Returns `path::Type<n>`.
pub(super) fn of_number(segments: &[&str], n: u64) -> Type {
    of_path(generic(segments, GenericArgument::Const(trees::number(n))))
}

/// Returns `()`.
pub(super) fn unit() -> Type {
    Type::Tuple(TypeTuple { attrs: Vec::new(), paren_token: Default::default(), elems: Default::default() })
}

/// Returns `impl Into<ty>`.
pub(super) fn into(ty: Type) -> Type {
    implementing(generic(&["Into"], GenericArgument::Type(ty)))
}

/// Returns `impl path`.
pub(super) fn implementing(path: Path) -> Type {
    let bound = TraitBound { paren_token: None, lifetimes: None, modifiers: Default::default(), maybe: None, path };
    Type::ImplTrait(TypeImplTrait {
        attrs: Vec::new(),
        impl_token: Default::default(),
        bounds: [TypeParamBound::Trait(bound)].into_iter().collect(),
    })
}

/// Returns the type with this path.
pub(super) fn of_path(path: Path) -> Type {
    Type::Path(TypePath { attrs: Vec::new(), qself: None, path })
}

fn generic(segments: &[&str], argument: GenericArgument) -> Path {
    let mut path = path_of(segments);
    if let Some(last) = path.segments.last_mut() {
        last.arguments = PathArguments::AngleBracketed(AngleBracketedGenericArguments {
            colon2_token: None,
            lt_token: Default::default(),
            args: [argument].into_iter().collect(),
            gt_token: Default::default(),
        });
    }
    path
}

/// Returns `#[name(arguments)]`.
pub(super) fn with_arguments(name: &str, tokens: TokenStream) -> Attribute {
    let delimiter = MacroDelimiter::Paren(Default::default());
    attribute(Meta::List(MetaList { path: path_of(&[name]), delimiter, tokens }))
}

/// Returns `#[name]`.
pub(super) fn marked(name: &str) -> Attribute {
    attribute(Meta::Path(path_of(&[name])))
}

fn attribute(meta: Meta) -> Attribute {
    Attribute { pound_token: Default::default(), style: AttrStyle::Outer, bracket_token: Default::default(), meta }
}

/// Returns the attribute that makes rustdoc find an item under other words.
pub(super) fn aliases(words: &[Placed]) -> Option<Attribute> {
    let words: Vec<_> = words.iter().map(|(word, _)| word).collect();
    (!words.is_empty()).then(|| with_arguments("doc", quote!(alias(#(#words),*))))
}

/// Returns the attribute that makes the compiler warn about uses of something deprecated.
pub(super) fn deprecation(deprecated: Option<&Deprecated>) -> Option<Attribute> {
    let note = deprecation_note(deprecated?);
    Some(with_arguments("deprecated", quote!(note = #note)))
}

/// Returns the attribute of a value that the exchange knows on some days only.
pub(super) fn dated(Dates { from, until, by: _ }: &Dates) -> Option<Attribute> {
    let [from, until] = [from, until].map(|end| end.map(|(day, _)| day.to_string()).unwrap_or_default());
    let has_dates = !(from.is_empty() && until.is_empty());
    has_dates.then(|| with_arguments("dates", quote!(from = #from, until = #until)))
}

/// Returns the attribute of a function with many arguments.
pub(super) fn many_arguments(count: usize) -> Option<Attribute> {
    let expect = quote!(clippy::too_many_arguments, reason = "the document requires them all");
    (count > 7).then(|| with_arguments("expect", expect))
}

/// Returns `pub struct name { fields }`.
pub(super) fn structure(attrs: Vec<Attribute>, ident: Ident, fields: impl Iterator<Item = Field>) -> Item {
    let fields = FieldsNamed { brace_token: Default::default(), named: fields.collect() };
    Item::Struct(ItemStruct {
        attrs,
        vis: public(),
        struct_token: Default::default(),
        ident,
        generics: Generics::default(),
        fields: Fields::Named(fields),
        semi_token: None,
    })
}

/// Returns `pub name: ty`.
pub(super) fn field(attrs: Vec<Attribute>, name: Ident, ty: Type) -> Field {
    Field {
        attrs,
        vis: public(),
        modifiers: Default::default(),
        ident: Some(name),
        colon_token: Some(Default::default()),
        ty,
        default: None,
    }
}

/// Returns `name: ty`, which only the module sees.
pub(super) fn private_field(attrs: Vec<Attribute>, name: Ident, ty: Type) -> Field {
    Field { vis: Visibility::Inherited, ..field(attrs, name, ty) }
}

/// Returns `pub enum name { variants }`.
pub(super) fn enumeration(attrs: Vec<Attribute>, ident: Ident, variants: impl Iterator<Item = Variant>) -> Item {
    Item::Enum(ItemEnum {
        attrs,
        vis: public(),
        enum_token: Default::default(),
        ident,
        generics: Generics::default(),
        brace_token: Default::default(),
        variants: variants.collect(),
    })
}

/// Returns `name = value`.
pub(super) fn variant(attrs: Vec<Attribute>, ident: Ident, value: Expr) -> Variant {
    Variant { attrs, ident, fields: Fields::Unit, discriminant: Some((Default::default(), value)) }
}

/// Returns `name`.
pub(super) fn alone(attrs: Vec<Attribute>, ident: Ident) -> Variant {
    Variant { attrs, ident, fields: Fields::Unit, discriminant: None }
}

/// Returns `name(ty)`.
pub(super) fn holding(attrs: Vec<Attribute>, ident: Ident, ty: Type) -> Variant {
    let field = Field {
        attrs: Vec::new(),
        vis: Visibility::Inherited,
        modifiers: Default::default(),
        ident: None,
        colon_token: None,
        ty,
        default: None,
    };
    let fields = FieldsUnnamed { paren_token: Default::default(), unnamed: [field].into_iter().collect() };
    Variant { attrs, ident, fields: Fields::Unnamed(fields), discriminant: None }
}

/// Returns `impl name { items }`.
pub(super) fn inherent(name: Ident, items: Vec<ImplItem>) -> Item {
    Item::Impl(ItemImpl {
        attrs: Vec::new(),
        modifiers: Default::default(),
        unsafety: None,
        impl_token: Default::default(),
        generics: Generics::default(),
        trait_: None,
        self_ty: Box::new(named(name)),
        brace_token: Default::default(),
        items,
    })
}

/// Returns `pub fn name(inputs) -> Self { stmts }`.
pub(super) fn maker(
    attrs: Vec<Attribute>,
    name: Ident,
    inputs: impl IntoIterator<Item = FnArg>,
    stmts: Vec<Stmt>,
) -> ImplItem {
    let sig = Signature {
        constness: None,
        asyncness: None,
        safety: Default::default(),
        abi: None,
        fn_token: Default::default(),
        ident: name,
        generics: Generics::default(),
        paren_token: Default::default(),
        inputs: inputs.into_iter().collect(),
        variadic: None,
        output: ReturnType::Type(Default::default(), Box::new(ty(&["Self"]))),
    };
    let block = Block { brace_token: Default::default(), stmts };
    ImplItem::Fn(ImplItemFn { attrs, vis: public(), modifiers: Default::default(), sig, block })
}

/// Returns `name: ty`.
pub(super) fn argument(ident: Ident, ty: Type) -> FnArg {
    let pat = PatIdent { attrs: Vec::new(), by_ref: None, mutability: None, ident, subpat: None };
    FnArg::Typed(PatType {
        attrs: Vec::new(),
        pat: Box::new(Pat::Ident(pat)),
        colon_token: Default::default(),
        ty: Box::new(ty),
    })
}

fn public() -> Visibility {
    Visibility::Public(Default::default())
}
