//! The costs of a journal as it grows: to open, to read what is open, to read in parts, and to prune.
//!
//! Of the changes ten are open, spread over all. Each step in a folder is a process of its own: its time, its processor
//! time and its most memory. The last column is a journal whose process was killed. `--most 6` sets the power of ten that
//! is the last.
//!
//! `cargo bench -p tradeapi-tests --bench journal_growth`

use std::error::Error;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, process};

use cpu_time::ProcessTime;
use tradeapi::Timestamp;
use tradeapi::runtime::journal::{
    Change, ChangeNumber, Durability, Ending, FileJournal, Journal, RedisJournal, Selection,
};
use tradeapi::runtime::tables::Outcome;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The number of changes that stay open.
const OPEN: u64 = 10;

/// The number of changes that are read at once.
const PART: usize = 1_000;

const STEPS: [&str; 4] = ["open", "read-open", "read-parts", "prune"];

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["fill", folder, count] => runtime.block_on(fill_folder(Path::new(folder), count.parse()?)).map(drop),
        ["fill-killed", folder, count] => {
            let _open = runtime.block_on(fill_folder(Path::new(folder), count.parse()?))?;
            process::exit(0)
        }
        ["step", step, folder, count] => runtime.block_on(step_in_folder(step, Path::new(folder), count.parse()?)),
        ["--most", most] => grow(&runtime, most.parse()?),
        _ => grow(&runtime, 6),
    }
}

fn grow(runtime: &tokio::runtime::Runtime, most: u32) -> Result<()> {
    println!("a journal in a folder, ten changes open");
    println!(
        "  {:>9}{}",
        "changes",
        STEPS.map(|step| format!("{step:>33}")).concat() + &format!("{:>33}", "killed, open")
    );
    for power in 3..=most {
        let (folder, count) = (tempfile::tempdir()?, 10_u64.pow(power).to_string());
        let [closed, killed] = ["closed", "killed"].map(|name| folder.path().join(name));
        run(&["fill", &closed.to_string_lossy(), &count])?;
        run(&["fill-killed", &killed.to_string_lossy(), &count])?;
        let mut row = format!("  {count:>9}");
        for step in STEPS {
            row += &run(&["step", step, &closed.to_string_lossy(), &count])?;
        }
        row += &run(&["step", "open", &killed.to_string_lossy(), &count])?;
        println!("{row}");
    }
    let Some(server) = Server::start()? else {
        println!("no redis-server is installed");
        return Ok(());
    };
    println!("a journal on a Redis server, ten changes open");
    println!("  {:>9}{:>26}{:>26}{:>26}{:>26}", "changes", "open", "read-open", "read-parts, longest part", "prune");
    for power in 3..=most {
        runtime.block_on(grow_on_server(&server, 10_u64.pow(power)))?;
    }
    Ok(())
}

/// Runs this program with other arguments, and returns what it prints.
fn run(arguments: &[&str]) -> Result<String> {
    let output = Command::new(env::current_exe()?).args(arguments).stderr(Stdio::inherit()).output()?;
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout)?),
        false => Err(format!("{arguments:?} failed").into()),
    }
}

fn change(number: u64) -> Change {
    let request = format!(
        r#"{{"category":"USDT-FUTURES","symbol":"BTCUSDT","qty":"0.001","side":"buy","orderType":"limit","price":"50000","clientOid":"desk-{number:012}"}}"#
    );
    let mut change = Change::new("unified.place-order", request, Timestamp::from_millis(number));
    change.client_ids.push(format!("desk-{number:012}"));
    change
}

async fn fill_folder(folder: &Path, count: u64) -> Result<FileJournal> {
    let journal = FileJournal::open(folder, Durability::Process)?;
    for number in 1..=count {
        let begun = journal.begin(change(number)).await?;
        if number % (count / OPEN) != 0 {
            journal.end(begun, Ending::new(Outcome::Done)).await?;
        }
    }
    Ok(journal)
}

async fn step_in_folder(step: &str, folder: &Path, count: u64) -> Result<()> {
    let begun = (Instant::now(), ProcessTime::now());
    let journal = FileJournal::open(folder, Durability::Process)?;
    let opened = (begun.0.elapsed(), begun.1.elapsed());
    let begun = (Instant::now(), ProcessTime::now());
    let found = match step {
        "read-open" => journal.read(Selection::Open).await?.len(),
        "read-parts" => read_parts(&journal).await?.0,
        "prune" => journal.prune(Timestamp::from_millis(count + 1))?,
        _ => 0,
    };
    let (took, cpu) = if step == "open" { opened } else { (begun.0.elapsed(), begun.1.elapsed()) };
    let expected = match step {
        "read-open" => OPEN,
        "read-parts" => count,
        "prune" => count - OPEN,
        _ => 0,
    };
    if found as u64 != expected {
        return Err(format!("{step} found {found} instead of {expected}").into());
    }
    let cell = format!("{}, {} cpu, {} MiB", millis(took), millis(cpu), most_memory()?.div_ceil(1024));
    print!("{cell:>33}");
    Ok(())
}

/// Reads a journal in parts, and returns the number of changes and the longest time of a part.
async fn read_parts(journal: &dyn Journal) -> Result<(usize, Duration)> {
    let (mut after, mut count, mut longest) = (ChangeNumber(0), 0, Duration::ZERO);
    loop {
        let begun = Instant::now();
        let part = journal.read_after(after, PART).await?;
        longest = longest.max(begun.elapsed());
        let Some(last) = part.last() else { return Ok((count, longest)) };
        (after, count) = (last.number, count + part.len());
    }
}

/// Returns the most memory that this process had, in KiB.
fn most_memory() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

fn millis(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

async fn grow_on_server(server: &Server, count: u64) -> Result<()> {
    server.flush().await?;
    let journal = RedisJournal::open(&server.url(), "bench").await?;
    let mut row = format!("  {count:>9}");
    server.fill(count).await?;
    let begun = Instant::now();
    drop(RedisJournal::open(&server.url(), "bench").await?);
    row += &format!("{:>26}", millis(begun.elapsed()));
    let begun = Instant::now();
    let open = journal.read(Selection::Open).await?.len() as u64;
    row += &format!("{:>26}", millis(begun.elapsed()));
    let begun = Instant::now();
    let (all, longest) = read_parts(&journal).await?;
    row += &format!("{:>26}", format!("{}, {}", millis(begun.elapsed()), millis(longest)));
    let begun = Instant::now();
    let pruned = journal.prune(Timestamp::from_millis(count + 1)).await? as u64;
    row += &format!("{:>26}", millis(begun.elapsed()));
    if (open, all as u64, pruned) != (OPEN, count, count - OPEN) {
        return Err(format!("{open} open, {all} in all, {pruned} pruned").into());
    }
    println!("{row}");
    Ok(())
}

/// A server that keeps nothing.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start() -> Result<Option<Self>> {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let mut command = Command::new("redis-server");
        command.args(["--port", &port.to_string(), "--save", "", "--appendonly", "no"]);
        let Ok(child) = command.stdout(Stdio::null()).spawn() else { return Ok(None) };
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(Some(Self { child, port }))
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    async fn flush(&self) -> Result<()> {
        Ok(redis::cmd("FLUSHALL").query_async::<()>(&mut self.connected().await?).await?)
    }

    async fn connected(&self) -> Result<redis::aio::MultiplexedConnection> {
        Ok(redis::Client::open(self.url())?.get_multiplexed_async_connection().await?)
    }

    /// Fills the journal, past its functions, which take a round trip a change.
    async fn fill(&self, count: u64) -> Result<()> {
        let text = format!("{:?}", change(0).request);
        let script = redis::Script::new(
            "for number = ARGV[1] + 0, ARGV[2] + 0 do \
               redis.call('HSET', KEYS[1], number, '{\"op\":\"unified.place-order\",\"request\":' .. ARGV[3] .. \
                 ',\"signed\":\"' .. string.format('%.0f', number) .. '\"}') \
               if number % (ARGV[4] / 10) == 0 then redis.call('SADD', KEYS[2], number) \
               else redis.call('HSET', KEYS[3], number, 'done') end \
             end \
             redis.call('SET', KEYS[4], ARGV[2])",
        );
        let mut connection = self.connected().await?;
        for from in (1..=count).step_by(200) {
            let mut call = script.prepare_invoke();
            for key in ["changes", "open", "endings", "next"] {
                call.key(format!("bench:journal:{key}"));
            }
            call.arg(from).arg(count.min(from + 199)).arg(&text).arg(count);
            call.invoke_async::<()>(&mut connection).await?;
        }
        redis::cmd("DEL").arg("bench:journal:count").query_async::<()>(&mut connection).await?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::io::stdout().flush();
    }
}
