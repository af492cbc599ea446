//! The class of rate limits that a request belongs to.

use proc_macro2::TokenStream;
use quote::quote;

use super::conditions::Conditions;
use super::expression::Expression;
use super::scope::Scope;
use crate::model::{Class, Condition, Operation};

/// The function that returns the class, if the operation has limits by class and the request determines it.
///
/// Classes are tried in the order of the schema. A class is skipped if its condition names a parameter that the
/// operation lacks; only the caller knows whether it applies.
pub(super) fn limit_class<'a>(scope: &'a Scope<'a>, operation: &'a Operation) -> Option<TokenStream> {
    let parameters = operation.body.parameters();
    let has = |name: &str| parameters.iter().any(|parameter| parameter.name.wire == name);
    let is_known = |class: &&Class| class.when.iter().flat_map(Condition::names).all(has);
    let has_rows = |class: &&Class| operation.rates.iter().any(|rate| rate.class == class.name);
    let conditions = Conditions::of_account(scope, parameters);
    let classes: Vec<&Class> = scope.family.classes.iter().filter(has_rows).filter(is_known).collect();
    let answer = |class: &&'a Class| {
        let (name, is) = (&class.name, Expression::all(conditions.all_hold(&class.when)).tokens());
        quote!(if #is { return Some(#name); })
    };
    let answers = conditions.shared.bind(|| classes.iter().map(answer).collect());
    let asks_account = classes.iter().any(|class| class.when.iter().any(|condition| condition.property().is_some()));
    let account = if asks_account { quote!(account) } else { quote!(_account) };
    (!answers.is_empty()).then(|| {
        quote! {
            fn limit_class(&self, #account: &runtime::Account) -> Option<&'static str> {
                #answers
                None
            }
        }
    })
}
