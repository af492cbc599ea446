//! E0277: credentials are printed
use tradeapi::Credentials;

fn main() {
    println!("{}", Credentials::new("key", "secret", "passphrase"));
}
