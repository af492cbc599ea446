//! Cancels every order and closes every position of an account, until reading shows that none is left.
//!
//! An order that is under way may arrive, a closing order may find too few orders to trade with, and an answer may be
//! lost. So everything is cancelled and closed in rounds, and only answers that show nothing count as the end.
//!
//! Where no operation closes all positions, they follow from fills, and the value of all positions proves that none is
//! left. Fills may be old, late or incomplete, so that only orders are sent which cannot open a position. Two rounds have
//! to find nothing, with the time of arrival and of settling between them. A request of the last one that got no answer
//! is waited for as well: arriving later, it would close what was opened after the success. One listing may lack an order
//! that has arrived between the two rounds, so the last one lists as often as answers have to deny what does not exist.

mod calls;
mod holdings;
mod report;
mod rounds;

use std::time::Duration;

use crate::calls::client::ClientCore;
use crate::data::clock::pause;
use crate::data::json::Encode;
use crate::data::operation::Operation;
use crate::outcomes::confirm::ConfirmPolicy;
use crate::outcomes::reconcile::{Listing, ServedFamilies, ask};

pub use calls::{ClosingFields, ReducingFields, SideFields};
pub use report::{FlattenRound, Flattened, Left, LeftOver, NotFlat};

use calls::{CloseCall, EachLine, ReduceCall, SendRequest, ValueCall};
use rounds::Allowed;

/// The way the account of a family becomes flat. Emitted for each family with `flat` in the schema.
#[derive(Clone, Copy)]
pub struct Flat {
    family: &'static str,
    cancel: Option<EachLine>,
    close: Option<CloseCall>,
    value: Option<ValueCall>,
    reduce: Option<ReduceCall>,
}

impl Flat {
    /// Returns the family `family`, of which nothing is known yet.
    pub const fn new(family: &'static str) -> Self {
        Self { family, cancel: None, close: None, value: None, reduce: None }
    }

    /// Declares that `O` cancels all orders of a business line, for each of these values of a parameter.
    #[must_use]
    pub const fn cancelled_by<O>(self, over: &'static str, lines: &'static [&'static str]) -> Self
    where
        O: Operation + 'static,
    {
        let send: SendRequest = |client, request| Box::pin(calls::sent::<O>(client, request));
        Self { cancel: Some(EachLine { over, lines, send }), ..self }
    }

    /// Declares that `O` closes all positions of a business line, for each of these values of a parameter.
    #[must_use]
    pub const fn closed_by<O>(self, over: &'static str, lines: &'static [&'static str], fields: ClosingFields) -> Self
    where
        O: Operation<Response: Encode> + 'static,
    {
        Self { close: Some(CloseCall::of::<O>(over, lines, fields)), ..self }
    }

    /// Declares that `O` shows in this field what all positions are worth.
    #[must_use]
    pub const fn valued_by<O>(self, field: &'static str) -> Self
    where
        O: Operation<Response: Encode> + 'static,
    {
        Self { value: Some(ValueCall::of::<O>(field)), ..self }
    }

    /// Orders by `O` close positions, which follow from the fills of the family.
    #[must_use]
    pub const fn reduced_by<O>(self, fields: ReducingFields) -> Self
    where
        O: Operation + 'static,
    {
        let send: SendRequest = |client, request| Box::pin(calls::sent::<O>(client, request));
        Self { reduce: Some(ReduceCall { fields, send }), ..self }
    }
}

/// Cancels all orders and closes all positions of the families in `flats`, in rounds, until reading shows that none
/// is left: no listing has an open order, and every answer about positions shows none, in two rounds, before the
/// second of which everything that this client had sent has arrived and is shown. It succeeds once no change that this
/// client, another one of this process with the same key and address, or an earlier run with the same journal sent
/// without an answer can be carried out any more, whatever its operation: what is placed after the success stays.
///
/// Until it ends, those clients place and amend nothing: such a call fails and is not sent, also one that waits for a rate
/// limit already. Cancellations of others are sent, and waited for.
///
/// The first round cancels and closes what it finds, and the proof takes as long as `policy` assumes: after the last
/// order, [`ConfirmPolicy::settling`] and [`ConfirmPolicy::lag`], and, if its outcome is unknown, also the window of its
/// signature and [`ConfirmPolicy::clock_error`]; then again without the lag, if the last round got no answer to a request.
/// The last round lists the open orders [`ConfirmPolicy::denials`] times. Orders of other programs, and of earlier runs
/// without a journal, are not known here: stop them first. Spot holdings are not positions, and stay. So do
/// conditional orders, which wait for a price: one that opens a position can do so after the success.
///
/// Where positions follow from fills, those of [contracts that count in an unknown way](crate::state::ledger::Contract::Unknown)
/// are not closed, and those that were opened more than 90 days ago are not known. No order that is sent can open a
/// position, whichever position mode the account has.
///
/// It gives up after three minutes in which no round finds less than those before, after ten minutes altogether, or
/// when the deadline of `policy` has passed, if that is shorter than the [usual one](ConfirmPolicy::DEADLINE): then
/// nothing more is sent. It gives up at once if every change is refused for a reason that stays, such as a missing
/// permission or a journal on a full disk. Calling it again is safe. Calls wait for their rate limits.
///
/// A family that refuses the key, because its account is of another kind, is left out; see
/// [`served_families`](crate::outcomes::reconcile::served_families).
///
/// # Errors
///
/// Fails with what is left, or not known to be gone, such as [positions that are not closed](LeftOver::NotClosed) or
/// [changes that may still arrive](LeftOver::UnderWay).
pub async fn flatten(
    client: &ClientCore,
    flats: &[Flat],
    listings: &[Listing],
    policy: &ConfirmPolicy,
) -> Result<Flattened, NotFlat> {
    flatten_reporting(client, flats, listings, policy, &mut |_| {}).await
}

/// Returns the same as [`flatten`], and tells `report` of each round when it has ended.
///
/// # Errors
///
/// As [`flatten`].
pub async fn flatten_reporting(
    client: &ClientCore,
    flats: &[Flat],
    listings: &[Listing],
    policy: &ConfirmPolicy,
    report: &mut (dyn FnMut(&FlattenRound<'_>) + Send),
) -> Result<Flattened, NotFlat> {
    // Nothing of this client is placed until the end, so that nothing comes after the last round.
    let _door = client.close_door();
    let client = &client.for_flattening();
    let allowed = Allowed::from_now(client, policy);
    let families = served(client, listings, allowed.before_rounds()).await;
    let listings = families.of(listings);
    let flats: Vec<Flat> = flats.iter().filter(|flat| families.includes(flat.family)).copied().collect();
    let flat = rounds::flatten(client, &flats, &listings, (policy, allowed), report).await?;
    // If it fails, what is open still counts for the budget.
    let _ = client.set_flat();
    Ok(Flattened { refused: families.refused, ..flat })
}

/// Returns the families that serve the key; the account may be of another kind than when they were asked before. If
/// they cannot be asked, none is left out.
async fn served(client: &ClientCore, listings: &[Listing], allowed: Allowed) -> ServedFamilies {
    client.forget_families();
    for _ in 0..rounds::ATTEMPTS {
        match ask(client, listings, &allowed.retries(client)).await {
            Ok(families) => return families,
            Err(_) if allowed.left(client).is_none() => break,
            Err(_) => pause(client.environment(), Duration::from_millis(250)).await,
        }
    }
    ServedFamilies::default()
}
