//! Whom the changes of an account in a journal belong to, and the process that a journal does.
//!
//! The owner is the API, the address, the headers that select a market, and a digest of the key with a salt of its own,
//! for each account name. The journal stores it as a text that the client writes and compares, so that a store needs no
//! rule. What a caller states of an account is not part of it, because it changes while the account is the same. A
//! client that is not the owner is refused on its first use, because a store on a network cannot be asked while a
//! client is built.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::data::error::JournalError;
use crate::data::json::{read_json, write_json};

/// The facts that distinguish the clients of an account from others. The properties that a caller states of an account
/// are not among it, because they change while the account stays the same.
#[derive(Clone, Copy)]
pub(crate) struct Owner<'a> {
    /// The name of the API.
    pub(crate) api: &'a str,
    pub(crate) address: &'a str,
    /// The headers that select a market, with their values.
    pub(crate) market: &'a str,
    /// Empty if the client has none.
    pub(crate) key: &'a [u8],
}

crate::record! {
    /// An owner as it is stored.
    struct Stored {
        #[wire("api")]
        api: Option<String>,
        #[wire("address")]
        address: Option<String>,
        #[wire("market")]
        market: Option<String>,
        #[wire("salt")]
        salt: Option<String>,
        #[wire("key")]
        key: Option<String>,
    }
}

impl Owner<'_> {
    /// Returns the text that is stored. The salt differs each time, so that the digest is not that of another journal.
    pub(crate) fn written(&self) -> String {
        let salt = crate::data::value::mint().as_str().to_owned();
        let key = Some(self.digest(&salt));
        let own = |text: &str| Some(text.to_owned());
        let (api, address, market) = (own(self.api), own(self.address), own(self.market));
        write_json(&Stored { api, address, market, salt: Some(salt), key, ..Stored::default() })
    }

    /// Refuses a client that is not the stored owner of the changes of `account`.
    pub(crate) fn check(&self, account: &str, stored: &str) -> Result<(), JournalError> {
        let stored: Stored = read_json(stored).unwrap_or_default();
        let is_key = stored.salt.zip(stored.key).is_some_and(|(salt, key)| self.digest(&salt) == key);
        let shown = |name: &str, stored: Option<String>, own: &str| {
            let stored = stored.unwrap_or_default();
            (stored != own).then(|| format!("the {name} {stored:?}, and this client is for {own:?}"))
        };
        let why = shown("API", stored.api, self.api)
            .or_else(|| shown("address", stored.address, self.address))
            .or_else(|| shown("market", stored.market, self.market))
            .or_else(|| (!is_key).then(|| "another key".to_owned()));
        match why {
            None => Ok(()),
            Some(why) => Err(JournalError::Foreign { account: account.to_owned(), why }),
        }
    }

    fn digest(&self, salt: &str) -> String {
        let hash = Sha256::new_with_prefix(salt.as_bytes()).chain_update([0]).chain_update(self.key);
        URL_SAFE_NO_PAD.encode(hash.finalize())
    }
}

/// The process that opened a journal. A forked one shares its files and connections, and must not use them: the journal
/// refuses by itself, because it can be used without a client.
#[cfg(any(feature = "journal", feature = "redis"))]
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnProcess(u32);

#[cfg(any(feature = "journal", feature = "redis"))]
impl OwnProcess {
    pub(super) fn new() -> Self {
        Self(std::process::id())
    }

    /// Returns whether this is another process, which was forked from the one that opened the journal.
    pub(super) fn is_forked(self) -> bool {
        self.0 != std::process::id()
    }

    /// Refuses to use the journal at `place` in a forked process.
    pub(super) fn refuse_in_child(self, place: &str) -> Result<(), JournalError> {
        match self.is_forked() {
            false => Ok(()),
            true => Err(JournalError::Forked { place: place.to_owned() }),
        }
    }

    /// Returns the owner as it is in a forked process.
    #[cfg(test)]
    pub(super) fn of_parent(self) -> Self {
        Self(self.0.wrapping_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Owner<'static> = Owner { api: "a", address: "https://b", market: "", key: b"key-7" };

    #[test]
    fn each_part_is_compared_and_the_key_is_not_shown() {
        let stored = OWN.written();
        assert!(OWN.check("", &stored).is_ok() && !stored.contains("key-7"));
        assert_ne!(stored, OWN.written(), "the salt is another one");
        let others = [
            Owner { api: "b", ..OWN },
            Owner { address: "https://c", ..OWN },
            Owner { market: "demo: 1", ..OWN },
            Owner { key: b"key-8", ..OWN },
            Owner { key: b"", ..OWN },
        ];
        for other in others {
            assert!(other.check("", &stored).is_err_and(|error| !error.to_string().contains("key-")));
        }
        assert!(OWN.check("", "{").is_err(), "an owner that cannot be read is another one");
    }
}
