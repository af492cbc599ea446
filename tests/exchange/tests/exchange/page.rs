//! The page in a real browser. Without one, these tests print that they are skipped.

use serde_json::json;
use tradeapi::unified::{GetOpenOrders, Side};
use tradeapi_exchange::{Family, Node, Seed};

use crate::browser::Browser;
use crate::control::{ask, client, done, served};
use crate::fixture::{code, limit, market};

/// The text of the page's hints.
const TEXT: &str = "document.body.innerText";

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_page_shows_the_first_steps_and_fills_without_a_reload() {
    let Some(mut browser) = Browser::start() else { return };
    let (exchange, address) = served(|_| {}).await;
    let client = client(&exchange, address);
    browser.look(1280, "light");
    browser.open(&format!("http://{address}/"));
    browser.until(&format!("{TEXT}.includes('cargo run -p tradeapi --example first_order')"));
    browser.until(&format!("{TEXT}.includes('No order is open') && {TEXT}.includes('No request yet')"));
    browser.value("window.before = true");

    client.unified().place_order(&limit("my-first-order", Side::Buy, "0.01", "63000")).await.unwrap();
    client.unified().place_order(&market("at-once", Side::Sell, "0.02")).await.unwrap();
    for shown in ["my-first-order", "0 / 0.01", "63000", "short", "0.02", "POST /api/v3/trade/place-order", "done"] {
        browser.until(&format!("{TEXT}.includes({shown:?})"));
    }
    browser.until(&format!("!{TEXT}.includes('--example first_order')"));
    exchange.set_price("BTCUSDT", 62_000).unwrap();
    browser.until("document.getElementById('last').textContent === '62000'");
    browser.until("document.querySelector('#chart .path').getAttribute('d').length > 20");
    browser.until(&format!("{TEXT}.includes('No order is open')"));
    assert_eq!(browser.value("window.before"), true, "the page was not loaded again");
    let foreign: Vec<_> =
        browser.requested.iter().filter(|url| !url.starts_with(&format!("http://{address}/"))).collect();
    assert!(foreign.iter().all(|url| url.starts_with("data:") || *url == "about:blank"), "{foreign:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_are_placed_from_the_page_as_by_any_client() {
    let Some(mut browser) = Browser::start() else { return };
    let (exchange, address) = served(|_| {}).await;
    browser.open(&format!("http://{address}/"));
    let placed = |text: &str| format!("document.getElementById('placed').textContent.startsWith({text:?})");
    let set = |id: &str, value: &str| format!("document.getElementById('place-{id}').value = '{value}'");
    browser.value(&set("qty", "0.02"));
    browser.press_by_keyboard("Buy");
    browser.until(&placed("Placed: buy 0.02 at market."));
    browser.until("state.fills.count === 1 && state.ended.count === 1 && state.positions.list[0].side === 'long'");
    for shown in ["Liquidated at", "filled", "0.02 / 0.02"] {
        browser.until(&format!("document.body.innerText.includes({shown:?})"));
    }
    browser.value(&set("price", "70000"));
    browser.value("document.getElementById('place-closes').click()");
    browser.press_by_keyboard("Sell");
    browser.until(&placed("Placed: sell 0.02 at 70000."));
    let own = &exchange.account(exchange.keys(), Family::Unified).open_orders[0];
    assert!(own.closes, "{own:?}");

    // A pair that only the classic family has.
    browser.value("chosenPair = state.pairs.list.find((pair) => pair.symbol === 'BTCUSD').index; refresh()");
    browser.until("document.getElementById('place-account').textContent.startsWith('as classic')");
    browser.value("document.getElementById('place-closes').click()");
    browser.value(&set("price", ""));
    browser.press_by_keyboard("Sell");
    browser.until(&placed("Placed: sell 0.02 at market."));
    assert_eq!(exchange.account(exchange.keys(), Family::Classic).positions.len(), 1);

    browser.value(&set("price", "1.23"));
    browser.value("document.getElementById('place-qty').focus()");
    browser.press_by_keyboard("Buy");
    browser.until(&placed("Not placed: "));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_opens_with_its_rule_and_the_way_to_the_reference() {
    let Some(mut browser) = Browser::start() else { return };
    let (exchange, address) = served(|_| {}).await;
    let client = client(&exchange, address);
    browser.open(&format!("http://{address}/"));
    client.unified().place_order(&limit("off-the-grid", Side::Buy, "0.01", "60000.05")).await.unwrap_err();
    browser.until("state.requests.count === 1");
    let details = "document.querySelector('#requests li:last-child details')";
    assert_eq!(browser.value(&format!("{details}.open")), false);
    browser.value(&format!("{details}.querySelector('summary').click()"));
    browser.until(&format!("{details}.innerText.includes('Rule unified.place-order.futures-price-step')"));
    let link = browser.value(&format!("{details}.querySelector('a').getAttribute('href')"));
    assert_eq!(link, "/docs/operations/unified/place-order.html#rule-futures-price-step");
    // It stays open while others come.
    client.unified().place_order(&limit("a", Side::Buy, "0.01", "60000")).await.unwrap();
    browser.until("document.querySelectorAll('#requests li').length === 2");
    assert_eq!(browser.value(&format!("{details}.open")), true);
    browser.until("document.querySelector('#bids strong').textContent.startsWith('0.01')");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keys_are_copied_and_the_theme_is_changed() {
    let Some(mut browser) = Browser::start() else { return };
    let (exchange, address) = served(|_| {}).await;
    browser.look(1280, "light");
    browser.open(&format!("http://{address}/"));
    browser.value("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
    browser.press_by_keyboard("keys");
    browser.until("window.copied !== undefined");
    let key = &exchange.keys().key;
    let expected = format!("export TRADEAPI_URL=http://{address}\nexport TRADEAPI_KEY={key}\n");
    assert!(browser.value("copied").as_str().unwrap().starts_with(&expected));
    let ground = "getComputedStyle(document.body).backgroundColor";
    let light = browser.value(ground);
    browser.press_by_keyboard("theme");
    let dark = browser.value(ground);
    assert_ne!(light, dark);
    browser.press_by_keyboard("theme");
    assert_eq!(browser.value(ground), light);
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_of_requests_are_never_markup() {
    let Some(mut browser) = Browser::start() else { return };
    let (_, address) = served(|_| {}).await;
    let hostile = "</code></script><img src=x onerror='hacked=1'><script>hacked=1</script>";
    ask(address, "POST /api/v3/trade/place-order", &[], hostile.as_bytes());
    browser.open(&format!("http://{address}/"));
    browser.until(&format!("document.getElementById('requests').textContent.includes({hostile:?})"));
    assert_eq!(browser.value("document.querySelectorAll('img').length + document.scripts.length"), 1);
    assert_eq!(browser.value("typeof hacked"), "undefined");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keyboard_reaches_every_control() {
    let Some(mut browser) = Browser::start() else { return };
    let (exchange, address) = served(|_| {}).await;
    let client = client(&exchange, address);
    browser.open(&format!("http://{address}/"));
    browser.press_by_keyboard("10×");
    browser.until("state.speed === 10 && document.querySelector('[data-speed=\"10\"]').ariaPressed === 'true'");
    browser.press_by_keyboard("Freeze");
    browser.until("state.speed === 0");
    let frozen = exchange.time().now().as_millis();
    browser.press_by_keyboard("+1 min");
    browser.until(&format!("state.now === {}", frozen + 60_000));

    browser.value("document.getElementById('price').value = '63500'");
    browser.press_by_keyboard("Set price");
    browser.until("state.market.last === '63500'");
    browser.until("document.getElementById('said').textContent === 'Set the price of BTCUSDT to 63500.'");
    browser.value("document.getElementById('price').value = 'nothing'");
    browser.press_by_keyboard("Set price");
    browser.until("document.getElementById('said').textContent.startsWith('Not done: invalid price')");

    browser.press_by_keyboard("Refuse it");
    browser.until(&format!("{TEXT}.includes('refused with 40762')"));
    let refused = client.unified().place_order(&market("a", Side::Buy, "0.01")).await;
    assert_eq!(code(refused), Some("40762".to_owned()));
    browser.until(&format!("{TEXT}.includes('refused 40762') && {TEXT}.includes('fault: refused on purpose')"));

    client.unified().place_order(&limit("b", Side::Buy, "0.01", "60000")).await.unwrap();
    browser.until("state.orders.count === 1");
    browser.value("window.confirm = () => true");
    browser.press_by_keyboard("reset");
    browser.until("state.orders.count === 0");
}

#[tokio::test(flavor = "multi_thread")]
async fn hostility_is_switched_on_and_off_and_shown() {
    let Some(mut browser) = Browser::start() else { return };
    let (exchange, address) = served(|_| {}).await;
    let client = client(&exchange, address);
    browser.open(&format!("http://{address}/"));
    browser.until(&format!("{TEXT}.includes('Off. A hostile exchange is honest') && !{TEXT}.includes('Switch off')"));
    browser.value("document.getElementById('hostile-faults').value = '100'");
    browser.value("document.getElementById('hostile-quirks').value = '0'");
    browser.value("document.getElementById('hostile-nodes').selectedIndex = 1");
    browser.press_by_keyboard("hostile-on");
    browser.until("state.hostility !== undefined && document.getElementById('hostile-on').textContent === 'Change'");
    let hostility = exchange.conditions().hostility.unwrap();
    let nodes = [Node::new(2), Node::new(1).lagging(2_500), Node::new(1).lagging(7_500)];
    assert_eq!((hostility.faults, hostility.quirks, hostility.seed), (100, 0, Seed(7)));
    assert_eq!(hostility.nodes, nodes);
    browser.until(&format!("{TEXT}.includes('100 % of changes and 50 % of queries')"));
    browser.until(&format!("{TEXT}.includes('1 of 4 requests: orders 2.5 s late')"));
    let _ = client.unified().place_order(&limit("a", Side::Buy, "0.01", "63000")).await;
    browser.until(&format!("/hostile: [a-z ]+/.test({TEXT}) && {TEXT}.includes('Faulted requests: 1.')"));

    // Settings of a script are shown as well, and typed text stays until then.
    browser.value("document.getElementById('hostile-faults').value = '12'");
    let before = browser.value("requested");
    browser.until(&format!("requested > {before} + 1"));
    assert_eq!(browser.value("document.getElementById('hostile-faults').value"), "12");
    done(address, "POST /-/conditions?hostile=30&nodes=1:answer_time=-500");
    browser.until("document.getElementById('hostile-faults').value === '30'");
    browser.until("document.getElementById('hostile-nodes').value === '1:answer_time=-500'");
    browser.until(&format!("{TEXT}.includes('1 of 1 requests: answers with a time 0.5 s behind')"));
    browser.press_by_keyboard("hostile-off");
    browser.until(&format!("state.hostility === undefined && {TEXT}.includes('Off. A hostile exchange')"));
    assert_eq!(exchange.conditions().hostility, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_network_and_the_nodes_are_set_and_shown() {
    let Some(mut browser) = Browser::start() else { return };
    let (exchange, address) = served(|_| {}).await;
    let client = client(&exchange, address);
    exchange.time().set_speed(1);
    browser.open(&format!("http://{address}/"));
    let calm = format!("{TEXT}.includes('Answers arrive at once, and one clock is right.')");
    browser.until(&format!("{calm} && !{TEXT}.includes('Back to normal')"));
    for (name, typed) in [("latency", "5, 20, 40"), ("clocks", "0, 1500, -300"), ("lag", "60000")] {
        browser.value(&format!("document.getElementById('network-{name}').value = '{typed}'"));
    }
    browser.press_by_keyboard("network-set");
    browser.until("document.getElementById('said').textContent === 'The network behaves as set.'");
    let conditions = exchange.conditions();
    assert_eq!((conditions.latency, conditions.clocks), (vec![5, 20, 40], vec![0, 1_500, -300]));
    assert_eq!((conditions.lag, conditions.maintenance), (60_000, false));
    for shown in [
        "Answers take 5 to 20 ms, or 20 to 40 ms, each as often.",
        "Clocks of the nodes: right, 1.5 s ahead, 0.3 s behind.",
        "Listings show what happened 60 s ago.",
    ] {
        browser.until(&format!("{TEXT}.includes({shown:?})"));
    }
    // The settings are in effect: an order is not listed yet, and it is found by its id.
    client.unified().place_order(&limit("a", Side::Buy, "0.01", "63000")).await.unwrap();
    assert!(client.unified().get_open_orders(&GetOpenOrders::new()).await.unwrap().list.is_empty());

    browser.press_by_keyboard("maintenance");
    browser.until(&format!("{TEXT}.includes('Under maintenance: every request is refused.')"));
    browser.until(&format!("{TEXT}.includes(', under maintenance')"));
    browser.until("document.getElementById('maintenance').ariaPressed === 'true'");
    client.unified().place_order(&limit("b", Side::Buy, "0.01", "63000")).await.unwrap_err();
    assert_eq!(exchange.account(exchange.keys(), Family::Unified).open_orders.len(), 1);
    browser.press_by_keyboard("maintenance");
    browser.until("state.conditions.maintenance === false");
    client.unified().place_order(&limit("b", Side::Buy, "0.01", "63000")).await.unwrap();

    // Settings of a script are shown, typed text stays until then, and a mistake is reported with what was expected.
    browser.value("document.getElementById('network-latency').value = '12'");
    let before = browser.value("requested");
    browser.until(&format!("requested > {before} + 1"));
    assert_eq!(browser.value("document.getElementById('network-latency').value"), "12");
    done(address, "POST /-/conditions?latency=70&hostile=0");
    browser.until("document.getElementById('network-latency').value === '70'");
    browser.until(&format!("{TEXT}.includes('Each answer takes 70 ms.')"));
    browser.until(&format!("{TEXT}.includes('They do not count while the exchange is hostile')"));
    browser.value("document.getElementById('network-clocks').value = '5,,6'");
    browser.press_by_keyboard("network-set");
    browser.until("document.getElementById('said').textContent.startsWith('Not done: invalid clocks')");

    browser.press_by_keyboard("network-calm");
    browser.until(&format!("{calm} && document.activeElement.id === 'network-set'"));
    assert_eq!(exchange.conditions().clocks, [0; 0]);
}

/// A script that returns the contrast of each text with its background, as `[ratio, text]`, the lowest first.
const CONTRASTS: &str = "(() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = numbers(color).map((part) => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (part) => {
    for (; part; part = part.parentElement) {
      const color = getComputedStyle(part).backgroundColor;
      if ((numbers(color)[3] ?? 1) === 1) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const found = [];
  for (const part of document.querySelectorAll('body *:not(script):not(option)')) {
    const own = [...part.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own && !part.value || !part.checkVisibility()) continue;
    const pair = [light(getComputedStyle(part).color), light(behind(part))].sort((one, other) => other - one);
    found.push([(pair[0] + 0.05) / (pair[1] + 0.05), part.textContent.slice(0, 40)]);
  }
  return found.sort((one, other) => one[0] - other[0]);
})()";

#[tokio::test(flavor = "multi_thread")]
async fn the_page_is_readable_in_light_and_dark_on_a_desk_and_on_a_phone() {
    let Some(mut browser) = Browser::start() else { return };
    let (exchange, address) = served(|settings| settings.rate_limits = true).await;
    let client = client(&exchange, address);
    client.unified().place_order(&limit("a-client-id-of-32-characters-12", Side::Buy, "0.01", "63000")).await.unwrap();
    client.unified().place_order(&market("b", Side::Sell, "0.012")).await.unwrap();
    exchange.refuse_next("40762");
    client.unified().place_order(&market("c", Side::Buy, "0.01")).await.unwrap_err();
    exchange.hide_next("40725");
    done(address, "POST /-/conditions?hostile=0&nodes=2,1:lag=2500:clock=20000:answer_time=-300");
    done(address, "POST /-/conditions?latency=1,2,5&clocks=0,-300&lag=500");
    ask(address, &format!("GET /{}", "long".repeat(90)), &[], b"");
    let mut grounds = Vec::new();
    for (width, scheme) in [(1280, "light"), (1280, "dark"), (390, "light"), (320, "dark")] {
        browser.look(width, scheme);
        browser.open(&format!("http://{address}/"));
        browser.until("state.requests.count === 4");
        let contrasts = browser.value(CONTRASTS);
        assert!(contrasts.as_array().unwrap().len() > 60, "{contrasts}");
        assert!(contrasts[0][0].as_f64().unwrap() >= 4.5, "{width} {scheme}: {contrasts}");
        let (scrolled, visible) = ("document.documentElement.scrollWidth", "document.documentElement.clientWidth");
        assert_eq!(browser.value(scrolled), browser.value(visible), "{width}: it does not fit");
        grounds.push(browser.value("getComputedStyle(document.body).backgroundColor"));
    }
    assert!(grounds[0] != grounds[1] && grounds[0] == grounds[2] && grounds[1] == grounds[3], "{grounds:?}");
    let small = "[...document.querySelectorAll('button, input, select')]
                   .filter((part) => part.checkVisibility() && part.getBoundingClientRect().height < 44).length";
    assert_eq!(browser.value(small), 0, "touch targets are large enough");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_part_has_a_name_for_screen_readers() {
    let Some(mut browser) = Browser::start() else { return };
    let (exchange, address) = served(|settings| settings.rate_limits = true).await;
    let client = client(&exchange, address);
    client.unified().place_order(&limit("a", Side::Buy, "0.01", "63000")).await.unwrap();
    browser.open(&format!("http://{address}/"));
    browser.until("state.orders.count === 1");
    let tree = browser.call("Accessibility.getFullAXTree", json!({}));
    let nodes = tree["nodes"].as_array().unwrap();
    let mut counts = std::collections::BTreeMap::new();
    for node in nodes.iter().filter(|node| node["ignored"] == false) {
        let (role, name) =
            (node["role"]["value"].as_str().unwrap(), node["name"]["value"].as_str().unwrap_or_default());
        if ["button", "combobox", "textbox", "meter", "image", "region", "table"].contains(&role) {
            assert!(!name.trim().is_empty(), "{node}");
            *counts.entry(role).or_insert(0) += 1;
        }
    }
    for (role, least) in
        [("button", 10), ("combobox", 2), ("textbox", 2), ("meter", 1), ("image", 1), ("region", 7), ("table", 5)]
    {
        assert!(counts.get(role).is_some_and(|count| *count >= least), "{role}: {counts:?}");
    }
}
