//! E0277: a sum may have too many digits, which the operator could not report.
//! The compiler says: a `Decimal` is added with `a.plus(&b)?`

fn main() {
    let _ = tradeapi::dec!(1) + tradeapi::dec!(2);
}
