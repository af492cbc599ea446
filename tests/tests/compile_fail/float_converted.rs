//! E0277: a decimal is made of a number that is not exact
//! The compiler says: `f64` is not exact: write `dec!(0.1)`, or parse the text of the number
fn main() {
    let _ = tradeapi::Decimal::from(0.1);
}
