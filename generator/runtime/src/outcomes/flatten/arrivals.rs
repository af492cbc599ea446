//! Waits for the changes that were sent without an answer before, by this client or an earlier run.

use std::time::Duration;

use super::report::{Left, LeftOver};
use crate::calls::client::{ClientCore, Departure, UnderWay};
use crate::data::clock::{Moment, pause};
use crate::outcomes::confirm::{ConfirmPolicy, can_no_longer_arrive, visible_within};
use crate::state::journal::{Selection, StoredChange};

/// The longest pause before it is looked again what is under way.
const LOOK: Duration = Duration::from_secs(2);

/// The event that is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrivals {
    /// The requests that were sent before can have no effect any more.
    AreOver,
    /// The same, and the effect that it had is visible on every machine of the exchange.
    AreShown,
}

/// Waits until nothing that was sent before, or waits to be sent, can have an effect.
///
/// Fails with what may still have one, if that takes until `end`, or longer than the deadline of the policy.
pub(super) async fn wait_for(
    client: &ClientCore,
    arrivals: Arrivals,
    policy: &ConfirmPolicy,
    end: Duration,
) -> Result<(), Vec<Left>> {
    let (deadline, _) = policy.deadline_and_lag();
    let mut journaled = open_in_journal(client).await.map_err(|why| vec![of_no_family(LeftOver::Unknown(why))])?;
    loop {
        let (now, outstanding) = (client.moment(), client.outstanding());
        // What the exchange has not been asked to do yet.
        let mut open: Vec<LeftOver> = Vec::new();
        for operation in outstanding.waiting {
            open.push(LeftOver::UnderWay(UnderWay::waiting(operation)));
        }
        // The journal has the changes of this run, too, by clocks that may have been set since.
        journaled.retain(|stored| outstanding.unanswered.iter().all(|left| left.change != Some(stored.number)));
        let mut longest = Duration::ZERO;
        for left in outstanding.unanswered {
            let wait = needed(client, arrivals, policy, left, now);
            if !wait.is_zero() {
                open.push(LeftOver::UnderWay(client.shown(left)));
                longest = longest.max(wait);
            }
        }
        longest = longest.max(until_shown(outstanding.last_added, arrivals, policy, now));
        journaled.retain(|StoredChange { change, .. }| {
            let id = change.client_ids.first().map(String::as_str);
            !can_no_longer_arrive(client, (&change.request, id), change.signed(), now, policy)
        });
        for StoredChange { change, .. } in &journaled {
            let (operation, signed_at) = (change.operation.clone(), change.signed_at);
            open.push(LeftOver::OpenInJournal { operation, signed_at });
        }
        if open.is_empty() && longest.is_zero() {
            return Ok(());
        }
        if longest > deadline || now.steady.saturating_add(longest) >= end {
            if open.is_empty() {
                open.push(LeftOver::Unknown("what was done may be shown after the deadline only".to_owned()));
            }
            return Err(open.into_iter().map(of_no_family).collect());
        }
        pause(client.environment(), if longest.is_zero() { LOOK } else { longest.min(LOOK) }).await;
    }
}

/// Returns how long until what this client has sent without an answer has no effect any more, or is shown.
pub(super) fn expected_wait(client: &ClientCore, arrivals: Arrivals, policy: &ConfirmPolicy) -> Duration {
    let (now, outstanding) = (client.moment(), client.outstanding());
    let of_last = outstanding.unanswered.last().map(|left| needed(client, arrivals, policy, *left, now));
    of_last.unwrap_or_default().max(until_shown(outstanding.last_added, arrivals, policy, now))
}

/// Returns how long until a change without an answer has no effect any more, or is shown.
fn needed(client: &ClientCore, arrivals: Arrivals, policy: &ConfirmPolicy, left: Departure, now: Moment) -> Duration {
    let visible = visible_within(client, left.at, policy).unwrap_or(Duration::MAX);
    let needed = match arrivals {
        Arrivals::AreOver => visible.saturating_sub(policy.deadline_and_lag().1),
        Arrivals::AreShown => visible,
    };
    needed.saturating_sub(now.steady_since(left.at))
}

/// Returns how long until the order that was placed or amended last is shown.
fn until_shown(added: Option<Moment>, arrivals: Arrivals, policy: &ConfirmPolicy, now: Moment) -> Duration {
    let added = added.filter(|_| arrivals == Arrivals::AreShown);
    added.map_or(Duration::ZERO, |added| policy.shown_after().saturating_sub(now.steady_since(added)))
}

/// The changes of the account that the journal has open.
async fn open_in_journal(client: &ClientCore) -> Result<Vec<StoredChange>, String> {
    let of_journal = |error| format!("the journal, which may have changes that arrive later: {error}");
    let Some(journal) = client.bound_journal().await.map_err(of_journal)? else { return Ok(Vec::new()) };
    let mut open = journal.read(Selection::Open).await.map_err(of_journal)?;
    open.retain(|stored| client.is_of_account(stored));
    Ok(open)
}

fn of_no_family(what: LeftOver) -> Left {
    Left { family: "", line: None, what }
}
