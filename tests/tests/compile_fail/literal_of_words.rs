//! E0080: `dec!` takes numbers only
use tradeapi::dec;

fn main() {
    let _ = dec!("0.01");
}
