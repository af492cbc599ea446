//! The members around the data that a client cannot read, and those that come twice.

use tradeapi::runtime::drift::{Drift, DriftKind};
use tradeapi::unified::CancelOrder;

use super::record;

/// Returns the kind and the path of each finding in an answer.
fn found(body: &str) -> Vec<(DriftKind, String)> {
    let drift = Drift::new();
    let _ = record::<CancelOrder>(&drift, body);
    let operations = drift.report().operations;
    operations.into_iter().flat_map(|operation| operation.entries).map(|entry| (entry.kind, entry.path)).collect()
}

#[test]
fn what_a_client_cannot_read_of_the_envelope_is_reported() {
    const PARTS: [&str; 3] = ["code", "msg", "requestTime"];
    let with = |part: &str, value: &str| {
        let own = |name: &str, usual: &str| if name == part { value.to_owned() } else { usual.to_owned() };
        let [code, msg, time] = [own("code", r#""00000""#), own("msg", r#""success""#), own("requestTime", "5")];
        found(&format!(
            r#"{{"code":{code},"msg":{msg},"requestTime":{time},"data":{{"orderId":"1","clientOid":"2"}}}}"#
        ))
    };
    assert_eq!(with("", ""), []);
    for part in PARTS {
        assert_eq!(with(part, "null"), [(DriftKind::WrittenOtherwise, part.to_owned())], "{part}");
        for nested in ["{}", r#"["00000"]"#] {
            assert_eq!(with(part, nested), [(DriftKind::Unreadable, part.to_owned())], "{part}: {nested}");
        }
    }
    for time in ["1.7E12", "-1", "99999999999999999999", "true", r#""2026-09-21T00:00:00Z""#] {
        assert_eq!(with("requestTime", time), [(DriftKind::Unreadable, "requestTime".to_owned())], "{time}");
    }
    // The client reads them.
    for (part, value) in [("msg", "42"), ("requestTime", r#""1790000000123""#)] {
        assert_eq!(with(part, value), [], "{part}: {value}");
    }
}

#[test]
fn a_member_that_comes_twice_is_reported() {
    let twice = |around: &str, within: &str| {
        found(&format!(
            r#"{{"code":"00000","msg":"","requestTime":5,"data":{{"orderId":"1","clientOid":"2"{within}}}{around}}}"#
        ))
    };
    assert_eq!(twice("", ""), []);
    assert_eq!(twice("", r#","orderId":"3""#), [(DriftKind::Unreadable, "data.orderId".to_owned())]);
    assert_eq!(twice(r#","data":null"#, ""), [(DriftKind::Unreadable, "data".to_owned())]);
}
