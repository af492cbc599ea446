//! The examples of the schema have no undocumented parts.

use tradeapi::Operation;
use tradeapi::runtime::drift::{Drift, DriftKind};
use tradeapi_tests::schema;

use super::record;

macro_rules! for_each {
    ($($operation:ty),+ $(,)?) => {
        /// Collects the drift of all examples.
        fn all_examples() -> Drift {
            let drift = Drift::new();
            $(examples_of::<$operation>(&drift);)+
            drift
        }
    };
}
tradeapi::for_each_operation!(for_each);

fn examples_of<O: Operation>(drift: &Drift) {
    for example in schema::examples(O::META) {
        let _ = record::<O>(drift, &example.response);
    }
}

#[test]
fn examples_have_no_unknown_parts() {
    let report = all_examples().report();
    assert_eq!(report.operations.len(), schema::operations().len());
    // Fields that examples may omit, undocumented ones that they show, and codes of items, which no document lists.
    let may_be = [DriftKind::MissingField, DriftKind::Observed, DriftKind::UnlistedCode];
    for operation in &report.operations {
        assert_eq!((operation.broken, operation.left_out), (0, 0), "{}", operation.operation);
        let unknown = operation.entries.iter().find(|entry| !may_be.contains(&entry.kind));
        assert!(unknown.is_none(), "{}: {}", operation.operation, unknown.unwrap());
    }
}

#[test]
fn parts_without_an_example_equal_their_snapshot() {
    insta::assert_snapshot!(all_examples().report());
}
