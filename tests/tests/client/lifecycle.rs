//! Lifecycles of the emitted enums, compared with tables written from the documents; records, and the gate of
//! amendments.

use std::fmt::Debug;

use tradeapi::runtime::json::read_json;
use tradeapi::runtime::lifecycle::Possible::{self, No, Unspecified, Yes};
use tradeapi::runtime::lifecycle::{HasState, Monitor, Observed, State};
use tradeapi::runtime::orders::AmendGate;
use tradeapi::{classic, unified};

/// A row for each state: its text, whether it is final, can be cancelled and modified, and its successors.
type Row<const N: usize> = (&'static str, bool, Possible, Possible, [Possible; N]);

fn compare<S: State + Debug, const N: usize>(states: &[S], table: [Row<N>; N]) {
    assert_eq!(states.len(), N);
    for (state, (text, is_terminal, cancel, modify, becomes)) in states.iter().zip(table) {
        assert_eq!(state.as_str(), text);
        assert_eq!(state.is_terminal(), is_terminal, "{text}");
        assert_eq!((state.can_cancel(), state.can_modify()), (cancel, modify), "{text}");
        let possible: Vec<_> = states.iter().map(|next| state.can_become(next)).collect();
        assert_eq!(possible, becomes, "{text}");
    }
}

#[test]
fn classic_states_are_those_of_the_document() {
    compare(
        classic::OrderState::ALL,
        [
            // Cancelled by three operations; modified with size and price, or only its presets; fills are not shown.
            ("live", false, Yes, Yes, [Yes, Unspecified, Unspecified, Yes]),
            // Pending, so it can be cancelled; only an order in the state new can be modified.
            ("partially_filled", false, Yes, No, [No, Yes, Unspecified, Yes]),
            ("filled", true, No, No, [No, No, Yes, No]),
            ("canceled", true, No, No, [No, No, No, Yes]),
        ],
    );
}

#[test]
fn unified_states_are_those_of_the_document() {
    compare(
        unified::OrderStatus::ALL,
        [
            ("live", false, Yes, Yes, [Yes, Unspecified, Unspecified, Unspecified, Yes]),
            ("new", false, Yes, Yes, [Unspecified, Yes, Unspecified, Unspecified, Yes]),
            ("partially_filled", false, Yes, Yes, [No, Unspecified, Yes, Unspecified, Yes]),
            ("filled", true, No, No, [No, No, No, Yes, No]),
            ("cancelled", true, No, No, [No, No, No, No, Yes]),
        ],
    );
}

#[test]
fn nothing_is_known_of_an_undocumented_state() {
    let paused: unified::OrderStatus = read_json("\"paused\"").unwrap();
    let filled = unified::OrderStatus::Filled;
    assert!(!paused.is_terminal());
    assert_eq!((paused.can_cancel(), paused.can_modify()), (Unspecified, Unspecified));
    assert_eq!((paused.can_become(&filled), filled.can_become(&paused)), (Unspecified, Unspecified));
}

#[test]
fn conditions_are_in_the_tables() {
    let condition = |lifecycle: &tradeapi::runtime::lifecycle::Lifecycle, trigger: &str| -> Vec<&'static str> {
        let with = lifecycle.transitions.iter().filter(|one| one.triggers.contains(&trigger));
        with.map(|one| one.condition).collect()
    };
    let modify = condition(&classic::LIFECYCLE, "modify-order");
    assert_eq!(modify.len(), 2);
    assert!(modify.iter().all(|condition| condition.contains("new limit order")), "{modify:?}");
    assert_eq!(condition(&unified::LIFECYCLE, "modification rejected"), ["autoCancel is yes."]);
}

fn state_fields(record: &impl HasState) -> (Option<&str>, Option<&str>, Option<String>, Option<u64>) {
    let state = record.state().map(|state| tradeapi::runtime::value::OpenEnum::as_str(state).to_owned());
    (record.id(), record.client_id(), state, record.at().map(|at| at.as_millis()))
}

#[test]
fn records_have_their_state_under_their_own_names() {
    let expected = (Some("11"), Some("a"), Some("partially_filled".to_owned()), Some(1_790_000_000_000));
    let detail = r#"{"orderId":"11","clientOid":"a","state":"partially_filled","uTime":"1790000000000"}"#;
    let item = detail.replace("state", "status");
    let unified = detail.replace("state", "orderStatus").replace("uTime", "updatedTime");
    assert_eq!(state_fields(&read_json::<classic::Order>(detail).unwrap()), expected);
    assert_eq!(state_fields(&read_json::<classic::PendingOrder>(&item).unwrap()), expected);
    assert_eq!(state_fields(&read_json::<classic::HistoryOrder>(&item).unwrap()), expected);
    assert_eq!(state_fields(&read_json::<unified::Order>(&unified).unwrap()), expected);
    assert_eq!(state_fields(&read_json::<unified::Order>("{}").unwrap()), (None, None, None, None));
}

#[test]
fn one_monitor_takes_the_records_of_all_queries_of_a_family() {
    let mut monitor = Monitor::new(100);
    let pending: classic::PendingOrder =
        read_json(r#"{"orderId":"11","clientOid":"a","status":"live","uTime":"1000"}"#).unwrap();
    let detail: classic::Order = read_json(r#"{"clientOid":"a","state":"filled","uTime":"2000"}"#).unwrap();
    let again: classic::PendingOrder = read_json(r#"{"orderId":"11","status":"live","uTime":"3000"}"#).unwrap();
    assert_eq!(monitor.observe(&pending), Observed::First);
    assert_eq!(monitor.observe(&detail), Observed::Changed { from: classic::OrderState::Live, is_shown: false });
    assert_eq!(monitor.observe(&pending), Observed::Late);
    let change = monitor.observe(&again).check().expect_err("a filled order does not come back");
    assert_eq!(
        (change.order.as_str(), change.from, change.to),
        ("11", classic::OrderState::Filled, classic::OrderState::Live)
    );
}

#[test]
fn the_gate_keeps_one_amendment_and_five_of_a_batch() {
    use unified::{BatchModifyItem, BatchModifyOrders, ClientOid, ModifyOrder, OrderRef};
    let order = |id: &str| OrderRef::ClientOid(ClientOid::new(id).unwrap());
    let single = |id| ModifyOrder::new(order(id));
    let batch = |ids: &[&str]| BatchModifyOrders::new(ids.iter().map(|id| BatchModifyItem::new(order(id))).collect());
    let gate = AmendGate::new();

    let first = gate.enter(&single("a")).unwrap();
    assert_eq!(gate.enter(&single("a")).unwrap_err().at_most, 1);
    assert!(gate.enter(&single("b")).is_ok());
    assert!(gate.enter(&ModifyOrder::new(OrderRef::OrderId("a".into()))).is_ok(), "another order");
    drop(first);

    let mut passes: Vec<_> = (0..5).map(|_| gate.enter(&batch(&["a", "c"])).unwrap()).collect();
    let busy = gate.enter(&batch(&["d", "c"])).unwrap_err();
    assert_eq!((busy.order.as_str(), busy.in_flight, busy.at_most), ("unified clientOid=c", 5, 5));
    assert!(gate.enter(&single("c")).is_err());
    passes.pop();
    assert!(gate.enter(&batch(&["d", "c"])).is_ok());
    drop(passes);
    assert!(gate.is_empty());
}

/// Returns the diagram in the documentation of an enum.
fn diagram(file: &str) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.lines().map(str::trim).skip_while(|line| *line != "/// <div>").take_while(|line| *line != "///");
    lines.map(|line| line.trim_start_matches("/// ")).collect::<Vec<_>>().join("\n")
}

#[test]
fn diagrams_equal_their_snapshots() {
    for family in ["classic", "unified"] {
        let diagram = diagram(&format!("../generated/src/{family}/enums.rs"));
        let in_module = std::fs::read_to_string(format!("../generated/src/{family}/mod.rs")).unwrap();
        assert!(diagram.starts_with("<div>") && !in_module.contains("<svg"), "{family}: the picture is drawn once");
        assert!(in_module.contains("`] shows its lifecycle"), "{family}: the module leads to the picture");
        insta::assert_snapshot!(format!("diagram_{family}"), diagram);
    }
}

/// A line for each transition that is possible or unspecified, and none for excluded ones.
#[test]
fn diagrams_show_every_transition_once() {
    let lines = |family: &str| {
        let diagram = diagram(&format!("../generated/src/{family}/enums.rs"));
        let open = diagram.matches("stroke-dasharray").count();
        (diagram.matches(" C").count() - open, open, diagram.matches("<rect").count())
    };
    // Two transitions to canceled, one that keeps live, and three fills. Four states, two with a double frame.
    assert_eq!(lines("classic"), (3, 3, 6));
    // Three transitions to cancelled, three that keep a state, one rejection, and eight of matching.
    assert_eq!(lines("unified"), (7, 8, 7));
}
