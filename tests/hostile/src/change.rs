use serde_json::Value;
use tradeapi_sandbox::Request;

use crate::book::label;
use crate::operation::{Deed, Family, Operation};

/// What names an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// The exchange's own id.
    OrderId(String),
    /// The client's id.
    ClientOid(String),
}

impl Name {
    /// The name in the members of `from`; the exchange's own id wins.
    pub fn of(from: &Value) -> Option<Self> {
        text(from, "orderId").map(Self::OrderId).or_else(|| text(from, "clientOid").map(Self::ClientOid))
    }

    /// The id, whosever it is.
    pub fn id(&self) -> &str {
        match self {
            Self::OrderId(id) | Self::ClientOid(id) => id,
        }
    }
}

/// One thing that a request is to change.
#[derive(Clone, Debug)]
pub enum Change {
    /// Makes an order.
    Place {
        /// The family it belongs to.
        family: Family,
        /// The client's id for it; empty where it gives none.
        client_oid: String,
        /// What else the order says: symbol, side and so on, under the names of the request.
        terms: Value,
    },
    /// Gives an order another price or size.
    Amend {
        /// The family it belongs to.
        family: Family,
        /// Which.
        order: Name,
        /// The new price.
        price: Option<String>,
        /// The new size.
        size: Option<String>,
        /// The amendment's own id.
        request_id: String,
        /// Whether the order is cancelled when it cannot be amended.
        auto_cancel: bool,
    },
    /// Cancels an order and makes another in its place, later.
    Replace {
        /// Which.
        order: Name,
        /// The client's id for the new one.
        client_oid: String,
        /// The new price.
        price: Option<String>,
        /// The new size.
        size: Option<String>,
    },
    /// Cancels an order.
    Cancel {
        /// The family it belongs to.
        family: Family,
        /// Which.
        order: Name,
    },
}

impl Change {
    /// Everything that a request is to change; `None` when it cannot be understood.
    pub fn all(operation: &Operation, request: &Request) -> Option<Vec<Self>> {
        let body: Value = serde_json::from_slice(&request.body).ok()?;
        if !operation.several {
            return Some(vec![Self::of(operation, &body, &body)?]);
        }
        let list = ["orderList", "orderIdList"].into_iter().find_map(|list| body.get(list)).unwrap_or(&body);
        list.as_array()?.iter().map(|item| Self::of(operation, item, &body)).collect()
    }

    /// What `item` says, or else the request around it.
    fn of(operation: &Operation, item: &Value, around: &Value) -> Option<Self> {
        let family = operation.family;
        Some(match (operation.deed, family) {
            (Deed::Place, _) => {
                let mut terms = item.clone();
                for name in ["symbol", "productType", "marginCoin"] {
                    if let Some(value) = around.get(name).filter(|_| item.get(name).is_none()) {
                        terms[name] = value.clone();
                    }
                }
                Self::Place { family, client_oid: text(item, "clientOid").unwrap_or_default(), terms }
            }
            (Deed::Amend, Family::Unified) => Self::Amend {
                family,
                order: Name::of(item)?,
                price: text(item, "price"),
                size: text(item, "qty"),
                request_id: item.get("requestId").map(|id| id.to_string().replace('"', "")).unwrap_or_default(),
                auto_cancel: text(item, "autoCancel").is_some_and(|answer| answer == "yes"),
            },
            (Deed::Amend, Family::Classic) => Self::Replace {
                order: Name::of(item)?,
                client_oid: text(item, "newClientOid")?,
                price: text(item, "newPrice"),
                size: text(item, "newSize"),
            },
            (Deed::Cancel, _) => Self::Cancel { family, order: Name::of(item)? },
            (Deed::Detail | Deed::List(_), _) => return None,
        })
    }

    /// What the change is known by: the only thing that what goes wrong with it follows from.
    pub fn id(&self) -> String {
        match self {
            Self::Place { client_oid, terms, .. } => {
                let text = |names: [&str; 2]| names.into_iter().find_map(|name| text(terms, name)).unwrap_or_default();
                label(client_oid, &text(["size", "qty"]), &text(["price", "price"]))
            }
            Self::Replace { client_oid, .. } => client_oid.clone(),
            Self::Amend { order, request_id, .. } => format!("{} {request_id}", order.id()),
            Self::Cancel { order, .. } => order.id().to_owned(),
        }
    }

    /// Whether an answer that names an order can be told to be about this one.
    pub(crate) fn can_be_told(&self) -> bool {
        !matches!(self, Self::Place { client_oid, .. } if client_oid.is_empty())
    }

    /// The client's id and the exchange's, as far as the request has them.
    pub(crate) fn ids(&self) -> (Option<&str>, Option<&str>) {
        match self {
            Self::Place { client_oid, .. } | Self::Replace { client_oid, .. } => (Some(client_oid), None),
            Self::Amend { order, .. } | Self::Cancel { order, .. } => match order {
                Name::OrderId(id) => (None, Some(id)),
                Name::ClientOid(id) => (Some(id), None),
            },
        }
    }
}

/// A member that is a text and says something.
pub(crate) fn text(from: &Value, name: &str) -> Option<String> {
    from.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}
