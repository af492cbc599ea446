//! The requests of a campaign.

use tradeapi::{Decimal, classic, unified};

pub(crate) const SYMBOL: &str = "BTCUSDT";

/// A price that no other amendment of the same order has.
pub(crate) fn price(number: u64) -> Decimal {
    Decimal::from(50_000 + number)
}

pub(crate) fn unified_order(id: &str) -> unified::PlaceOrder {
    let (category, side) = (unified::Category::UsdtFutures, unified::Side::Buy);
    unified::PlaceOrder::new(category, SYMBOL, 1, side, unified::Execution::limit(price(0))).client_oid(unified_id(id))
}

pub(crate) fn unified_item(id: &str) -> unified::BatchOrderItem {
    let (category, side) = (unified::Category::UsdtFutures, unified::Side::Sell);
    let execution = unified::Execution::limit(price(0));
    unified::BatchOrderItem::new(category, SYMBOL, 1, side, execution).client_oid(unified_id(id))
}

pub(crate) fn unified_amendment(id: &str, number: u64) -> unified::ModifyOrder {
    unified::ModifyOrder::new(unified_ref(id)).price(price(number))
}

pub(crate) fn unified_amendment_item(id: &str, number: u64) -> unified::BatchModifyItem {
    unified::BatchModifyItem::new(unified_ref(id)).price(price(number))
}

pub(crate) fn unified_cancel_item(id: &str) -> unified::BatchCancelItem {
    unified::BatchCancelItem::new(unified::Category::UsdtFutures, SYMBOL, unified_ref(id))
}

pub(crate) fn classic_order(id: &str) -> classic::PlaceOrder {
    let (product, margin) = (classic::ProductType::UsdtFutures, classic::MarginMode::Crossed);
    let execution = classic::Execution::limit(price(0), classic::Force::Gtc);
    classic::PlaceOrder::new(SYMBOL, product, margin, "USDT", 1, classic::Side::Buy, execution).client_oid(id)
}

pub(crate) fn reversal(id: &str) -> classic::Reversal {
    let product = classic::ProductType::UsdtFutures;
    classic::Reversal::new(SYMBOL, "USDT", product, classic::Side::Buy).size(1).client_oid(id)
}

pub(crate) fn classic_batch(ids: &[String]) -> classic::BatchOrder {
    let (product, margin) = (classic::ProductType::UsdtFutures, classic::MarginMode::Crossed);
    let item = |id: &String| {
        let item = classic::BatchOrderItem::new().size(1).price(price(0)).side(classic::Side::Buy);
        item.order_type(classic::OrderType::Limit).force(classic::Force::Gtc).client_oid(id.as_str())
    };
    classic::BatchOrder::new(SYMBOL, product, "USDT", margin, ids.iter().map(item).collect())
}

pub(crate) fn classic_amendment(id: &str, new_id: &str, number: u64) -> classic::ModifyOrder {
    let product = classic::ProductType::UsdtFutures;
    classic::ModifyOrder::new(SYMBOL, product, new_id, classic_ref(id)).new_size(1).new_price(price(number))
}

pub(crate) fn classic_cancel(id: &str) -> classic::CancelOrder {
    classic::CancelOrder::new(SYMBOL, classic::ProductType::UsdtFutures, classic_ref(id))
}

pub(crate) fn classic_batch_cancel(ids: &[String]) -> classic::BatchCancel {
    let items = ids.iter().map(|id| classic::BatchCancelItem::new().client_oid(id.as_str())).collect();
    classic::BatchCancel::new(classic::ProductType::UsdtFutures).order_id_list(items).symbol(SYMBOL)
}

pub(crate) fn classic_detail(id: &str) -> classic::GetOrderDetail {
    classic::GetOrderDetail::new(SYMBOL, classic::ProductType::UsdtFutures, classic_ref(id))
}

pub(crate) fn unified_ref(id: &str) -> unified::OrderRef {
    unified::OrderRef::ClientOid(unified_id(id))
}

fn classic_ref(id: &str) -> classic::OrderRef {
    classic::OrderRef::ClientOid(id.into())
}

fn unified_id(id: &str) -> unified::ClientOid {
    unified::ClientOid::new(id).expect("ids of the campaign are ids")
}
