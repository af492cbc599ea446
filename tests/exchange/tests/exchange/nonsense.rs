//! No request makes the exchange panic.

use bytes::Bytes;
use http::Request;
use proptest::prelude::*;
use tradeapi_exchange::{Exchange, Profile, Seed};

/// Returns bodies that resemble requests.
fn nearly_json() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        Just("category"),
        Just("symbol"),
        Just("qty"),
        Just("side"),
        Just("orderType"),
        Just("price"),
        Just("orderId"),
        Just("clientOid"),
        Just("productType"),
        Just("size"),
        Just("marginMode"),
        Just("marginCoin"),
        Just("orderList"),
        Just("orderIdList"),
        Just("startTime"),
        Just("endTime"),
        Just("limit"),
        Just("cursor"),
        Just("idLessThan"),
        Just("newSize"),
        Just("newPrice"),
        Just("newClientOid"),
        Just("requestTime"),
        Just("receiveWindow"),
        Just("code"),
    ];
    let value = prop_oneof![
        Just("\"BTCUSDT\"".to_owned()),
        Just("\"SPOT\"".to_owned()),
        Just("\"USDT-FUTURES\"".to_owned()),
        Just("\"buy\"".to_owned()),
        Just("\"limit\"".to_owned()),
        Just("\"market\"".to_owned()),
        Just("\"USDT\"".to_owned()),
        Just("\"crossed\"".to_owned()),
        Just("null".to_owned()),
        Just("\"\"".to_owned()),
        Just("\"79228162514264337593543950335\"".to_owned()),
        Just("\"1e999\"".to_owned()),
        Just("\"-1\"".to_owned()),
        Just("\"0.000000000000000000000000001\"".to_owned()),
        Just("\"18446744073709551615\"".to_owned()),
        "[0-9]{1,40}",
        "\"[0-9]{1,20}(\\.[0-9]{1,20})?\"",
        "\"[ -~]{0,12}\"",
    ];
    let members = proptest::collection::vec((name, value), 0..12);
    let object = members.prop_map(|members| {
        let members: Vec<_> = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    });
    let list = proptest::collection::vec(object.clone(), 0..3).prop_map(|items| format!("[{}]", items.join(",")));
    prop_oneof![4 => object, 2 => list, 1 => "[ -~]{0,60}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_parameters_make_it_panic(parameters in nearly_json(), query in "[ -~]{0,60}", seed in 0..3_u64) {
        let exchange = Exchange::for_user(Seed(seed), Profile::new().both());
        for family in [tradeapi::unified::OPERATIONS, tradeapi::classic::OPERATIONS, tradeapi::broker::OPERATIONS] {
            for meta in family {
                let query: String = query.bytes().map(|byte| format!("%{byte:02x}")).collect();
                let pairs = parameters.trim_matches(['{', '}']).replace(['"', ' '], "").replace(':', "=").replace(',', "&");
                let target = if meta.method.has_query() { format!("{}?{query}&{pairs}", meta.path) } else { meta.path.to_owned() };
                let Ok(request) = Request::builder().method(meta.method.as_str()).uri(target)
                    .body(Bytes::from(parameters.clone())) else { continue };
                let signed = crate::raw::sign(request, &exchange);
                let answer = exchange.answer(&signed, [127, 0, 0, 1].into());
                prop_assert!(serde_json::from_slice::<serde_json::Value>(answer.body()).is_ok());
            }
        }
    }
}
