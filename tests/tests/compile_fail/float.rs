//! E0277: a price is a number that is not exact
//! The compiler says: `{float}` is not an exact number
use tradeapi::unified::LimitExecution;

fn main() {
    let _ = LimitExecution::new(0.1);
}
