//! The examples of the schema are answers as the documents have them.

use tradeapi::Operation;
use tradeapi::runtime::drift::{Drift, DriftKind};
use tradeapi_tests::schema;

use super::record;

macro_rules! for_each {
    ($($operation:ty),+ $(,)?) => {
        /// Looks at the examples of all operations.
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
fn examples_show_nothing_that_the_schema_does_not_know() {
    let report = all_examples().report();
    assert_eq!(report.operations.len(), schema::operations().len());
    // What an example need not show, what it shows though no document has it, and codes of items, which no document lists.
    let may_be = [DriftKind::MissingField, DriftKind::Observed, DriftKind::UnlistedCode];
    for operation in &report.operations {
        assert_eq!((operation.broken, operation.left_out), (0, 0), "{}", operation.operation);
        let unknown = operation.entries.iter().find(|entry| !may_be.contains(&entry.kind));
        assert!(unknown.is_none(), "{}: {}", operation.operation, unknown.unwrap());
    }
}

#[test]
fn what_no_example_shows_is_as_it_was_pinned() {
    insta::assert_snapshot!(all_examples().report());
}
