//! The faults of a network, and the requests that may have them.

use bytes::Bytes;
use serde_json::Value;

use crate::counts::Situation;
use crate::operation::{Action, Operation};

/// A fault of the network with a request or its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NetworkFault {
    None,
    /// The request is lost, and the connection breaks.
    RequestLost,
    /// The request is lost, and the connection stays open.
    RequestLostSilently,
    /// The request arrives, and the answer is lost with the connection.
    AnswerLost,
    /// The request arrives, the answer is lost, and the connection stays open.
    AnswerLostSilently,
    /// Later requests overtake the request.
    RequestDelayed,
    /// The request arrives many seconds later.
    RequestHeld,
    /// All messages are held back for a while.
    Stall,
    /// Later answers overtake the answer.
    AnswerDelayed,
    /// The connection cannot be made.
    NotConnected,
    /// A proxy sends the request twice, and passes on the second answer.
    Repeated,
}

/// The weight of each fault, compared with the others.
pub(super) const NETWORK_FAULTS: [(NetworkFault, u64); 10] = [
    (NetworkFault::RequestLost, 3),
    (NetworkFault::RequestLostSilently, 2),
    (NetworkFault::AnswerLost, 3),
    (NetworkFault::AnswerLostSilently, 2),
    (NetworkFault::RequestDelayed, 4),
    (NetworkFault::RequestHeld, 2),
    (NetworkFault::Stall, 1),
    (NetworkFault::AnswerDelayed, 4),
    (NetworkFault::NotConnected, 2),
    (NetworkFault::Repeated, 2),
];

impl NetworkFault {
    /// Returns the situation that a request with this fault shows once it has arrived.
    pub(super) fn shown_by(self, request: &http::Request<Bytes>) -> Option<Situation> {
        match self {
            Self::RequestDelayed | Self::RequestHeld => Some(Situation::RequestDelayed),
            Self::AnswerDelayed => Some(Situation::AnswerDelayed),
            Self::AnswerLost | Self::AnswerLostSilently => Some(Situation::AnswerLost),
            Self::Repeated if is_amended_or_cancelled(request) => Some(Situation::ChangeRepeated),
            Self::Repeated => Some(Situation::Repeated),
            Self::None | Self::RequestLost | Self::RequestLostSilently | Self::Stall | Self::NotConnected => None,
        }
    }
}

/// Returns whether a request has the same effect when it arrives twice.
pub(super) fn can_be_repeated(operation: Option<&Operation>, body: &[u8]) -> bool {
    let Some(operation) = operation else { return false };
    let is_named = || serde_json::from_slice::<Value>(body).is_ok_and(|body| body["clientOid"].is_string());
    match operation.action {
        Action::Detail | Action::List(_) => true,
        Action::Place => !operation.is_batch && is_named(),
        Action::Amend | Action::Cancel => !operation.is_batch,
        Action::Set => false,
    }
}

/// Returns whether a request amends or cancels an order, which has no id for that by which a copy is recognized.
pub(super) fn is_amended_or_cancelled(request: &http::Request<Bytes>) -> bool {
    let operation = Operation::find(request.method().as_str(), request.uri().path());
    operation.is_some_and(|operation| matches!(operation.action, Action::Amend | Action::Cancel))
}
