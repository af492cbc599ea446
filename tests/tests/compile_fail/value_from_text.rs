//! E0308: an enum value is given as text
use tradeapi::unified::GetFillHistory;

fn main() {
    let _ = GetFillHistory::new().category("SPOT");
}
