//! Operations that place, amend and list orders.

use tradeapi_runtime::batches::{Batch, BatchShape, ItemsReply, ListsResults, SentItems};
use tradeapi_runtime::checks::Checks;
use tradeapi_runtime::client::Callable;
use tradeapi_runtime::emitted::{BatchAnswer, Parameter, ParameterTable, text_of};
use tradeapi_runtime::parameters::{ParameterReader, ParameterWriter, Parameters};
use tradeapi_runtime::tables::{ClientId, Confirm, Effect, Length, Meta, Method, RateLimit, Rule, Window};
use tradeapi_runtime::{Decimal, Edit, List, Operation, Reply, Timestamp, name, record, serde_parameters};

use crate::api::{ClientOid, ERRORS, OrderId, OrderType, Side, Symbol};
use crate::confirmations::{CLIENT_ID, CONFIRM};

const SAME_SIDE: Rule = Rule {
    id: "same-side",
    at: "Place Batch, rule 2",
    says: "all orders must have the same side",
    hint: "send one batch for each side",
    ..Rule::DEFAULT
};

const EACH_ONCE: Rule =
    Rule { id: "each-once", at: "Place Batch, rule 3", says: "no client id may come twice", ..Rule::DEFAULT };

const BASE: Meta = Meta {
    family: "mini",
    document: "mini-v1",
    method: Method::Post,
    effect: Effect::Create,
    permission: Some("trade"),
    limits: &[RateLimit::per_uid(10)],
    errors: ERRORS,
    ..Meta::DEFAULT
};

/// The execution of an order: a choice by the value of `orderType`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Execution {
    Limit { price: Decimal },
    Market,
}

impl Parameters for Execution {
    fn write(&self, out: &mut ParameterWriter) {
        match self {
            Self::Limit { price } => {
                out.text(name!("orderType"), &OrderType::Limit);
                out.text(name!("price"), price);
            }
            Self::Market => out.text(name!("orderType"), &OrderType::Market),
        }
    }

    fn read(from: &mut ParameterReader<'_>) -> Option<Self> {
        from.has("price");
        match from.word("orderType")? {
            OrderType::Limit => Some(Self::Limit { price: from.required("price")? }),
            _ => Some(Self::Market),
        }
    }

    fn check(&self, to: &mut Checks<'_>) {
        match self {
            Self::Limit { price } => to.decimal_at_least("price", Some(price), "0.01"),
            Self::Market => {}
        }
    }
}

/// Places an order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlaceOrder {
    pub(crate) symbol: Symbol,
    pub(crate) side: Side,
    pub(crate) size: Decimal,
    pub(crate) execution: Execution,
    pub(crate) client_oid: Option<ClientOid>,
    pub(crate) reduce_only: Option<bool>,
}

impl PlaceOrder {
    pub(crate) fn new(symbol: impl Into<Symbol>, side: Side, size: impl Into<Decimal>, execution: Execution) -> Self {
        let (symbol, size) = (symbol.into(), size.into());
        Self { symbol, side, size, execution, client_oid: None, reduce_only: None }
    }
}

impl Parameters for PlaceOrder {
    fn write(&self, out: &mut ParameterWriter) {
        out.text(name!("symbol"), &self.symbol);
        out.text(name!("side"), &self.side);
        out.text(name!("size"), &self.size);
        self.execution.write(out);
        out.optional_text(name!("clientOid"), self.client_oid.as_ref());
        out.optional_boolean(name!("reduceOnly"), self.reduce_only);
    }

    fn read(from: &mut ParameterReader<'_>) -> Option<Self> {
        let symbol = from.required("symbol");
        let side = from.required("side");
        let size = from.required("size");
        let execution = Execution::read(from);
        let client_oid = from.optional("clientOid");
        let reduce_only = from.optional("reduceOnly");
        Some(Self { symbol: symbol?, side: side?, size: size?, execution: execution?, client_oid, reduce_only })
    }

    fn check(&self, to: &mut Checks<'_>) {
        to.identifier("symbol", Some(&self.symbol));
        to.known("side", &self.side);
        self.execution.check(to);
        to.identifier("clientOid", self.client_oid.as_ref());
    }
}

impl Operation for PlaceOrder {
    type Response = Placed;

    const META: &'static Meta = &Meta {
        id: "mini.orders",
        section: "Place Order",
        path: "/v1/orders",
        headers: &["x-channel"],
        client_id: Some(CLIENT_ID),
        confirm: Some(CONFIRM),
        ..BASE
    };
}

impl Callable for PlaceOrder {
    type Reply = Reply<Placed>;
}

/// Gives a type that wraps a [`PlaceOrder`] the parameters of it.
macro_rules! with_parameters_of_order {
    ($name:ident) => {
        impl Parameters for $name {
            fn write(&self, out: &mut ParameterWriter) {
                self.0.write(out);
            }

            fn read(from: &mut ParameterReader<'_>) -> Option<Self> {
                PlaceOrder::read(from).map(Self)
            }

            fn check(&self, to: &mut Checks<'_>) {
                self.0.check(to);
            }
        }
    };
}
pub(crate) use with_parameters_of_order;

/// Places several orders at once: the body is the list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlaceBatch {
    pub(crate) orders: Vec<PlaceOrder>,
}

impl Parameters for PlaceBatch {
    fn write(&self, out: &mut ParameterWriter) {
        out.items(&self.orders);
    }

    fn read(from: &mut ParameterReader<'_>) -> Option<Self> {
        Some(Self { orders: from.items()? })
    }

    fn check(&self, to: &mut Checks<'_>) {
        to.count("", self.orders.len(), 1, 3);
        to.items("", &self.orders);
        to.same(
            &SAME_SIDE,
            "[].side",
            self.orders.iter().map(|order| tradeapi_runtime::value::OpenEnum::as_str(&order.side)),
        );
        let oids = self.orders.iter().filter_map(|order| order.client_oid.as_ref());
        to.unique(&EACH_ONCE, "[].clientOid", oids.map(ClientOid::as_str));
    }
}

impl Operation for PlaceBatch {
    type Response = List<Placed>;

    const META: &'static Meta = &Meta {
        id: "mini.batch",
        section: "Place Batch",
        path: "/v1/orders/batch",
        list_member: Some("list"),
        client_id: Some(ClientId { list: Some("[]"), ..CLIENT_ID }),
        confirm: Some(Confirm { list: Some("[]"), ..CONFIRM }),
        ..BASE
    };
}

impl Callable for PlaceBatch {
    type Reply = ItemsReply<List<Placed>>;
}

impl ListsResults for PlaceBatch {
    type Done = Placed;

    fn sent(&self) -> Option<SentItems> {
        Some(SentItems::of(&self.orders, Self::SHAPE))
    }

    fn answer(response: Self::Response, is_success: &dyn Fn(&str) -> bool) -> BatchAnswer<Self::Done> {
        let mut answer = BatchAnswer::default();
        answer.by_code(
            response,
            is_success,
            |item| [text_of(&item.client_oid), text_of(&item.order_id)],
            |item| (item.code.clone(), None),
        );
        answer
    }
}

impl Batch for PlaceBatch {
    type Item = PlaceOrder;

    const SHAPE: &'static BatchShape =
        &BatchShape { list: "", max_items: 3, ids: &["clientOid", "orderId"], by_place: true };

    fn take_items(&mut self) -> Vec<Self::Item> {
        std::mem::take(&mut self.orders)
    }

    fn set_items(&mut self, items: Vec<Self::Item>) {
        self.orders = items;
    }
}

/// Amends an order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AmendOrder {
    pub(crate) order_id: OrderId,
    pub(crate) take_profit: Edit<Decimal>,
    pub(crate) tags: Vec<Symbol>,
    pub(crate) legs: Vec<PlaceOrder>,
    pub(crate) sequence: Option<u64>,
}

const TAKE_PROFIT: &ParameterTable =
    &ParameterTable::of(",\"takeProfit\":\"", &["takeProfit"]).deleted_by("0").may_be_blank();

impl Parameters for AmendOrder {
    fn write(&self, out: &mut ParameterWriter) {
        out.text(name!("orderId"), &self.order_id);
        Parameter::write(&self.take_profit, TAKE_PROFIT, out);
        out.texts(name!("tags"), &self.tags);
        out.list(name!("legs"), &self.legs);
        out.optional_number(name!("sequence"), self.sequence.as_ref());
    }

    fn read(from: &mut ParameterReader<'_>) -> Option<Self> {
        let order_id = from.required("orderId");
        let take_profit = Edit::<Decimal>::read(TAKE_PROFIT, from);
        let tags = from.optional_values("tags").unwrap_or_default();
        let legs = from.optional_list("legs").unwrap_or_default();
        let sequence = from.optional("sequence");
        Some(Self { order_id: order_id?, take_profit, tags, legs, sequence })
    }

    fn check(&self, to: &mut Checks<'_>) {
        to.identifier("orderId", Some(&self.order_id));
        to.items("legs", &self.legs);
        to.digits("sequence", self.sequence, 18);
    }
}

impl Operation for AmendOrder {
    type Response = ();

    const META: &'static Meta = &Meta {
        id: "mini.amend",
        section: "Amend Order",
        path: "/v1/orders/amend",
        effect: Effect::Amend,
        method: Method::Put,
        ..BASE
    };
}

impl Callable for AmendOrder {
    type Reply = Reply<()>;
}

pub(crate) const ORDERS_WINDOW: Window = Window {
    from: "startTime",
    to: "endTime",
    span: Some(Length::Days(30)),
    access: Some(Length::Days(90)),
    default: Some(Length::Days(7)),
    both_or_neither: true,
    ..Window::DEFAULT
};

/// Lists orders.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Orders {
    pub(crate) symbol: Option<Symbol>,
    pub(crate) start_time: Option<Timestamp>,
    pub(crate) end_time: Option<Timestamp>,
    pub(crate) limit: Option<u64>,
}

impl Parameters for Orders {
    fn write(&self, out: &mut ParameterWriter) {
        out.optional_text(name!("symbol"), self.symbol.as_ref());
        out.optional_text(name!("startTime"), self.start_time.as_ref());
        out.optional_text(name!("endTime"), self.end_time.as_ref());
        out.optional_number(name!("limit"), self.limit.as_ref());
    }

    fn read(from: &mut ParameterReader<'_>) -> Option<Self> {
        let symbol = from.optional("symbol");
        let start_time = from.optional("startTime");
        let end_time = from.optional("endTime");
        let limit = from.optional("limit");
        Some(Self { symbol, start_time, end_time, limit })
    }

    fn check(&self, to: &mut Checks<'_>) {
        to.identifier("symbol", self.symbol.as_ref());
        to.window(&ORDERS_WINDOW, self.start_time, self.end_time);
        to.at_least("limit", self.limit, 1);
        to.at_most("limit", self.limit, 100);
    }
}

impl Operation for Orders {
    type Response = List<Placed>;

    const META: &'static Meta = &Meta {
        id: "mini.list",
        section: "Orders",
        path: "/v1/orders",
        method: Method::Get,
        effect: Effect::Read,
        window: Some(ORDERS_WINDOW),
        list_member: Some("list"),
        ..BASE
    };
}

impl Callable for Orders {
    type Reply = Reply<List<Placed>>;
}

record! {
    /// An order that was placed.
    pub(crate) struct Placed {
        #[wire("orderId")]
        pub(crate) order_id: Option<OrderId>,
        #[wire("clientOid")]
        pub(crate) client_oid: Option<ClientOid>,
        #[wire("side")]
        pub(crate) side: Option<Side>,
        #[wire("price")]
        pub(crate) price: Option<Decimal>,
        #[wire("cTime")]
        pub(crate) created: Option<Timestamp>,
        #[wire("reduceOnly")]
        pub(crate) reduce_only: Option<bool>,
        #[wire("code")]
        pub(crate) code: Option<String>,
    }
}

serde_parameters!(PlaceOrder, PlaceBatch, AmendOrder, Orders);
