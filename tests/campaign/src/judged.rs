//! A client under test as a process of its own, for a judge: it trades, and says what it believes. What its queries
//! leave open stays unknown, because the clock of another process cannot leap to the end of what records are kept for.

use std::io::{self, Write};
use std::sync::Arc;

use tradeapi::ConfirmPolicy;
use tradeapi::runtime::tables::Outcome;
use tradeapi_exchange::Keys;

use crate::account;
use crate::claim::{Claim, Naming};
use crate::clock::FastClock;
use crate::context::AccountContext;
use crate::ground_truth::{Effect, id_of};
use crate::settings::Settings;
use crate::variant::ClientVariant;

/// A client under test with the address and the keys of an exchange.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The address of the exchange.
    pub url: String,
    /// The credentials.
    pub keys: Keys,
    /// When the clock was right, in milliseconds.
    pub clock_right_at: u64,
    /// The seed, the number of placements, the speed and the variant. It has one account.
    pub settings: Settings,
}

impl Judged {
    /// Trades, and prints a line of JSON for each belief. A correct client closes everything at the end.
    ///
    /// # Errors
    ///
    /// The client cannot be built, the lines cannot be written, or something is left.
    pub fn run(self) -> io::Result<()> {
        tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(self.trade())
    }

    async fn trade(self) -> io::Result<()> {
        let settings = Arc::new(Settings { accounts: 1, ..self.settings });
        let clock = FastClock::synchronized(self.clock_right_at, settings.speed);
        let client =
            account::client_over_sockets(&settings, &self.url, &self.keys, &clock).map_err(io::Error::other)?;
        let mut context = AccountContext::new(Arc::clone(&settings), &client);
        context.shares_ids = false;
        account::trade_only(&[context.clone()], 0, |_, _| true).await;
        context.ledger.with_claims(|claims| {
            let claims = claims.iter().flat_map(|(effect, claims)| claims.iter().map(move |claim| (effect, claim)));
            claims
                .filter_map(|(effect, claim)| belief(effect, claim))
                .try_for_each(|line| writeln!(io::stdout(), "{line}"))
        })?;
        if settings.variant == ClientVariant::Correct {
            client.flatten(&ConfirmPolicy::new()).await.map_err(|left| io::Error::other(left.to_string()))?;
        }
        Ok(())
    }
}

/// Returns what a claim says, in the form that the judge reads. An order without an id cannot be named, and everything is
/// cancelled at the end.
fn belief(effect: &Effect, claim: &Claim) -> Option<String> {
    let (id, change) = match effect {
        Effect::Placed(label) => (id_of(label), "place"),
        Effect::Cancelled(label) if claim.outcome == Outcome::Done => (id_of(label), "cancel"),
        Effect::Amended(_, request_id) => (request_id.as_str(), "amend"),
        Effect::Cancelled(_) | Effect::Set(_) | Effect::Half(_) => return None,
    };
    let outcome = match claim.outcome {
        Outcome::Done => "done",
        Outcome::NotDone => "not_done",
        Outcome::Unknown => "unknown",
    };
    let is_named = claim.naming != Naming::SharedId && !id.is_empty();
    is_named.then(|| serde_json::json!({ "id": id, "change": change, "outcome": outcome }).to_string())
}
