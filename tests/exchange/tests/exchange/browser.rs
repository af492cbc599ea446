//! A headless Chromium, driven by its DevTools protocol over two pipes.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

/// A browser with one page, until it is dropped.
pub(crate) struct Browser {
    program: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    last: u64,
    /// The addresses that the page requested.
    pub(crate) requested: Vec<String>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts the browser. Prints a note and returns `None` if it is not installed.
    pub(crate) fn start() -> Option<Self> {
        let is_there = |name: &&&str| {
            let version = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
            version.is_ok_and(|status| status.success())
        };
        let Some(name) = NAMES.iter().find(is_there) else {
            let _ = writeln!(io::stderr(), "SKIPPED, because Chromium is not installed: the page in a browser");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        // The protocol uses descriptors 3 and 4.
        let script = r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null"#;
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh", name, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"]);
        command.arg("--remote-debugging-pipe").arg(format!("--user-data-dir={}", profile.path().display()));
        let mut program = command.arg("about:blank").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (to, from) = (program.stdin.take().unwrap(), BufReader::new(program.stdout.take().unwrap()));
        let (session, requested) = (None, Vec::new());
        let mut browser = Self { program, to, from, session, last: 0, requested, _profile: profile };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = browser.call("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Network", "Accessibility"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Calls a method of the protocol.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut text = Vec::new();
            self.from.read_until(0, &mut text).unwrap();
            assert_eq!(text.pop(), Some(0), "the browser has ended");
            let mut message: Value = serde_json::from_slice(&text).unwrap();
            if message["method"] == "Network.requestWillBeSent" {
                self.requested.push(message["params"]["request"]["url"].as_str().unwrap().to_owned());
            }
            if message["id"] == self.last {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].take();
            }
        }
    }

    /// Returns the value of an expression in the page; a promise is awaited.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let mut result = self.call("Runtime.evaluate", parameters);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].take()
    }

    /// Opens an address, and waits until the page shows the exchange.
    pub(crate) fn open(&mut self, address: &str) {
        let opened = self.call("Page.navigate", json!({"url": address}));
        assert!(opened["errorText"].is_null(), "{opened}");
        while self.value("document.readyState !== 'complete' || typeof state === 'undefined'") == true {}
        self.until("state !== null");
    }

    /// Waits until a condition holds, while the page queries the exchange twenty times.
    pub(crate) fn until(&mut self, condition: &str) {
        let holds = self.value(&format!(
            "new Promise((done) => {{
               const start = requested;
               const look = () => ({condition}) ? done(true) : requested - start > 20 ? done(false) : setTimeout(look, 20);
               look();
             }})"
        ));
        assert_eq!(holds, true, "it stays false: {condition}; the page: {}", self.value("document.body.innerText"));
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str, code: u32, text: &str) {
        let event = |kind| json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text});
        self.call("Input.dispatchKeyEvent", event("keyDown"));
        self.call(
            "Input.dispatchKeyEvent",
            json!({"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code}),
        );
    }

    /// Presses the tab key until the element with this text or id has the focus, then the enter key.
    pub(crate) fn press_by_keyboard(&mut self, wanted: &str) {
        let focused = "document.activeElement.id || document.activeElement.textContent";
        for _ in 0..80 {
            if self.value(focused) == wanted {
                return self.press("Enter", 13, "\r");
            }
            self.press("Tab", 9, "");
        }
        panic!("the keyboard does not reach {wanted:?}");
    }

    /// Shows the page at a width, in a color scheme.
    pub(crate) fn look(&mut self, width: u32, scheme: &str) {
        let size = json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500});
        self.call("Emulation.setDeviceMetricsOverride", size);
        let scheme = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.call("Emulation.setEmulatedMedia", scheme);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}
