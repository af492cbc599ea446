//! The families of operations that serve the key of a client, where a key is of an account of one kind.

use std::fmt;

use super::listing::{Listing, Part};
use crate::calls::client::ClientCore;
use crate::calls::pages::PageError;
use crate::calls::retry::RetryPolicy;
use crate::data::error::{Error, Refusal};
use crate::data::tables::{CredentialCause, KnownError};
use crate::data::value::Timestamp;

/// The families of operations that serve the key of a client, and those that refuse it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServedFamilies {
    /// The families that serve it, such as `unified`.
    pub served: Vec<&'static str>,
    /// The families that refuse it, because its account is of another kind.
    pub refused: Vec<RefusedFamily>,
}

/// A family that refuses a key, because its account is of another kind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedFamily {
    /// The family.
    pub family: &'static str,
    /// The code of the refusal.
    pub code: &'static str,
    /// The meaning of the code.
    pub says: &'static str,
}

impl ServedFamilies {
    /// Returns whether no refusal of the family is known.
    fn serve(&self, family: &str) -> bool {
        self.refused.iter().all(|refused| refused.family != family)
    }

    /// Returns whether calls of a family are of use: it serves the key, or no family does, so that a call tells why.
    pub fn includes(&self, family: &str) -> bool {
        self.served.is_empty() || self.serve(family)
    }

    /// The listings of the families that are read.
    pub(crate) fn of(&self, listings: &[Listing]) -> Vec<Listing> {
        listings.iter().filter(|listing| self.includes(listing.family)).copied().collect()
    }
}

impl fmt::Display for RefusedFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { family, code, says } = self;
        write!(f, "the family {family} does not serve this key (code {code}: {})", says.trim_end_matches('.'))
    }
}

/// Asks which families of operations serve the key of the client, where a code says that a key belongs to an account of
/// another kind: each family that lists open orders is asked for them once, and the client and its clones remember the
/// answer. A key of an exchange without such a code is served by all.
///
/// # Errors
///
/// Fails if a family cannot be asked. What other families answered is remembered.
pub async fn served_families(client: &ClientCore, listings: &[Listing]) -> Result<ServedFamilies, Error> {
    ask(client, listings).await.map_err(|(_, error)| error)
}

/// The same; the error has the id of the operation that failed.
pub(super) async fn ask(client: &ClientCore, listings: &[Listing]) -> Result<ServedFamilies, (&'static str, Error)> {
    let mut found = ServedFamilies::default();
    for listing in listings.iter().filter(|listing| listing.part == Part::OpenOrders) {
        let family = listing.family;
        if found.served.contains(&family) || !found.serve(family) {
            continue;
        }
        match refusal(client, listing).await.map_err(|error| (listing.operation, error))? {
            Some(KnownError { code, text, .. }) => found.refused.push(RefusedFamily { family, code, says: text }),
            None => found.served.push(family),
        }
    }
    Ok(found)
}

/// The code with which the family of a listing refuses the key; `None` if it serves it.
async fn refusal(client: &ClientCore, listing: &Listing) -> Result<Option<&'static KnownError>, Error> {
    if !client.refuses_accounts(listing.family) {
        return Ok(None);
    }
    if let Some(asked) = client.asked_family(listing.family) {
        return Ok(asked);
    }
    let (turn, retry) = (listing.turns().into_iter().next().flatten(), RetryPolicy::new());
    let pages = listing.walk(client, turn, Timestamp::default(), &retry);
    let mut pages = pages.map_err(|why| Error::Refused(Box::new(Refusal::new(listing.operation, why))))?;
    let refused = match pages.advance().await {
        Some(Err(PageError::Call(error))) => Some(account_code(&error).ok_or(error)?),
        _ => None,
    };
    client.note_family(listing.family, refused);
    Ok(refused)
}

/// The trusted code by which an error says that the account is of another kind.
fn account_code(error: &Error) -> Option<&'static KnownError> {
    let error = error.exchange()?;
    error.known.filter(|_| error.credential_cause() == Some(CredentialCause::Account))
}
