//! A Redis server on loopback without persistence, which ends with the test.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

pub(crate) struct Server {
    port: u16,
    folder: TempDir,
    child: Option<Child>,
    password: Option<&'static str>,
}

impl Server {
    /// Starts a server. Prints a note and returns `None` if `redis-server` is not installed.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(None)
    }

    pub(crate) fn start_with(password: Option<&'static str>) -> Option<Self> {
        if Command::new("redis-server").arg("--version").stdout(Stdio::null()).status().is_err() {
            // Without a macro, whose output is captured in passing tests.
            let mut stderr = std::io::stderr();
            writeln!(stderr, "SKIPPED, because redis-server is not installed: {}", test_name()).unwrap();
            return None;
        }
        let mut server = Self { port: 0, folder: tempfile::tempdir().unwrap(), child: None, password };
        // Another process may take the port before the server does.
        while server.child.is_none() {
            server.port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
            server.start_again();
        }
        Some(server)
    }

    /// Starts the server on the same port, without data.
    pub(crate) fn start_again(&mut self) {
        let mut command = Command::new("redis-server");
        command.args(["--bind", "127.0.0.1", "--port", &self.port.to_string(), "--save", "", "--appendonly", "no"]);
        command.args(["--daemonize", "no", "--dir"]).arg(self.folder.path());
        if let Some(password) = self.password {
            command.args(["--requirepass", password]);
        }
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while child.try_wait().unwrap().is_none() {
            if self.answers() {
                self.child = Some(child);
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn answers(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
        let mut answer = [0; 1];
        stream.write_all(b"PING\r\n").is_ok() && stream.read_exact(&mut answer).is_ok()
    }

    /// Kills the server.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub(crate) fn connect(&self) -> redis::Connection {
        redis::Client::open(self.url()).unwrap().get_connection().unwrap()
    }

    /// Suspends the server, which keeps its data.
    pub(crate) fn stop(&self) {
        self.signal("-STOP");
    }

    /// Resumes the server.
    pub(crate) fn go_on(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let id = self.child.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

fn test_name() -> String {
    std::thread::current().name().unwrap_or_default().to_owned()
}
