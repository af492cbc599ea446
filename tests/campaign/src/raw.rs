//! Fields that the campaign reads from raw answers.

use serde::Deserialize;
use tradeapi::runtime::Reply;
use tradeapi::{classic, unified};

/// An answer that may contain the exchange's id of an order.
pub(crate) trait HasOrderId {
    fn order_id(&self) -> Option<String>;
}

impl<T> HasOrderId for Reply<T> {
    fn order_id(&self) -> Option<String> {
        order_id(&self.raw)
    }
}

macro_rules! with_order_id {
    ($($name:ty),* $(,)?) => {
        $(impl HasOrderId for $name {
            fn order_id(&self) -> Option<String> {
                self.order_id.as_ref().map(ToString::to_string).filter(|id| !id.is_empty())
            }
        })*
    };
}

with_order_id! {
    unified::BatchOrderResult,
    unified::BatchModifyResult,
    classic::BatchSuccess,
}

/// Returns the exchange's id of the order in an answer or a record.
pub(crate) fn order_id(raw: &[u8]) -> Option<String> {
    let answer: Answer = serde_json::from_slice(raw).ok()?;
    answer.data?.order_id.filter(|id| !id.is_empty())
}

#[derive(Deserialize)]
struct Answer {
    data: Option<Data>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    order_id: Option<String>,
}
