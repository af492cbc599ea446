//! A Redis server for a run.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

/// A Redis server on loopback without persistence. It ends when it is dropped.
#[derive(Debug)]
pub(super) struct Server {
    address: SocketAddr,
    folder: TempDir,
    child: Option<Child>,
}

impl Server {
    /// Starts a server. Prints a note and returns `None` if `redis-server` is not installed.
    pub(super) fn start() -> io::Result<Option<Self>> {
        if Command::new("redis-server").arg("--version").stdout(Stdio::null()).status().is_err() {
            writeln!(io::stderr(), "SKIPPED, because redis-server is not installed: the campaign of a fleet")?;
            return Ok(None);
        }
        let address = (Ipv4Addr::LOCALHOST, 0).into();
        let mut server = Self { address, folder: tempfile::tempdir()?, child: None };
        // Another process may take the port before the server does.
        while server.child.is_none() {
            server.address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
            server.begin()?;
        }
        Ok(Some(server))
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Kills the server, and starts it again without data.
    pub(super) fn restart(&mut self) -> io::Result<()> {
        self.end()?;
        while self.child.is_none() {
            self.begin()?;
        }
        Ok(())
    }

    fn begin(&mut self) -> io::Result<()> {
        let mut command = Command::new("redis-server");
        command.args(["--bind", "127.0.0.1", "--port", &self.address.port().to_string()]);
        command.args(["--save", "", "--appendonly", "no", "--daemonize", "no", "--dir"]).arg(self.folder.path());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        while child.try_wait()?.is_none() {
            if self.answers() {
                self.child = Some(child);
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    fn answers(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(self.address) else { return false };
        let mut answer = [0; 1];
        stream.write_all(b"PING\r\n").is_ok() && stream.read_exact(&mut answer).is_ok()
    }

    fn end(&mut self) -> io::Result<()> {
        let Some(mut child) = self.child.take() else { return Ok(()) };
        child.kill()?;
        child.wait().map(drop)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.end();
    }
}
