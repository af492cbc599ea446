//! The requests of a campaign.

use tradeapi::{Decimal, classic, observed, unified};
use tradeapi_tests::dice::Dice;

use crate::claim::Naming;
use crate::ground_truth::{Effect, label};
use crate::operation::Family;

pub(crate) const SYMBOL: &str = "BTCUSDT";

/// An order as the campaign knows it.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub(crate) family: Family,
    /// Empty if the order has no id.
    pub(crate) client_oid: String,
    pub(crate) naming: Naming,
    pub(crate) size: Decimal,
    /// The limit; `None` for a market order.
    pub(crate) price: Option<Decimal>,
    /// The exchange's id, once it is known.
    pub(crate) order_id: Option<String>,
}

/// The name of an order in a request.
#[derive(Clone, Debug)]
pub(crate) enum Name {
    OrderId(String),
    ClientOid(String),
}

impl Order {
    pub(crate) fn new(family: Family, client_oid: &str) -> Self {
        let (client_oid, naming) = (client_oid.to_owned(), Naming::UniqueId);
        Self { family, client_oid, naming, size: Decimal::from(1_u64), price: Some(price(0)), order_id: None }
    }

    /// Creates an order without an id. Its price is unique.
    pub(crate) fn without_id(family: Family, dice: &mut Dice) -> Self {
        let digits = format!("{}.{}", 30_000 + dice.below(10_000), 1 + dice.below(9));
        let price = Some(digits.parse().expect("digits are a number"));
        Self { naming: Naming::NoId, price, ..Self::new(family, "") }
    }

    /// Returns a second order with the same id. It differs in its size if `differs` is set.
    pub(crate) fn duplicate(&self, differs: bool) -> Self {
        let size = if differs { Decimal::from(2_u64) } else { self.size.clone() };
        Self { naming: Naming::SharedId, size, order_id: None, ..self.clone() }
    }

    /// Creates a market order that reverses a position.
    pub(crate) fn reversal(client_oid: &str) -> Self {
        Self { price: None, ..Self::new(Family::Classic, client_oid) }
    }

    fn limit(&self) -> Decimal {
        self.price.clone().unwrap_or_else(|| price(0))
    }

    pub(crate) fn label(&self) -> String {
        let price = self.price.as_ref().map(ToString::to_string).unwrap_or_default();
        label(&self.client_oid, &self.size.to_string(), &price)
    }

    pub(crate) fn placed(&self) -> Effect {
        Effect::Placed(self.label())
    }

    pub(crate) fn cancelled(&self) -> Effect {
        Effect::Cancelled(self.label())
    }

    /// Returns a random one of the names that no other order has.
    pub(crate) fn name(&self, dice: &mut Dice) -> Option<Name> {
        let client_oid = (self.naming == Naming::UniqueId).then(|| Name::ClientOid(self.client_oid.clone()));
        let order_id = self.order_id.clone().map(Name::OrderId);
        if dice.percent(50) { order_id.or(client_oid) } else { client_oid.or(order_id) }
    }
}

impl Name {
    pub(crate) fn unified(&self) -> unified::OrderRef {
        match self {
            Self::OrderId(id) => unified::OrderRef::OrderId(id.as_str().into()),
            Self::ClientOid(id) => unified::OrderRef::ClientOid(unified_id(id)),
        }
    }

    pub(crate) fn classic(&self) -> classic::OrderRef {
        match self {
            Self::OrderId(id) => classic::OrderRef::OrderId(id.as_str().into()),
            Self::ClientOid(id) => classic::OrderRef::ClientOid(id.as_str().into()),
        }
    }

    /// Returns how a request with this name names its order.
    pub(crate) fn naming(&self, order: &Order) -> Naming {
        match self {
            Self::OrderId(_) => Naming::ExchangeId,
            Self::ClientOid(_) => order.naming,
        }
    }
}

/// The changes of an amendment.
#[derive(Clone, Debug)]
pub(crate) struct Amendment {
    pub(crate) request_id: u64,
    pub(crate) price: Decimal,
    pub(crate) size: Option<Decimal>,
    pub(crate) auto_cancel: bool,
}

impl Amendment {
    pub(crate) fn effect(&self, order: &Order) -> Effect {
        Effect::Amended(order.label(), self.request_id.to_string())
    }
}

/// Returns a price for each number.
pub(crate) fn price(number: u64) -> Decimal {
    Decimal::from(50_000 + number)
}

pub(crate) fn unified_order(order: &Order) -> unified::PlaceOrder {
    let (category, side) = (unified::Category::UsdtFutures, unified::Side::Buy);
    let execution = unified::Execution::limit(order.limit());
    let request = unified::PlaceOrder::new(category, SYMBOL, order.size.clone(), side, execution);
    if order.client_oid.is_empty() { request } else { request.client_oid(unified_id(&order.client_oid)) }
}

pub(crate) fn unified_batch(orders: &[Order]) -> unified::BatchOrder {
    let item = |order: &Order| {
        let (category, side) = (unified::Category::UsdtFutures, unified::Side::Buy);
        let execution = unified::Execution::limit(order.limit());
        let item = unified::BatchOrderItem::new(category, SYMBOL, order.size.clone(), side, execution);
        if order.client_oid.is_empty() { item } else { item.client_oid(unified_id(&order.client_oid)) }
    };
    unified::BatchOrder::new(orders.iter().map(item).collect())
}

pub(crate) fn unified_amendment(name: &Name, amendment: &Amendment) -> unified::ModifyOrder {
    let request = unified::ModifyOrder::new(name.unified());
    let mut request = request.price(amendment.price.clone()).request_id(amendment.request_id);
    if let Some(size) = &amendment.size {
        request = request.qty(size.clone());
    }
    if amendment.auto_cancel { request.auto_cancel(unified::YesNo::Yes) } else { request }
}

pub(crate) fn unified_amendments(all: &[(Name, Amendment)]) -> unified::BatchModifyOrders {
    let item = |(name, amendment): &(Name, Amendment)| {
        let item = unified::BatchModifyItem::new(name.unified());
        let item = item.price(amendment.price.clone()).request_id(amendment.request_id);
        match &amendment.size {
            Some(size) => item.qty(size.clone()),
            None => item,
        }
    };
    unified::BatchModifyOrders::new(all.iter().map(item).collect())
}

pub(crate) fn unified_cancels(names: &[Name]) -> unified::BatchCancel {
    let item = |name: &Name| unified::BatchCancelItem::new(unified::Category::UsdtFutures, SYMBOL, name.unified());
    unified::BatchCancel::new(names.iter().map(item).collect())
}

pub(crate) fn classic_order(order: &Order) -> classic::PlaceOrder {
    let (product, margin) = (classic::ProductType::UsdtFutures, classic::MarginMode::Crossed);
    let execution = classic::Execution::limit(order.limit(), classic::Force::Gtc);
    let side = classic::Side::Buy;
    let request = classic::PlaceOrder::new(SYMBOL, product, margin, "USDT", order.size.clone(), side, execution);
    if order.client_oid.is_empty() { request } else { request.client_oid(order.client_oid.as_str()) }
}

pub(crate) fn reversal(order: &Order) -> classic::Reversal {
    let product = classic::ProductType::UsdtFutures;
    let request = classic::Reversal::new(SYMBOL, "USDT", product, classic::Side::Buy).size(order.size.clone());
    request.client_oid(order.client_oid.as_str())
}

pub(crate) fn classic_batch(orders: &[Order]) -> classic::BatchOrder {
    let (product, margin) = (classic::ProductType::UsdtFutures, classic::MarginMode::Crossed);
    let item = |order: &Order| {
        let item = classic::BatchOrderItem::new().size(order.size.clone()).price(order.limit());
        let item = item.side(classic::Side::Buy).order_type(classic::OrderType::Limit).force(classic::Force::Gtc);
        if order.client_oid.is_empty() { item } else { item.client_oid(order.client_oid.as_str()) }
    };
    classic::BatchOrder::new(SYMBOL, product, "USDT", margin, orders.iter().map(item).collect())
}

/// Returns a request that replaces an order by `new`.
pub(crate) fn classic_amendment(name: &Name, new: &Order) -> classic::ModifyOrder {
    let product = classic::ProductType::UsdtFutures;
    let request = classic::ModifyOrder::new(SYMBOL, product, new.client_oid.as_str(), name.classic());
    request.new_size(new.size.clone()).new_price(new.limit())
}

pub(crate) fn classic_cancel(name: &Name) -> classic::CancelOrder {
    classic::CancelOrder::new(SYMBOL, classic::ProductType::UsdtFutures, name.classic())
}

pub(crate) fn classic_cancels(names: &[Name]) -> classic::BatchCancel {
    let item = |name: &Name| match name {
        Name::OrderId(id) => classic::BatchCancelItem::new().order_id(id.as_str()),
        Name::ClientOid(id) => classic::BatchCancelItem::new().client_oid(id.as_str()),
    };
    let items = names.iter().map(item).collect();
    classic::BatchCancel::new(classic::ProductType::UsdtFutures).order_id_list(items).symbol(SYMBOL)
}

/// Returns a request to set the leverage of the pair.
pub(crate) fn leverage(value: u64) -> observed::SetContractLeverage {
    observed::SetContractLeverage::new(SYMBOL, observed::ProductType::UsdtFutures, "USDT").leverage(value)
}

fn unified_id(id: &str) -> unified::ClientOid {
    unified::ClientOid::new(id).expect("ids of the campaign are ids")
}
