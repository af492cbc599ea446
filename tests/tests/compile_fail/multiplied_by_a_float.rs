//! E0277: a product with a float is not exact.
//! The compiler says: `{float}` is not an exact number

fn main() {
    let price = tradeapi::dec!(64000);
    let _ = &price * 1.02;
}
