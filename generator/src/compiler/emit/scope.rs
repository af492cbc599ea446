//! The names that a file of a family uses: those of types, and the fields of a request by the names on the wire, also
//! through choices.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::cell::RefCell;
use std::collections::BTreeSet;

use super::code::{Item, alternative, ident};
use super::conditions::Expression;
use super::declarations;
use crate::compiler::model::{Choice, ChoiceKind, Family, Field, Parameter, Shape, Type};
use crate::compiler::words::Times;

/// Returns the type of the runtime for values that not every API has.
pub(super) fn value_type(ty: Type) -> Option<&'static str> {
    match ty {
        Type::Json => Some("Json"),
        Type::Formatted(format) => Some(format.rust()),
        Type::Time(Times::Seconds) => Some("UnixSeconds"),
        Type::Time(Times::Microseconds) => Some("UnixMicros"),
        Type::Time(Times::Nanoseconds) => Some("UnixNanos"),
        Type::Time(Times::Iso8601) => Some("IsoTime"),
        Type::Time(Times::Milliseconds)
        | Type::String
        | Type::Decimal
        | Type::Scaled(_)
        | Type::Integer
        | Type::Signed
        | Type::Boolean(_)
        | Type::Enum(_)
        | Type::Identifier(_)
        | Type::Choice(_)
        | Type::Record(_)
        | Type::Undefined => None,
    }
}

/// Returns whether a time is a `Timestamp` in Rust, as times in milliseconds are.
pub(super) fn is_timestamp(shape: &Shape) -> bool {
    shape.element().is_none_or(|ty| value_type(ty).is_none())
}

/// Returns an expression that converts an optional time of this shape to an optional timestamp.
pub(super) fn as_timestamp(shape: &Shape, time: TokenStream) -> TokenStream {
    if is_timestamp(shape) { time } else { quote!(#time.map(runtime::Timestamp::from)) }
}

fn of_runtime(name: &str) -> syn::Type {
    declarations::ty(&["runtime", name])
}

/// The family of a file, and the names of the family that the file uses.
pub(super) struct Scope<'a> {
    pub(super) family: &'a Family,
    used: RefCell<BTreeSet<String>>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(family: &'a Family) -> Self {
        Self { family, used: RefCell::default() }
    }

    /// Returns a type of the family, which the file will import.
    pub(super) fn named(&self, rust: &str) -> Ident {
        if !self.used.borrow().contains(rust) {
            self.used.borrow_mut().insert(rust.to_owned());
        }
        ident(rust)
    }

    /// Returns a Rust type.
    pub(super) fn ty(&self, ty: Type) -> syn::Type {
        match ty {
            Type::String | Type::Undefined => declarations::ty(&["String"]),
            Type::Decimal => of_runtime("Decimal"),
            Type::Scaled(scale) => declarations::of_number(&["runtime", "Scaled"], scale.into()),
            Type::Integer => declarations::ty(&["u64"]),
            Type::Boolean(_) => declarations::ty(&["bool"]),
            Type::Signed => declarations::ty(&["i64"]),
            Type::Json | Type::Formatted(_) | Type::Time(_) => of_runtime(value_type(ty).unwrap_or("Timestamp")),
            Type::Enum(_) | Type::Identifier(_) | Type::Choice(_) | Type::Record(_) => {
                declarations::named(self.named(self.family.type_rust(ty)))
            }
        }
    }

    /// Returns whether the argument for a parameter can be of another type that converts into it.
    pub(super) fn converts(&self, parameter: &Parameter) -> bool {
        if parameter.is_edit() {
            return true;
        }
        match parameter.shape {
            Shape::One(Type::String | Type::Decimal | Type::Scaled(_) | Type::Time(_) | Type::Choice(_)) => true,
            Shape::One(Type::Identifier(index)) => !self.family.identifiers[index].is_constrained(),
            Shape::One(Type::Enum(index)) => self.family.enums[index].truth.is_some(),
            Shape::One(
                Type::Integer
                | Type::Signed
                | Type::Boolean(_)
                | Type::Formatted(_)
                | Type::Json
                | Type::Record(_)
                | Type::Undefined,
            )
            | Shape::List(_)
            | Shape::Map(_)
            | Shape::Items(_)
            | Shape::Object(_) => false,
        }
    }

    /// Returns the type of a single value of a parameter, optional or not.
    pub(super) fn parameter_type(&self, parameter: &Parameter) -> syn::Type {
        match &parameter.shape {
            Shape::One(ty) => self.ty(*ty),
            Shape::List(ty) => declarations::of(&["Vec"], self.ty(*ty)),
            Shape::Items(item) => declarations::of(&["Vec"], declarations::ty(&[&item.rust])),
            Shape::Object(object) => declarations::ty(&[&object.rust]),
            Shape::Map(ty) => declarations::of(&["runtime", "parameters", "Entries"], self.ty(*ty)),
        }
    }

    /// Returns the type of a field of a record: a value that the exchange leaves out is `None`, or an empty list.
    pub(super) fn field_type(&self, field: &Field) -> syn::Type {
        match field.shape {
            Shape::List(ty) => declarations::of(&["runtime", "List"], self.ty(ty)),
            Shape::One(ty) => declarations::of(&["Option"], self.ty(ty)),
            Shape::Map(ty) => declarations::of(&["runtime", "Map"], self.ty(ty)),
            Shape::Items(_) | Shape::Object(_) => declarations::unit(),
        }
    }

    /// Returns the imports of the file, except the names that it defines itself.
    pub(super) fn imports(&self, defined: &[&str]) -> Item {
        let used = self.used.borrow();
        Item::Imports(used.iter().filter(|name| !defined.contains(&name.as_str())).cloned().collect())
    }
}

/// The parameters of one set, whose fields belong to `base`.
pub(super) struct Lookup<'a> {
    pub(super) scope: &'a Scope<'a>,
    pub(super) parameters: &'a [Parameter],
    /// The owner of the fields: `self`, or one of several items.
    pub(super) base: TokenStream,
}

/// The position of a wire name in the types of a set.
pub(super) enum Target<'a> {
    Plain(&'a Parameter),
    /// One of the alternatives of a choice.
    Alternative(&'a Parameter, &'a Choice, &'a Parameter),
    /// The parameter that decides a choice.
    Decider(&'a Parameter, usize),
    /// A parameter that goes with some values of the deciding one.
    Member(Member<'a>),
}

/// A parameter that goes with some values of a deciding one.
pub(super) struct Member<'a> {
    outer: &'a Parameter,
    choice: &'a Choice,
    wire: &'a str,
}

/// The text of a parameter.
pub(super) enum Text {
    /// A `&str`.
    Always(TokenStream),
    /// An `Option<&str>`.
    Sometimes(TokenStream),
}

impl Text {
    /// Returns an `Option<&str>` in either case.
    pub(super) fn optional(self) -> TokenStream {
        match self {
            Self::Always(text) => quote!(Some(#text)),
            Self::Sometimes(text) => text,
        }
    }
}

impl<'a> Member<'a> {
    /// Returns the shape of its values.
    pub(super) fn shape(&self) -> Option<&'a Shape> {
        self.choice.members().into_iter().find(|member| member.name.wire == self.wire).map(|member| &member.shape)
    }
}

impl<'a> Lookup<'a> {
    pub(super) fn find(&self, wire: &'a str) -> Option<Target<'a>> {
        self.parameters.iter().find_map(|parameter| match self.scope.family.choice_of(parameter) {
            Some(choice) => find_in_choice(parameter, choice, wire),
            None => (parameter.name.wire == wire).then_some(Target::Plain(parameter)),
        })
    }

    /// Returns the field of a parameter.
    pub(super) fn field(&self, parameter: &Parameter) -> TokenStream {
        let (base, field) = (&self.base, ident(&parameter.name.rust));
        quote!(#base.#field)
    }

    pub(super) fn is_given(&self, wire: &'a str) -> Expression {
        match self.find(wire) {
            Some(Target::Plain(parameter)) => self.plain_is_given(parameter),
            Some(Target::Alternative(outer, choice, inner)) => {
                let (name, variant) = (self.scope.named(&choice.name.rust), ident(&alternative(inner)));
                self.matches(outer, &quote!(#name::#variant(_)), None)
            }
            Some(Target::Decider(outer, _)) => self.plain_is_given(outer),
            Some(Target::Member(member)) => self.member_is_given(&member),
            None => Expression::Known(false),
        }
    }

    fn plain_is_given(&self, parameter: &Parameter) -> Expression {
        let field = self.field(parameter);
        if parameter.is_required() {
            Expression::Known(true)
        } else if parameter.is_edit() {
            Expression::Equals(field, quote!(runtime::Edit::Keep)).not()
        } else {
            Expression::IsSome(field)
        }
    }

    /// Returns the expression that a member is given: a required one is whenever its case is, any other may be left
    /// out.
    fn member_is_given(&self, member: &Member<'a>) -> Expression {
        let parts = self.cases(member).map(|(pattern, inner)| {
            if inner.is_required() {
                return self.matches(member.outer, &quote!(#pattern(_)), None);
            }
            let field = ident(&inner.name.rust);
            self.matches(member.outer, &quote!(#pattern(ref with)), Some(quote!(with.#field.is_some())))
        });
        Expression::any(parts.collect())
    }

    /// Returns whether a member has a value that `is` accepts; `is` receives the place of the member.
    pub(super) fn member_is(
        &self,
        member: &Member<'a>,
        is: impl Fn(&TokenStream, &Parameter) -> Expression,
    ) -> Expression {
        let parts = self.cases(member).map(|(pattern, inner)| {
            let is = is(&quote!(with), inner).tokens();
            self.matches(member.outer, &quote!(#pattern(ref with)), Some(is))
        });
        Expression::any(parts.collect())
    }

    /// Returns the cases with the member: the variant, and the parameter in it.
    fn cases(&self, member: &Member<'a>) -> impl Iterator<Item = (TokenStream, &'a Parameter)> {
        let Member { choice, wire, .. } = *member;
        let name = self.scope.named(&choice.name.rust);
        choice.cases(self.scope.family).filter_map(move |(value, case)| {
            let inner = case.parameters.iter().find(|parameter| parameter.name.wire == wire)?;
            let variant = ident(&case.variant_with(value)?);
            Some((quote!(#name::#variant), inner))
        })
    }

    /// Returns the value of a parameter as an `Option` of a reference.
    pub(super) fn value(&self, wire: &'a str) -> TokenStream {
        match self.find(wire) {
            Some(Target::Plain(parameter)) => value_of(&self.base, parameter),
            Some(Target::Alternative(outer, choice, inner)) => {
                let (name, variant) = (self.scope.named(&choice.name.rust), ident(&alternative(inner)));
                let (field, pattern) = (self.field(outer), through_option(outer, &quote!(#name::#variant(value))));
                quote!(match &#field { #pattern => Some(value), _ => None })
            }
            Some(Target::Member(member)) => {
                let field = self.field(member.outer);
                let arms: Vec<_> = self
                    .cases(&member)
                    .map(|(pattern, inner)| {
                        let value = value_of(&quote!(with), inner);
                        let pattern = through_option(member.outer, &quote!(#pattern(with)));
                        quote!(#pattern => #value,)
                    })
                    .collect();
                let cases = || member.choice.cases(self.scope.family);
                let is_alone = cases().any(|(_, case)| case.is_optional());
                let has_others = is_alone || arms.len() < cases().count() || !member.outer.is_required();
                let others = has_others.then(|| quote!(_ => None,));
                quote!(match &#field { #(#arms)* #others })
            }
            Some(Target::Decider(..)) | None => quote!(None),
        }
    }

    /// Returns the value of a parameter as text; `None` if its values have no text.
    pub(super) fn text(&self, wire: &'a str) -> Option<Text> {
        match self.find(wire)? {
            Target::Plain(parameter) => {
                let field = self.field(parameter);
                let ty = parameter.shape.single().filter(|ty| ty.is_text() || ty.is_enum())?;
                Some(match (parameter.is_required(), ty) {
                    (true, _) => Text::Always(quote!(#field.as_str())),
                    (false, Type::String) => Text::Sometimes(quote!(#field.as_deref())),
                    (false, _) => Text::Sometimes(quote!(#field.as_ref().map(|value| value.as_str()))),
                })
            }
            Target::Alternative(outer, choice, inner) => {
                let (name, variant) = (self.scope.named(&choice.name.rust), ident(&alternative(inner)));
                let (field, pattern) = (self.field(outer), through_option(outer, &quote!(#name::#variant(value))));
                Some(Text::Sometimes(quote!(match &#field { #pattern => Some(value.as_str()), _ => None })))
            }
            Target::Decider(..) | Target::Member(_) => None,
        }
    }

    /// Returns `matches!` for a parameter, also for an optional one.
    fn matches(&self, parameter: &Parameter, pattern: &TokenStream, guard: Option<TokenStream>) -> Expression {
        let (field, pattern) = (self.field(parameter), through_option(parameter, pattern));
        let guard = guard.map(|guard| quote!(if #guard));
        Expression::Atom(quote!(matches!(#field, #pattern #guard)))
    }
}

/// Returns the value of a field of `base` as an `Option` of a reference.
fn value_of(base: &TokenStream, parameter: &Parameter) -> TokenStream {
    let field = ident(&parameter.name.rust);
    if parameter.is_required() {
        quote!(Some(&#base.#field))
    } else if parameter.is_edit() {
        quote!(#base.#field.value())
    } else {
        quote!(#base.#field.as_ref())
    }
}

fn find_in_choice<'a>(outer: &'a Parameter, choice: &'a Choice, wire: &'a str) -> Option<Target<'a>> {
    match &choice.kind {
        ChoiceKind::Presence { alternatives, .. } => alternatives
            .iter()
            .find(|parameter| parameter.name.wire == wire)
            .map(|inner| Target::Alternative(outer, choice, inner)),
        ChoiceKind::Value { decider, enum_index, .. } if decider.wire == wire => {
            Some(Target::Decider(outer, *enum_index))
        }
        ChoiceKind::Value { .. } => {
            let is_member = choice.members().iter().any(|member| member.name.wire == wire);
            is_member.then_some(Target::Member(Member { outer, choice, wire }))
        }
    }
}

fn through_option(parameter: &Parameter, pattern: &TokenStream) -> TokenStream {
    if parameter.is_required() { pattern.clone() } else { quote!(Some(#pattern)) }
}
