//! Signed requests of several users to an exchange in process.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http::Request;
use serde_json::Value;
use sha2::Sha256;
use tradeapi_exchange::{Exchange, Keys, Mode, Profile, Settings, Time};

/// An exchange without rate limits whose time stands still, and the keys of its users. Each user has two accounts: those
/// with even numbers are classic ones, those with odd numbers unified ones.
pub(super) struct Desk {
    pub(super) exchange: Exchange,
    pub(super) keys: Vec<Keys>,
}

impl Desk {
    /// Opens accounts for users, who keep a long and a short position side by side or not, with these amounts of coins.
    pub(super) fn open(users: &[bool], balances: &[&[(&str, i64)]]) -> Self {
        let mut settings = Settings::default();
        settings.rate_limits = false;
        let mut profiles = users.iter().zip(balances).map(|(hedged, balances)| {
            let mode = if *hedged { Mode::Hedge } else { Mode::OneWay };
            let profile = Profile::new().both().mode(mode);
            balances.iter().fold(profile, |profile, (coin, amount)| profile.balance(coin, *amount))
        });
        let exchange = Exchange::with(settings, Time::by_hand(), profiles.next().unwrap());
        let mut keys = vec![exchange.keys().clone()];
        keys.extend(profiles.map(|profile| exchange.open_account(profile)));
        Self { exchange, keys }
    }

    pub(super) fn get(&self, account: usize, target: &str) -> Value {
        self.ask(account, "GET", target, String::new())
    }

    pub(super) fn post(&self, account: usize, path: &str, body: &Value) -> Value {
        self.ask(account, "POST", path, body.to_string())
    }

    /// Returns the answer to a signed request of an account's user.
    fn ask(&self, account: usize, method: &str, target: &str, body: String) -> Value {
        let (keys, at) = (&self.keys[account / 2], self.exchange.time().now().as_millis().to_string());
        let mut mac = Hmac::<Sha256>::new_from_slice(keys.secret.as_bytes()).unwrap();
        mac.update(format!("{at}{method}{target}{body}").as_bytes());
        let request = Request::builder()
            .method(method)
            .uri(target)
            .header("ACCESS-KEY", &keys.key)
            .header("ACCESS-SIGN", STANDARD.encode(mac.finalize().into_bytes()))
            .header("ACCESS-PASSPHRASE", &keys.passphrase)
            .header("ACCESS-TIMESTAMP", at)
            .header("Content-Type", "application/json");
        let answer = self.exchange.answer(&request.body(Bytes::from(body)).unwrap(), [127, 0, 0, 1].into());
        serde_json::from_slice(answer.body()).unwrap()
    }
}
