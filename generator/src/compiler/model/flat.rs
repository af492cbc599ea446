//! The way the account of a family becomes flat.

use crate::compiler::diagnostics::Place;

type Placed = (String, Place);

/// The calls that cancel all orders and close all positions of a family.
#[derive(Clone, Debug)]
pub(crate) struct Flat {
    pub(crate) place: Place,
    pub(crate) cancel: Option<FlatCall>,
    pub(crate) close: Option<FlatClose>,
    pub(crate) value: Option<FlatValue>,
    pub(crate) reduce: Option<FlatReduce>,
}

/// An operation that is called for each value of a parameter.
#[derive(Clone, Debug)]
pub(crate) struct FlatCall {
    pub(crate) operation: Placed,
    pub(crate) over: Placed,
}

/// An operation that closes all positions of a business line.
#[derive(Clone, Debug)]
pub(crate) struct FlatClose {
    pub(crate) call: FlatCall,
    pub(crate) closed: Placed,
    pub(crate) failed: Placed,
    pub(crate) nothing: Vec<Placed>,
}

/// An operation that shows what all positions are worth.
#[derive(Clone, Debug)]
pub(crate) struct FlatValue {
    pub(crate) operation: Placed,
    pub(crate) field: Placed,
}

/// Orders that close positions.
#[derive(Clone, Debug)]
pub(crate) struct FlatReduce {
    pub(crate) operation: Placed,
    pub(crate) line: Placed,
    pub(crate) lines: Vec<Placed>,
    pub(crate) instrument: Placed,
    pub(crate) quantity: Placed,
    /// Parameters with the values that keep an order from opening a position.
    pub(crate) closes_with: Vec<(Placed, Vec<Placed>)>,
    /// Sets of other parameters with their values.
    pub(crate) long: Vec<Vec<(Placed, String)>>,
    pub(crate) short: Vec<Vec<(Placed, String)>>,
    pub(crate) side: Option<FlatSide>,
    pub(crate) place: Place,
}

/// The side of a position in the record of an order.
#[derive(Clone, Debug)]
pub(crate) struct FlatSide {
    pub(crate) field: Placed,
    pub(crate) long: String,
    pub(crate) short: String,
}
