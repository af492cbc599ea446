//! E0277: a price is a number that is not exact
//! The compiler says: ExactNumber` is not implemented for `f64`
use tradeapi::unified::LimitExecution;

fn main() {
    let _ = LimitExecution::new(0.1);
}
