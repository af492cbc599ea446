//! The listings that show an account, for comparisons with a journal, and the way it becomes flat.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::{gate, ident, optional, optional_text};
use super::{module_name, pages};
use crate::compiler::emit::Layout;
use crate::compiler::model::{
    Api, Family, Flat, FlatCancel, FlatClose, FlatReduce, FlatSide, FlatValue, Operation, Pair, Parameter, Placed,
    Reference, Response, Shown, Shows, Trade, TradeFees, TradePosition, TradeSides,
};

/// Returns all listings of an API that show a part of an account.
pub(super) fn listings(api: &Api, layout: Layout) -> TokenStream {
    let rows = api.operations().filter_map(|(family, operation)| {
        let (gate, listing) = (gate(family, layout), listing(family, operation)?);
        Some(quote!(#gate #listing))
    });
    quote! {
        /// The listings that [`Client::reconcile`] compares with the journal.
        static LISTINGS: &[runtime::reconcile::Listing] = &[#(#rows),*];
    }
}

/// Returns whether the record that confirms an operation shows the state of an order.
pub(super) fn is_of_an_order(family: &Family, operation: &Operation) -> bool {
    let record = operation.first_query(family).map(|(query, _)| &query.response);
    matches!(record, Some(Response::Object { record }) if has_state(family, *record))
}

fn has_state(family: &Family, record: usize) -> bool {
    family.lifecycle.iter().flat_map(|lifecycle| &lifecycle.records).any(|tracked| tracked.record == record)
}

fn listing(family: &Family, operation: &Operation) -> Option<TokenStream> {
    let (shows, record) = (operation.listing.shows.as_ref()?, operation.paged_record(family)?);
    let request = path(family, operation);
    let begin = match shows.what.0 {
        // The lifecycle may be missing from a selection of operations.
        Shown::OpenOrders | Shown::PastOrders if !pages::is_followed(operation) || !has_state(family, record) => {
            return None;
        }
        Shown::OpenOrders => quote!(open_orders::<#request>()),
        Shown::PastOrders => quote!(past_orders::<#request>()),
        // Of commands only.
        Shown::Positions => return None,
        Shown::Fills if !pages::is_followed(operation) => return None,
        Shown::Fills => {
            let fields = fill_fields(shows)?;
            quote!(fills::<#request>(#fields))
        }
    };
    let over = over(family, operation, shows);
    let cancel = cancel(family, shows);
    Some(quote!(runtime::reconcile::Listing::#begin #over #cancel))
}

fn path(family: &Family, operation: &Operation) -> TokenStream {
    let (module, name) = (ident(&module_name(&family.name)), ident(&operation.rust.rust));
    quote!(#module::#name)
}

fn fill_fields(shows: &Shows) -> Option<TokenStream> {
    let (order, quantity) = (&shows.order.as_ref()?.text, &shows.quantity.as_ref()?.text);
    let client_id = optional_text(shows.client_id.as_ref().map(|name| name.text.as_str()));
    let trade = optional(shows.trade.as_ref().map(trade_fields));
    Some(quote! {
        runtime::reconcile::FillFields { order: #order, client_id: #client_id, quantity: #quantity, trade: #trade }
    })
}

/// Returns the fields by which a fill changes a position.
fn trade_fields(trade: &Trade) -> TokenStream {
    let (id, instrument, side) = (&trade.id.text, &trade.instrument.text, &trade.side.text);
    let (buy, price) = (&trade.buy.0, &trade.price.text);
    let profit = optional_text(trade.profit.as_ref().map(|name| name.text.as_str()));
    let linear = match trade.linear.is_empty() {
        true => quote!(None),
        false => {
            let values = texts(&trade.linear);
            quote!(Some(#values))
        }
    };
    let inverse = texts(&trade.inverse);
    let fees = match &trade.fees {
        None => quote!(None),
        Some(TradeFees { list, coin: (coin, _), amount: (amount, _), any_sign, place: _ }) => {
            let (list, any_sign) = (&list.text, any_sign.is_set());
            quote! {
                Some(runtime::ledger::FeeFields { list: #list, coin: #coin, amount: #amount, any_sign: #any_sign })
            }
        }
    };
    let position = match &trade.position {
        None => quote!(None),
        Some(TradePosition { field, open, close, close_long, close_short, net, place: _ }) => {
            let [open, close, close_long, close_short, net] =
                [open, close, close_long, close_short, net].map(|all| texts(all));
            let field = &field.text;
            quote! {
                Some(runtime::ledger::PositionFields {
                    field: #field, open: #open, close: #close, close_long: #close_long, close_short: #close_short,
                    net: #net
                })
            }
        }
    };
    let sides = match &trade.sides {
        None => quote!(None),
        Some(TradeSides {
            field,
            long: (long, _),
            short: (short, _),
            lines,
            property: (property, _),
            net: (net, _),
            place: _,
        }) => {
            let (field, lines) = (&field.text, texts(lines));
            quote! {
                Some(runtime::ledger::SidesFields {
                    field: #field, long: #long, short: #short, lines: #lines, property: #property, net: #net
                })
            }
        }
    };
    quote! {
        runtime::ledger::TradeFields {
            id: #id, instrument: #instrument, side: #side, buy: #buy, price: #price, linear: #linear, inverse: #inverse,
            profit: #profit, fees: #fees, position: #position, sides: #sides
        }
    }
}

fn texts(all: &[Placed]) -> TokenStream {
    let values = all.iter().map(|(value, _)| value);
    quote!(&[#(#values),*])
}

/// Returns the parameter whose values are sent one after the other.
fn over(family: &Family, operation: &Operation, shows: &Shows) -> Option<TokenStream> {
    let over = shows.over.as_ref()?;
    let (name, values) = (&over.text, values(family, operation.parameter(over)?)?);
    Some(quote!(.over(#name, &[#(#values),*])))
}

fn cancel(family: &Family, shows: &Shows) -> Option<TokenStream> {
    let request = path(family, family.operations.get(shows.cancel.as_ref()?)?);
    let fields = shows.by.iter().map(|(field, _)| field);
    Some(quote!(.cancelled_by::<#request>(&[#(#fields),*])))
}

/// Returns a row for each family that says how it becomes flat.
pub(super) fn flats(api: &Api, layout: Layout) -> TokenStream {
    let rows = api.families.iter().filter_map(|family| {
        let (gate, flat) = (gate(family, layout), flat(family, family.flat.as_ref()?));
        Some(quote!(#gate #flat))
    });
    quote! {
        /// The calls by which [`Client::flatten`] makes each family flat.
        static FLATS: &[runtime::flatten::Flat] = &[#(#rows),*];
    }
}

fn flat(family: &Family, flat: &Flat) -> TokenStream {
    let Flat { place: _, cancel, close, value, reduce } = flat;
    let name = &family.name;
    let cancel = cancel.as_ref().and_then(|FlatCancel { operation, over, place: _ }| {
        let (request, over, lines) = each_line(family, operation, over)?;
        Some(quote!(.cancelled_by::<#request>(#over, #lines)))
    });
    let close = close.as_ref().and_then(|FlatClose { operation, over, closed, failed, nothing, place: _ }| {
        let (request, over, lines) = each_line(family, operation, over)?;
        let (closed, failed, nothing) = (&closed.text, &failed.text, texts(nothing));
        Some(quote! {
            .closed_by::<#request>(#over, #lines, runtime::flatten::ClosingFields {
                closed: #closed, failed: #failed, nothing: #nothing
            })
        })
    });
    let value = value.as_ref().and_then(|FlatValue { operation, field, place: _ }| {
        let (request, field) = (path(family, family.operations.get(operation)?), &field.text);
        Some(quote!(.valued_by::<#request>(#field)))
    });
    let reduce = reduce.as_ref().and_then(|reduce| {
        let request = path(family, family.operations.get(&reduce.operation)?);
        let fields = reducing(reduce);
        Some(quote!(.reduced_by::<#request>(#fields)))
    });
    quote!(runtime::flatten::Flat::new(#name) #cancel #close #value #reduce)
}

fn reducing(reduce: &FlatReduce) -> TokenStream {
    let FlatReduce { operation: _, line, lines, instrument, quantity, closes_with: _, long, short, side, place: _ } =
        reduce;
    let [line, instrument, quantity] = [&line.text, &instrument.text, &quantity.text];
    let (lines, long, short) = (texts(lines), sets(long), sets(short));
    let side = match side {
        None => quote!(None),
        Some(FlatSide { field: (field, _), long: (long, _), short: (short, _), place: _ }) => {
            quote!(Some(runtime::flatten::SideFields { field: #field, long: #long, short: #short }))
        }
    };
    quote! {
        runtime::flatten::ReducingFields {
            line: #line, lines: #lines, instrument: #instrument, quantity: #quantity, long: #long, short: #short,
            side: #side
        }
    }
}

/// Returns the request, its parameter and the values of that. An operation may be missing from a selection.
fn each_line(family: &Family, operation: &Reference, over: &Reference) -> Option<(TokenStream, String, TokenStream)> {
    let operation = family.operations.get(operation)?;
    let values = values(family, operation.parameter(over)?)?;
    Some((path(family, operation), over.text.clone(), quote!(&[#(#values),*])))
}

/// Returns the values that an enum parameter may have.
pub(super) fn values(family: &Family, parameter: &Parameter) -> Option<Vec<String>> {
    let index = parameter.shape.single_enum()?;
    Some(match parameter.only.is_empty() {
        true => family.enums.get(index)?.wires().map(str::to_owned).collect(),
        false => parameter.only.iter().map(|(value, _)| value.clone()).collect(),
    })
}

fn sets(sets: &[Vec<Pair>]) -> TokenStream {
    let sets = sets.iter().map(|set| {
        let pairs = set.iter().map(|((name, _), (value, _))| quote!((#name, #value)));
        quote!(&[#(#pairs),*])
    });
    quote!(&[#(#sets),*])
}
