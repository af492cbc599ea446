//! E0277: a quotient may have infinitely many digits.
//! The compiler says: a `Decimal` is divided as `a.to_rust_decimal()? / b.to_rust_decimal()?`, which rounds

fn main() {
    let _ = tradeapi::dec!(1) / tradeapi::dec!(3);
}
