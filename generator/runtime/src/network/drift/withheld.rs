//! Withholds texts in which a credential can be recognized, however it is spelled.

use std::cell::OnceCell;

use zeroize::Zeroizing;

use crate::network::signing::Credentials;

/// A shorter text is a part of too many credentials to reveal one.
const REVEALING: usize = 4;

/// Removes credentials of a call from the texts of its response.
pub(super) struct Redactor<'a> {
    credentials: Option<&'a Credentials>,
    /// Built on demand, because most responses contain nothing to compare.
    plain: OnceCell<Vec<Zeroizing<Vec<u8>>>>,
}

impl<'a> Redactor<'a> {
    pub(super) fn of(credentials: Option<&'a Credentials>) -> Self {
        Self { credentials, plain: OnceCell::new() }
    }

    /// `text`, unless it contains a credential or is a part of one, ignoring case and separators.
    pub(super) fn filter(&self, text: Option<Box<str>>) -> Option<Box<str>> {
        let credentials = self.plain.get_or_init(|| {
            let mut sent = Vec::from(self.credentials.map(Credentials::sent).unwrap_or_default().map(plain));
            sent.retain(|credential| !credential.is_empty());
            sent
        });
        text.filter(|text| {
            if credentials.is_empty() {
                return true;
            }
            let text = plain(text.as_bytes());
            let repeats = |credential: &[u8]| {
                contains(&text, credential) || text.len() >= REVEALING && contains(credential, &text)
            };
            !credentials.iter().any(|credential| repeats(credential))
        })
    }
}

/// Letters and digits alone, the letters small.
fn plain(text: &[u8]) -> Zeroizing<Vec<u8>> {
    // Allocated once: a vector that grows leaves copies behind.
    let mut plain = Zeroizing::new(Vec::with_capacity(text.len()));
    plain.extend(text.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase));
    plain
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_is_recognised_in_every_spelling() {
        let credentials = Credentials::new("apiKeyOfMine", "secret", "pass-Phrase e9");
        let withheld = Redactor::of(Some(&credentials));
        let passes = |text: &str| withheld.filter(Some(text.into())).is_some();
        for hidden in [
            "pass-Phrase e9",
            "passPhraseE9",
            "PASS_PHRASE_E9",
            "x.pass-phrase.e9.y",
            "passphrase",
            "hrasee9",
            "apikeyofmine",
            "keyOf",
        ] {
            assert!(!passes(hidden), "{hidden}");
        }
        for shown in ["newField", "passes", "e9", "api", "orderId", "USDT-FUTURES"] {
            assert!(passes(shown), "{shown}");
        }
        assert_eq!(withheld.filter(None), None);
    }

    #[test]
    fn without_credentials_nothing_is_redacted() {
        let nobody = Credentials::new("", "", "");
        for withheld in [Redactor::of(None), Redactor::of(Some(&nobody))] {
            assert_eq!(withheld.filter(Some("newField".into())).as_deref(), Some("newField"));
        }
    }
}
