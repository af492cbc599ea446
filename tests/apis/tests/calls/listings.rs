//! Every form of pagination lists each entry once, for random data, page lengths and interruptions, while entries are
//! added.

use std::sync::Arc;
use std::sync::Mutex;

use apis::assorted::Client;
use apis::assorted::log::{
    Entry, ListAfter, ListBefore, ListBehind, ListHeaded, ListLinked, ListMarked, ListNumbered, ListOnward, ListSince,
    ListSkip, ListUpward,
};
use bytes::Bytes;
use proptest::prelude::*;
use serde_json::json;
use tradeapi_runtime::pages::{PageError, Paged, Position, PositionError};
use tradeapi_runtime::transport::{ResponseFuture, Transport};

/// A log of entries with times, to which entries are added while it is listed.
struct Log {
    times: Vec<u64>,
    /// The entries that are added before each call, with their distance in time.
    coming: Vec<Vec<u64>>,
}

/// A transport that answers the operations of the family.
#[derive(Clone)]
struct Server(Arc<Mutex<Log>>);

impl Transport for Server {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        let (body, header) = self.0.lock().unwrap().answer(request.uri());
        let response = header.into_iter().fold(http::Response::builder(), |to, (name, value)| to.header(name, value));
        Box::pin(async move { Ok(response.body(Bytes::from(body)).unwrap()) })
    }
}

impl Log {
    /// Returns the body, and the header with the link to the next page.
    fn answer(&mut self, uri: &http::Uri) -> (String, Option<(&'static str, String)>) {
        for later in self.coming.pop().unwrap_or_default() {
            let last = self.times.last().copied().unwrap_or(1000);
            self.times.push(last + later);
        }
        let pairs: Vec<_> =
            uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('=')).collect();
        let given = |name: &str| pairs.iter().find(|(one, _)| *one == name).map(|(_, value)| *value);
        let number = |name: &str| given(name).map(|text| text.trim_start_matches('e').parse::<u64>().unwrap());
        let size = usize::try_from(number("size").unwrap()).unwrap();
        let oldest_first: Vec<(u64, u64)> = (1..).zip(self.times.iter().copied()).collect();
        let newest_first: Vec<(u64, u64)> = oldest_first.iter().rev().copied().collect();
        let from = |name| number(name).unwrap_or(0);
        let until = |name| number(name).unwrap_or(u64::MAX);
        let ordered = |all: Vec<(u64, u64)>, fits: &dyn Fn(u64, u64) -> bool| -> Vec<(u64, u64)> {
            all.into_iter().filter(|(n, at)| fits(*n, *at)).collect()
        };
        let skipped = |count: u64| usize::try_from(count).unwrap();
        let path = uri.path().rsplit('/').next().unwrap();
        let rest = match path {
            "behind" => ordered(newest_first, &|n, _| n < until("behind")),
            "upward" | "onward" => ordered(oldest_first, &|n, _| n >= from("from")),
            "before" => ordered(newest_first, &|_, at| at < until("before")),
            "after" => ordered(oldest_first, &|_, at| number("after").is_none_or(|after| at > after)),
            "since" => ordered(oldest_first, &|_, at| at >= from("since")),
            "numbered" => {
                newest_first.into_iter().skip(skipped((number("page").unwrap_or(1) - 1) * from("size"))).collect()
            }
            "skip" => newest_first.into_iter().skip(skipped(from("skip"))).collect(),
            "headed" => ordered(newest_first, &|n, _| n < until("after")),
            "linked" => ordered(newest_first, &|n, _| n < until("page")),
            "marked" => ordered(newest_first, &|n, _| n < until("mark")),
            other => panic!("{other}"),
        };
        let entry = |(n, at): &(u64, u64)| json!({"id": format!("e{n}"), "n": n, "at": at});
        let page: Vec<_> = rest.iter().take(size).map(entry).collect();
        let mark = rest.iter().take(size).next_back().map(|(n, _)| format!("e{n}"));
        let onward = mark.clone().filter(|_| rest.len() > size);
        match path {
            "behind" | "upward" | "onward" | "after" | "since" => (json!(page).to_string(), None),
            "headed" => (json!(page).to_string(), onward.map(|mark| ("x-after", mark))),
            "linked" => {
                let link = |mark| format!(r#"</v1>; rel="first", </v1?size=1&page={mark}>; rel="next""#);
                (json!(page).to_string(), onward.map(|mark| ("link", link(mark))))
            }
            _ => {
                let body = json!({"entries": page, "more": rest.len() > size, "total": self.times.len(), "mark": mark});
                (body.to_string(), None)
            }
        }
    }
}

/// Lists everything, resuming from a saved position where `stops` says so.
async fn list<O: Paged<Item = Entry>>(server: &Server, request: O, stops: &[bool]) -> Result<Vec<u64>, PageError> {
    let client = Client::builder("https://log.example").transport(server.clone()).build().unwrap();
    let mut pages = client.pages(request.clone());
    let mut found = Vec::new();
    for page in 0.. {
        if stops.get(page).copied().unwrap_or(false) {
            let saved: Position = pages.position().to_string().parse().unwrap();
            pages = match client.pages(request.clone()).resume(&saved) {
                Ok(resumed) => resumed,
                Err(error) => {
                    assert!(saved.is_at_end() && matches!(error, PositionError::Ended { .. }), "{error}");
                    break;
                }
            };
        }
        let Some(page) = pages.next_page().await else { break };
        found.extend(page?.list.iter().map(|entry| entry.n.unwrap()));
    }
    Ok(found)
}

/// Intervals between entries, with fewer zeros in a row than a page has items.
fn times(steps: &[u64], size: u64) -> Vec<u64> {
    let (mut at, mut same) = (1000, 0);
    let mut times = Vec::new();
    for step in steps {
        same = if *step == 0 { same + 1 } else { 0 };
        let step = if same + 1 >= size { 1 } else { *step };
        same = if step == 0 { same } else { 0 };
        at += step;
        times.push(at);
    }
    times
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// Checks that each initial entry is listed, and none twice.
fn lists_each_once<O: Paged<Item = Entry>>(case: &Case, request: impl Fn(u64) -> O) -> Result<(), TestCaseError> {
    let times = times(&case.steps, case.size);
    let count = u64::try_from(times.len()).unwrap();
    let server = Server(Arc::new(Mutex::new(Log { times, coming: case.coming.clone() })));
    let mut found = run(list(&server, request(case.size), &case.stops)).unwrap();
    found.sort_unstable();
    let mut distinct = found.clone();
    distinct.dedup();
    prop_assert_eq!(&found, &distinct, "an entry is listed twice");
    let missing: Vec<u64> = (1..=count).filter(|n| !found.contains(n)).collect();
    prop_assert!(missing.is_empty(), "{:?} are missing", missing);
    Ok(())
}

#[derive(Clone, Debug)]
struct Case {
    steps: Vec<u64>,
    size: u64,
    coming: Vec<Vec<u64>>,
    stops: Vec<bool>,
}

fn case() -> impl Strategy<Value = Case> {
    let steps = prop::collection::vec(0..3_u64, 0..40);
    // Later entries, so that no entries are added to a listed time.
    let coming = prop::collection::vec(prop::collection::vec(1..3_u64, 0..2), 0..8);
    let stops = prop::collection::vec(prop::bool::weighted(0.3), 0..30);
    (steps, 2..9_u64, coming, stops).prop_map(|(steps, size, coming, stops)| Case { steps, size, coming, stops })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn behind_an_id(case in case()) {
        lists_each_once(&case, |size| ListBehind::new().size(size))?;
    }

    #[test]
    fn from_an_id_on(case in case()) {
        lists_each_once(&case, |size| ListUpward::new().size(size))?;
    }

    #[test]
    fn from_a_number_on(case in case()) {
        lists_each_once(&case, |size| ListOnward::new().size(size))?;
    }

    #[test]
    fn before_a_time(case in case()) {
        lists_each_once(&case, |size| ListBefore::new().size(size))?;
    }

    #[test]
    fn after_a_time(case in case()) {
        lists_each_once(&case, |size| ListAfter::new().size(size))?;
    }

    #[test]
    fn since_a_time(case in case()) {
        lists_each_once(&case, |size| ListSince::new().size(size))?;
    }

    #[test]
    fn by_number(case in case()) {
        lists_each_once(&case, |size| ListNumbered::new().size(size))?;
    }

    #[test]
    fn by_offset(case in case()) {
        lists_each_once(&case, |size| ListSkip::new().size(size))?;
    }

    #[test]
    fn by_a_cursor_in_a_header(case in case()) {
        lists_each_once(&case, |size| ListHeaded::new().size(size))?;
    }

    #[test]
    fn by_a_link(case in case()) {
        lists_each_once(&case, |size| ListLinked::new().size(size))?;
    }

    #[test]
    fn by_a_cursor_with_a_flag(case in case()) {
        lists_each_once(&case, |size| ListMarked::new().size(size))?;
    }
}

#[test]
fn a_page_of_one_time_ends_with_an_error() {
    let log = Log { times: vec![1000; 5], coming: Vec::new() };
    let server = Server(Arc::new(Mutex::new(log)));
    for size in [2, 5] {
        let before = run(list(&server, ListBefore::new().size(size), &[]));
        let since = run(list(&server, ListSince::new().size(size), &[]));
        // With all five on a page, the flag marks it as the last; without a flag, a full page may not be the last.
        assert_eq!(before.is_ok(), size == 5);
        assert!(matches!(since, Err(PageError::Stuck { .. })), "{since:?}");
    }
}
