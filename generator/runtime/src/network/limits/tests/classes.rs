//! The rows that apply to a call.

use super::driver::{limits, operation, per_ip, per_uid};
use crate::data::checks::Checks;
use crate::data::parameters::{ParameterReader, ParameterWriter, Parameters};
use crate::data::tables::{Effect, RateLimit, Scope};
use crate::name;
use crate::network::limits::{Admission, Call, Classes, LimitSettings, Limiter};

/// A pair, or a batch of them.
struct Order(Vec<&'static str>);

struct Item(&'static str);

impl Parameters for Item {
    fn write(&self, out: &mut ParameterWriter) {
        out.text(name!("symbol"), &self.0);
    }

    fn read(_: &mut ParameterReader<'_>) -> Option<Self> {
        None
    }

    fn check(&self, _: &mut Checks<'_>) {}
}

impl Parameters for Order {
    fn write(&self, out: &mut ParameterWriter) {
        out.text(name!("side"), &"rBuy");
        match self.0.as_slice() {
            [symbol] => out.text(name!("symbol"), symbol),
            symbols => out.list(name!("orders"), &symbols.iter().map(|symbol| Item(symbol)).collect::<Vec<_>>()),
        }
    }

    fn read(_: &mut ParameterReader<'_>) -> Option<Self> {
        None
    }

    fn check(&self, _: &mut Checks<'_>) {}
}

fn rows() -> [RateLimit; 5] {
    let address = RateLimit { class: "listed", ..per_ip(7) };
    [per_uid(10, "default"), per_uid(5, "reality"), per_uid(30, "listed"), per_ip(100), address]
}

/// The numbers of calls of the rows that apply.
fn holding(classes: &Classes, symbols: &[&'static str]) -> Vec<u32> {
    let meta = operation("place", Effect::Create, &rows());
    let order = Order(symbols.to_vec());
    let [uid_class, ip_class] =
        [Scope::Uid, Scope::Ip].map(|scope| classes.choose(meta.limits, scope, &order).unwrap_or("default"));
    let mut call = Call::new(meta);
    (call.uid_class, call.ip_class) = (uid_class, ip_class);
    call.limits().map(|row| row.calls).collect()
}

#[test]
fn without_a_class_the_default_rows_hold() {
    assert_eq!(holding(&Classes::new(), &["a"]), [10, 100]);
    assert_eq!(holding(&Classes::new().always("unheard-of"), &["a"]), [10, 100]);
}

#[test]
fn the_rows_of_a_class_take_the_place_of_the_default_ones_of_their_scope() {
    assert_eq!(holding(&Classes::new().always("reality"), &["a"]), [5, 100]);
    assert_eq!(holding(&Classes::new().always("listed"), &["a"]), [30, 7]);
}

#[test]
fn the_first_class_counts() {
    let first = Classes::new().always("listed").always("reality");
    assert_eq!(holding(&first, &["a"]), [30, 7]);
    // Each scope by itself.
    let other = Classes::new().always("reality").always("listed");
    assert_eq!(holding(&other, &["a"]), [5, 7]);
}

#[test]
fn a_class_can_depend_on_a_parameter() {
    let reality = Classes::new().when("reality", "symbol", |symbol| symbol.starts_with('r'));
    assert_eq!(holding(&reality, &["rA"]), [5, 100]);
    assert_eq!(holding(&reality, &["A"]), [10, 100]);
    assert_eq!(holding(&reality, &["A", "rB"]), [5, 100]);
    assert_eq!(holding(&reality, &["A", "B"]), [10, 100]);
    let other = Classes::new().when("reality", "pair", |_| true);
    assert_eq!(holding(&other, &["rA"]), [10, 100]);
}

#[test]
fn classes_are_counted_apart() {
    let meta = operation("place", Effect::Create, &rows());
    let limits = limits(LimitSettings::new());
    let count = |class| {
        let mut call = Call::new(meta);
        call.uid_class = class;
        let admissions = std::iter::repeat_with(|| limits.0.admit(call, false));
        admissions.take_while(|answer| matches!(answer, Admission::Now(Ok(_)))).count()
    };
    assert_eq!((count("default"), count("reality"), count("listed"), count("reality")), (10, 5, 30, 0));
}
