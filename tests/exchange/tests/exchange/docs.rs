//! The reference that the exchange serves, in a real browser. Without one, these tests print that they are skipped.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use serde_json::json;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tradeapi_exchange::{Docs, Exchange, Family, Profile, Seed, Settings, Time, server};
use tradeapi_gen::{Generator, Site, SiteOptions};

use crate::browser::Browser;
use crate::control::ask;

/// The site of the schema, generated once.
static SITE: LazyLock<Site> = LazyLock::new(|| {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema");
    Generator::new().schema_dir(schema).read().unwrap().site(&SiteOptions::default()).unwrap()
});

/// Returns the site in a folder, and an exchange that serves it at the system's time.
async fn served() -> (TempDir, Exchange, SocketAddr) {
    let folder = tempfile::tempdir().unwrap();
    SITE.write(folder.path()).unwrap();
    let mut settings = Settings::default();
    (settings.seed, settings.rate_limits, settings.lively) = (Seed(7), false, false);
    let exchange = Exchange::with(settings, Time::running(1), Profile::new().both().balance("USDT", 100_000_000));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(server::serve_with(listener, exchange.clone(), Docs::read(folder.path()).unwrap()));
    (folder, exchange, address)
}

/// Opens a page of the reference, and waits until its script has run.
fn open(browser: &mut Browser, address: SocketAddr, page: &str) {
    let opened = browser.call("Page.navigate", json!({"url": format!("http://{address}/docs/{page}")}));
    assert!(opened["errorText"].is_null(), "{opened}");
    while browser.value("document.readyState !== 'complete'") == true {}
}

/// Waits until a condition holds.
fn until(browser: &mut Browser, condition: &str) {
    let holds = browser.value(&format!(
        "new Promise((done) => {{
           let tries = 0;
           const look = () => ({condition}) ? done(true) : ++tries > 500 ? done(false) : setTimeout(look, 20);
           look();
         }})"
    ));
    assert_eq!(holds, true, "it stays false: {condition}; the page: {}", browser.value("document.body.innerText"));
}

/// Types into a field.
fn fill(browser: &mut Browser, field: &str, text: &str) {
    browser.value(&format!(
        "(() => {{ const field = document.querySelector({field:?}); field.value = {text:?};
           field.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"
    ));
}

/// Searches of new readers, with the page and the text that must be found.
const QUESTIONS: [(&str, &str, &str); 5] = [
    (
        "what does posSide need in hedge mode",
        "operations/unified/place-order.html",
        "In hedge mode posSide must be sent.",
    ),
    (
        "how many cancels a second in Reality pairs",
        "operations/unified/cancel-order.html#limits",
        "5 calls a second for each UID, for reality",
    ),
    (
        "may I repeat a cancel-all",
        "operations/unified/cancel-symbol-order.html",
        "learn the outcome of the first call before",
    ),
    (
        "what does 40725 mean for my order",
        "errors.html#code-unified-40725",
        "It is unknown whether the request had its effect.",
    ),
    ("how far back do fills go", "operations/unified/fills.html", "90 days"),
];

#[tokio::test(flavor = "multi_thread")]
async fn the_search_leads_to_the_answers_of_five_questions() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, _exchange, address) = served().await;
    for (question, page, answer) in QUESTIONS {
        open(&mut browser, address, "index.html");
        browser.press("/", 191, "/");
        until(&mut browser, "document.getElementById('search').open && window.siteIndex");
        fill(&mut browser, "#query", question);
        let first = "[...document.querySelectorAll('#results a')].slice(0, 3).map((a) => a.getAttribute('href'))";
        let found = browser.value(first);
        let found: Vec<_> = found.as_array().unwrap().iter().map(|link| link.as_str().unwrap()).collect();
        assert!(found.iter().any(|link| link.starts_with(page)), "{question}: {found:?}");
        open(&mut browser, address, page);
        let text = browser.value("document.querySelector('main').textContent.replace(/\\s+/g, ' ')");
        assert!(text.as_str().unwrap().contains(answer), "{question}: {page} does not say {answer:?}");
    }
    open(&mut browser, address, "index.html");
    browser.press("/", 191, "/");
    until(&mut browser, "window.siteIndex");
    fill(&mut browser, "#query", "40725");
    browser.press("Enter", 13, "\r");
    until(&mut browser, "location.pathname.endsWith('/errors.html') && location.hash.startsWith('#code-')");
    let foreign: Vec<_> =
        browser.requested.iter().filter(|url| !url.starts_with(&format!("http://{address}/docs/"))).collect();
    assert!(foreign.iter().all(|url| url.starts_with("data:") || *url == "about:blank"), "{foreign:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_table_of_rules_is_filtered_by_words_and_kinds() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, _exchange, address) = served().await;
    open(&mut browser, address, "rules.html");
    let shown = "[...document.querySelectorAll('tr[data-filter]')].filter((row) => row.checkVisibility()).length";
    let all = browser.value(shown).as_u64().unwrap();
    fill(&mut browser, "#filter-rules", "posSide");
    let some = browser.value(shown).as_u64().unwrap();
    assert!(0 < some && some < all / 4, "{some} of {all}");
    let text = "[...document.querySelectorAll('tr[data-filter]')].filter((row) => row.checkVisibility()).every((row) => row.textContent.toLowerCase().includes('posside'))";
    assert_eq!(browser.value(text), true);
    browser.value("document.querySelector('.filter input[value=checked]').click()");
    let fewer = browser.value(shown).as_u64().unwrap();
    assert!(fewer < some, "{fewer} of {some}");
    assert_eq!(
        browser.value("document.querySelector('.filter [role=status]').textContent"),
        format!("{fewer} of {all}")
    );
    fill(&mut browser, "#filter-rules", "no rule says this");
    assert_eq!(browser.value(shown), 0);
    assert_eq!(
        browser.value("[...document.querySelectorAll('tbody[data-about]')].every((group) => group.hidden)"),
        true
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_theme_is_kept_from_page_to_page() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, _exchange, address) = served().await;
    browser.look(1280, "light");
    open(&mut browser, address, "index.html");
    let ground = "getComputedStyle(document.body).backgroundColor";
    let light = browser.value(ground);
    browser.press_by_keyboard("theme");
    let dark = browser.value(ground);
    assert_ne!(light, dark);
    open(&mut browser, address, "limits.html");
    assert_eq!(browser.value(ground), dark);
    assert_eq!(browser.value("document.getElementById('theme').getAttribute('aria-pressed')"), "true");
    browser.value("document.getElementById('theme').click()");
    assert_eq!(browser.value(ground), light);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operation_is_tried_on_the_exchange_that_serves_the_page() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, exchange, address) = served().await;
    exchange.set_price("BTCUSDT", 64_000).unwrap();
    open(&mut browser, address, "operations/unified/place-order.html");
    until(&mut browser, "!document.getElementById('try').hidden");
    let order = r#"{"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy", "orderType": "limit",
                    "price": "63000", "timeInForce": "gtc", "clientOid": "from-the-page"}"#;
    let answer = "document.querySelector('#try [role=status]').textContent";
    fill(&mut browser, "#try-request", order);
    browser.value("document.querySelector('#try button').click()");
    until(&mut browser, &format!("{answer}.includes('orderId')"));
    assert!(browser.value(answer).as_str().unwrap().starts_with("Done 00000"), "{}", browser.value(answer));
    let orders = exchange.account(exchange.keys(), Family::Unified).open_orders;
    assert!(orders.iter().any(|order| order.client_id.as_deref() == Some("from-the-page")), "{orders:?}");

    exchange.refuse_next("40762");
    browser.value("document.querySelector('#try button').click()");
    until(&mut browser, &format!("{answer}.includes('40762')"));
    assert!(browser.value(answer).as_str().unwrap().starts_with("Not done 40762"), "{}", browser.value(answer));
    fill(&mut browser, "#try-request", &order.replace("0.01", "90000").replace("from-the-page", "too-large"));
    browser.value("document.querySelector('#try button').click()");
    until(&mut browser, &format!("{answer}.includes('25208')"));
    let link = "document.querySelector('#try [role=status] a').getAttribute('href')";
    assert_eq!(browser.value(link), "../../errors.html#observed-25208");
    fill(&mut browser, "#try-request", "{");
    browser.value("document.querySelector('#try button').click()");
    until(&mut browser, &format!("{answer}.startsWith('Not sent')"));

    open(&mut browser, address, "operations/unified/unfilled-orders.html");
    until(&mut browser, "!document.getElementById('try').hidden");
    fill(&mut browser, "#try-request", r#"{"category": "USDT-FUTURES", "symbol": "BTCUSDT"}"#);
    browser.value("document.querySelector('#try button').click()");
    until(&mut browser, &format!("{answer}.includes('from-the-page')"));
}

/// A script that returns texts with too little contrast by the rules of WCAG 2 for normal text, and elements wider than
/// the page.
const UNREADABLE: &str = r#"(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const known = new Map();
  const parsed = (color) => known.get(color) ?? (known.set(color, rgba(color)), known.get(color));
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const ground = (element) => {
    if (!element) return [255, 255, 255, 1];
    const own = parsed(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own : over(own, ground(element.parentElement));
  };
  const light = ([r, g, b]) => [r, g, b].map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const faint = new Set();
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    if (!text || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const style = getComputedStyle(element);
    const below = ground(element);
    const [a, b] = [light(over(parsed(element.namespaceURI.endsWith('svg') ? style.fill : style.color), below)), light(below)].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) faint.add(`${element.tagName}.${element.className} ${style.color} on ${below}`);
  }
  const wide = document.documentElement.scrollWidth > innerWidth + 1 ? [`wider than the screen: ${document.documentElement.scrollWidth}`] : [];
  return [...faint, ...wide];
})()"#;

#[tokio::test(flavor = "multi_thread")]
async fn every_page_can_be_read_in_both_themes_on_a_desktop_and_a_phone() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, _exchange, address) = served().await;
    open(&mut browser, address, "index.html");
    let faint =
        "document.querySelector('.lead').style.color = '#999', document.querySelector('h1').style.width = '3000px'";
    browser.value(faint);
    assert_eq!(browser.value(UNREADABLE).as_array().unwrap().len(), 2, "faint text and wide elements are found");
    let looks = [(1440, "light"), (390, "dark")];
    let [light, dark] = looks.map(|(width, scheme)| {
        browser.look(width, scheme);
        browser.value("getComputedStyle(document.body).backgroundColor")
    });
    assert_ne!(light, dark, "a page that is open follows the screen and its theme");
    for page in SITE.files.keys().filter(|file| file.ends_with(".html")) {
        open(&mut browser, address, page);
        for (width, scheme) in looks {
            browser.look(width, scheme);
            let unreadable = browser.value(UNREADABLE);
            assert_eq!(unreadable, json!([]), "{page}, {width} wide, {scheme}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keyboard_reaches_the_content_and_pages_need_no_script() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, _exchange, address) = served().await;
    open(&mut browser, address, "operations/unified/place-order.html");
    browser.press("Tab", 9, "");
    assert_eq!(browser.value("document.activeElement.textContent"), "Skip to the content");
    browser.press("Enter", 13, "\r");
    until(&mut browser, "document.activeElement.id === 'content'");

    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    open(&mut browser, address, "operations/unified/place-order.html");
    let shown = browser.value("document.body.innerText");
    for text in ["posSide", "In hedge mode posSide must be sent.", "\"category\": \"USDT-FUTURES\""] {
        assert!(shown.as_str().unwrap().contains(text), "{text:?} needs a script: {shown}");
    }
    assert_eq!(browser.value("document.getElementById('try').checkVisibility()"), false);
    assert_eq!(browser.value("document.getElementById('find').getAttribute('href')"), "../../names.html");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_pages_of_the_exchange_receive_the_key() {
    let (_folder, exchange, address) = served().await;
    let (head, body) = ask(address, "GET /docs/keys.json", &[], b"");
    assert!(head.contains(" 200 ") && String::from_utf8(body).unwrap().contains(&exchange.keys().key));
    let foreign = [("host", "example.com"), ("origin", "http://example.com"), ("sec-fetch-site", "cross-site")];
    for header in foreign {
        let (head, body) = ask(address, "GET /docs/keys.json", &[header], b"");
        assert!(
            head.contains(" 403 ") && !String::from_utf8(body).unwrap().contains(&exchange.keys().secret),
            "{header:?}"
        );
    }
    for (target, status) in [
        ("GET /docs", " 308 "),
        ("GET /docs/", " 200 "),
        ("GET /docs/../Cargo.toml", " 404 "),
        ("POST /docs/", " 405 "),
    ] {
        let (head, _) = ask(address, target, &[], b"");
        assert!(head.contains(status), "{target}: {head}");
    }
    let empty = tempfile::tempdir().unwrap();
    assert!(Docs::read(empty.path()).unwrap_err().to_string().contains("export site"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_calls_of_curl_have_signatures_that_the_exchange_accepts() {
    let is_there = |name: &str| Command::new(name).arg("version").output().is_ok();
    if !is_there("openssl") || !is_there("curl") {
        eprintln!("SKIPPED, because curl or openssl is not installed: the calls of the reference");
        return;
    }
    let (_folder, exchange, address) = served().await;
    let keys = exchange.keys().clone();
    for operation in
        ["unified/assets", "unified/unfilled-orders", "unified/cancel-symbol-order", "classic/orders-pending"]
    {
        let text = &SITE.files[&format!("operations/{operation}.md")];
        let script = text.split("```sh\n").nth(1).unwrap().split("```").next().unwrap().to_owned();
        let run = Command::new("sh")
            .args(["-c", &script])
            .env("TRADEAPI_URL", format!("http://{address}"))
            .env("TRADEAPI_KEY", &keys.key)
            .env("TRADEAPI_SECRET", &keys.secret)
            .env("TRADEAPI_PASSPHRASE", &keys.passphrase)
            .env("NO_PROXY", "127.0.0.1")
            .output()
            .unwrap();
        let answer = String::from_utf8_lossy(&run.stdout);
        assert!(
            answer.contains("\"00000\""),
            "{operation}: {answer} {}\n{script}",
            String::from_utf8_lossy(&run.stderr)
        );
    }
}
