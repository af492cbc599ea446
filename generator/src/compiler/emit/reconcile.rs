//! The listings that show an account, for comparisons with a journal.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::{gate, ident, optional, optional_text};
use super::{module_name, pages};
use crate::compiler::emit::Layout;
use crate::compiler::model::{
    Api, Family, Operation, Placed, Response, Shown, Shows, Trade, TradeFees, TradePosition, TradeSides,
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
    let (name, values) = (&over.text, super::flat::values(family, operation.parameter(over)?)?);
    Some(quote!(.over(#name, &[#(#values),*])))
}

fn cancel(family: &Family, shows: &Shows) -> Option<TokenStream> {
    let request = path(family, family.operations.get(shows.cancel.as_ref()?)?);
    let fields = shows.by.iter().map(|(field, _)| field);
    Some(quote!(.cancelled_by::<#request>(&[#(#fields),*])))
}
