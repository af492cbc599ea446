//! E0423: an undocumented value is built by hand
use tradeapi::runtime::value::UnknownValue;
use tradeapi::unified::Category;

fn main() {
    let _ = Category::Unknown(UnknownValue("OPTIONS".into()));
}
