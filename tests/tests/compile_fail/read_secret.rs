//! E0624: the key is read out of credentials
use tradeapi::Credentials;

fn main() {
    let _ = Credentials::new("key", "secret", "passphrase").passphrase();
}
