//! A proxy of the server that can delay, stall or cut connections, and change the server's clock.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use super::callers::ms;
use super::server::Server;

/// The script's command for the time, and its replacement: the same clock, set by a number of seconds.
const TIME: &str = "redis.call('TIME')";
const SET_TIME: &str = "(function() local time = redis.call('TIME') \
    return { time[1] + (redis.call('GET', 'test:clock') or 0), time[2] } end)()";

pub(crate) struct Proxy {
    port: u16,
    way: Arc<ProxyState>,
}

struct ProxyState {
    to: String,
    /// The smallest and the largest delay of an answer.
    late: (Duration, Duration),
    cut: AtomicBool,
    stalled: AtomicBool,
    ends: AtomicBool,
    dice: AtomicU64,
    open: Mutex<Vec<TcpStream>>,
    /// The hashes of changed scripts, as the client and as the server know them.
    scripts: Mutex<Vec<(String, String)>>,
}

impl Proxy {
    /// Creates a proxy of `server` that delays each answer by between `late.0` and `late.1`.
    pub(crate) fn start(server: &Server, late: (Duration, Duration)) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let way = Arc::new(ProxyState {
            to: server.url().replace("redis://", ""),
            late,
            cut: AtomicBool::new(false),
            stalled: AtomicBool::new(false),
            ends: AtomicBool::new(false),
            dice: AtomicU64::new(u64::from(port)),
            open: Mutex::default(),
            scripts: Mutex::default(),
        });
        let accepts = Arc::clone(&way);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if accepts.ends.load(Ordering::Relaxed) {
                    return;
                }
                accepts.connect(client);
            }
        });
        Self { port, way }
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Closes all connections, and refuses further ones.
    pub(crate) fn cut(&self) {
        self.way.cut.store(true, Ordering::SeqCst);
        self.way.close_all();
    }

    /// Holds back all data.
    pub(crate) fn stall(&self) {
        self.way.stalled.store(true, Ordering::SeqCst);
    }

    /// Passes on the held-back data, and accepts connections again.
    pub(crate) fn restore(&self) {
        self.way.cut.store(false, Ordering::SeqCst);
        self.way.stalled.store(false, Ordering::SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.way.ends.store(true, Ordering::Relaxed);
        self.way.close_all();
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

impl ProxyState {
    fn connect(self: &Arc<Self>, client: TcpStream) {
        let server = TcpStream::connect(&self.to);
        let (Ok(server), false) = (server, self.cut.load(Ordering::SeqCst)) else { return };
        for stream in [&client, &server] {
            stream.set_nodelay(true).unwrap();
            self.open.lock().unwrap().push(stream.try_clone().unwrap());
        }
        let (to_server, to_client) = (server.try_clone().unwrap(), client.try_clone().unwrap());
        let mut unread = Vec::new();
        self.pass(client, to_server, false, move |way, read| {
            unread.extend_from_slice(read);
            way.with_the_clock(&mut unread)
        });
        self.pass(server, to_client, true, |way, read| way.with_the_names(read));
    }

    fn close_all(&self) {
        for stream in self.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn pass(
        self: &Arc<Self>,
        mut from: TcpStream,
        mut to: TcpStream,
        is_late: bool,
        mut change: impl FnMut(&Self, &[u8]) -> Vec<u8> + Send + 'static,
    ) {
        let (sender, receiver) = mpsc::channel::<(Instant, Vec<u8>)>();
        let (reads, writes) = (Arc::clone(self), Arc::clone(self));
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(length @ 1..) = from.read(&mut buffer) {
                let late = if is_late { reads.lateness() } else { Duration::ZERO };
                let passed = change(&reads, &buffer[..length]);
                if sender.send((Instant::now() + late, passed)).is_err() {
                    break;
                }
            }
        });
        std::thread::spawn(move || {
            for (due, bytes) in receiver {
                std::thread::sleep(due.saturating_duration_since(Instant::now()));
                while writes.stalled.load(Ordering::SeqCst) {
                    std::thread::sleep(ms(2));
                }
                if to.write_all(&bytes).is_err() {
                    break;
                }
            }
            let _ = to.shutdown(Shutdown::Both);
        });
    }

    fn lateness(&self) -> Duration {
        let (least, most) = self.late;
        let roll = self.dice.fetch_add(7919, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let range = (most - least).as_millis() as u64 + 1;
        least + ms(roll % range)
    }

    /// Returns the complete requests in the buffer, with the clock of scripts replaced.
    fn with_the_clock(&self, unread: &mut Vec<u8>) -> Vec<u8> {
        let mut passed = Vec::new();
        while let Some((words, length)) = request(unread) {
            passed.extend(format!("*{}\r\n", words.len()).bytes());
            for word in &words {
                let word = self.translate(word);
                passed.extend(format!("${}\r\n", word.len()).bytes());
                passed.extend(word);
                passed.extend(b"\r\n");
            }
            unread.drain(..length);
        }
        passed
    }

    /// Returns an answer, with the hashes of scripts that the client knows.
    fn with_the_names(&self, read: &[u8]) -> Vec<u8> {
        let mut passed = read.to_vec();
        for (script, changed) in self.scripts.lock().unwrap().iter() {
            if let Some(at) = passed.windows(changed.len()).position(|part| part == changed.as_bytes()) {
                passed[at..at + script.len()].copy_from_slice(script.as_bytes());
            }
        }
        passed
    }

    fn translate(&self, word: &[u8]) -> Vec<u8> {
        let mut scripts = self.scripts.lock().unwrap();
        let Ok(text) = std::str::from_utf8(word) else { return word.to_vec() };
        if text.contains(TIME) {
            let changed = text.replace(TIME, SET_TIME);
            let hash = |text: &str| redis::Script::new(text).get_hash().to_owned();
            scripts.push((hash(text), hash(&changed)));
            return changed.into_bytes();
        }
        let known = scripts.iter().find(|(script, _)| script == text);
        known.map_or(word, |(_, changed)| changed.as_bytes()).to_vec()
    }
}

/// Returns the first request, if it is complete, and its length.
fn request(bytes: &[u8]) -> Option<(Vec<Vec<u8>>, usize)> {
    let mut at = 0;
    let line = |mark: u8, at: &mut usize| {
        let end = *at + bytes[*at..].windows(2).position(|pair| pair == b"\r\n")?;
        assert_eq!(bytes[*at], mark);
        let number = std::str::from_utf8(&bytes[*at + 1..end]).unwrap().parse::<usize>().unwrap();
        *at = end + 2;
        Some(number)
    };
    let mut words = Vec::new();
    for _ in 0..line(b'*', &mut at)? {
        let length = line(b'$', &mut at)?;
        words.push(bytes.get(at..at + length)?.to_vec());
        at += length + 2;
    }
    (at <= bytes.len()).then_some((words, at))
}

/// Sets the server's clock by seconds, as seen through proxies. Keys expire by the same clock.
pub(crate) fn set_clock(server: &Server, seconds: i64) {
    const SET: &str = "
        local step = ARGV[1] - (redis.call('GET', 'test:clock') or 0)
        for _, key in ipairs(redis.call('KEYS', '*')) do
            local left = redis.call('PTTL', key)
            if left > 0 then
                redis.call('PEXPIRE', key, string.format('%.0f', left - step * 1000))
            end
        end
        redis.call('SET', 'test:clock', ARGV[1])";
    redis::cmd("EVAL").arg(SET).arg(0).arg(seconds).exec(&mut server.connect()).unwrap();
}
