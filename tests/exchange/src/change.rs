use serde_json::Value;
use tradeapi_sandbox::Request;

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
        /// The client's id for it.
        client_oid: String,
        /// What else the order says: symbol, side and so on, under the names of the request.
        terms: Value,
    },
    /// Gives an order another price or size.
    Amend {
        /// Which.
        order: Name,
        /// The new price.
        price: Option<String>,
        /// The new size.
        size: Option<String>,
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
                Self::Place { family, client_oid: text(item, "clientOid")?, terms }
            }
            (Deed::Amend, Family::Unified) => {
                Self::Amend { order: Name::of(item)?, price: text(item, "price"), size: text(item, "qty") }
            }
            (Deed::Amend, Family::Classic) => Self::Replace {
                order: Name::of(item)?,
                client_oid: text(item, "newClientOid")?,
                price: text(item, "newPrice"),
                size: text(item, "newSize"),
            },
            (Deed::Cancel, _) => Self::Cancel { order: Name::of(item)? },
            (Deed::Detail | Deed::List(_), _) => return None,
        })
    }

    /// What the change is known by.
    pub fn id(&self) -> &str {
        match self {
            Self::Place { client_oid, .. } | Self::Replace { client_oid, .. } => client_oid,
            Self::Amend { order, .. } | Self::Cancel { order } => order.id(),
        }
    }
}

/// A member that is a text and says something.
pub(crate) fn text(from: &Value, name: &str) -> Option<String> {
    from.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}
