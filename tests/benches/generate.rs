//! Generation without changes, after an edit of one file, and from scratch, compared with reading and emitting in
//! memory; for the schema and for thirty copies of it, with the peak memory of each.
//!
//! Thirty copies of the schema take thirty times as long as one; the last table compares both.
//!
//! `cargo bench -p tradeapi-tests --bench generate`

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use measure::Race;
use tempfile::TempDir;
use tradeapi_gen::{Diagnostics, Generator, Layout, Report};
use tradeapi_tests::folders;

mod measure;

const COPIES: usize = 30;
const ROUNDS: usize = 21;
const FEW_ROUNDS: usize = 5;

/// The argument of a process that runs one variant once, and prints its peak memory.
const PEAK: &str = "--peak-of";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [PEAK, way, schema, out] = arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        let runs = Runs { schema: schema.into(), out: out.into(), edits: 0 };
        return runs.peak(way);
    }
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema");
    let copies = TempDir::new()?;
    copy_schema(&real, copies.path())?;

    generated("generate: the schema", &real, "unified", ROUNDS)?;
    generated(&format!("generate: {COPIES} copies of the schema"), copies.path(), "unified07", FEW_ROUNDS)?;
    measured("in memory: the schema", &real, ROUNDS)?;
    measured(&format!("in memory: {COPIES} copies of the schema"), copies.path(), FEW_ROUNDS)?;
    let (one, all) = (Generator::new().schema_dir(real), Generator::new().schema_dir(copies.path()));
    Race::new("generate: growth, all read and emitted")
        .rounds(FEW_ROUNDS)
        .all_threads()
        .way("the copies together", || files(&all))
        .way("the schema, as often as there are copies", || (0..COPIES).try_for_each(|_| files(&one).map(drop)))
        .run();
    Ok(())
}

/// Prints the time of runs that find nothing, one file or everything changed.
fn generated(title: &str, schema: &Path, family: &str, rounds: usize) -> Result<(), Box<dyn Error>> {
    let room = TempDir::new()?;
    let (copy, edited) = (room.path().join("schema"), room.path().join("edited"));
    folders::copy(schema, &copy);
    folders::copy(schema, &edited);
    let runs = |schema: &Path, out: &str| Runs { schema: schema.to_owned(), out: room.path().join(out), edits: 0 };
    let (again, mut edit, anew) = (runs(&copy, "again"), runs(&edited, "edit"), runs(&copy, "anew"));
    again.generate()?;
    edit.generate()?;
    Race::new(title)
        .rounds(rounds)
        .all_threads()
        .cpu()
        .way("nothing changed", || again.generate())
        .way("one operation edited", || edit.edit(family))
        .way("everything new, the folder empty", || anew.anew())
        .way("everything read and emitted, in memory", || files(&Generator::new().schema_dir(schema)))
        .run();
    for way in ["generate", "read"] {
        let _ = fs::remove_dir_all(&anew.out);
        println!("  {:<42} {:>10}", format!("most memory, {way} everything"), anew.peak_of(way)?);
    }
    println!("  {:<42} {:>10}", "most memory, nothing changed", again.peak_of("generate")?);
    Ok(())
}

/// Runs over the same folders.
struct Runs {
    schema: PathBuf,
    out: PathBuf,
    edits: usize,
}

impl Runs {
    fn generator(&self) -> Generator {
        Generator::new().schema_dir(&self.schema).out_dir(&self.out).layout(Layout::Crate)
    }

    fn generate(&self) -> Result<Report, Diagnostics> {
        self.generator().generate()
    }

    fn anew(&self) -> Result<Report, Diagnostics> {
        let _ = fs::remove_dir_all(&self.out);
        self.generate()
    }

    fn edit(&mut self, family: &str) -> Result<Report, Box<dyn Error>> {
        let path = self.schema.join(family).join("place-order.yaml");
        let text = fs::read_to_string(&path)?;
        let (head, doc) = text.split_once("\ndoc: ").ok_or("the operation has no doc")?;
        let (_, rest) = doc.split_once('\n').ok_or("the operation ends in its doc")?;
        self.edits += 1;
        fs::write(&path, format!("{head}\ndoc: Places an order, in words number {}.\n{rest}", self.edits))?;
        Ok(self.generate()?)
    }

    /// Returns the peak memory of a separate process.
    fn peak_of(&self, way: &str) -> Result<String, Box<dyn Error>> {
        let output =
            Command::new(std::env::current_exe()?).args([PEAK, way]).args([&self.schema, &self.out]).output()?;
        let peak = String::from_utf8(output.stdout)?;
        if output.status.success() { Ok(peak.trim().to_owned()) } else { Err("the process of its own failed".into()) }
    }

    /// Runs the variant, and prints the peak memory of this process, if the system reports it.
    fn peak(&self, way: &str) -> Result<(), Box<dyn Error>> {
        match way {
            "generate" => drop(self.generate()?),
            _ => drop(self.generator().read()?),
        }
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        println!("{}", peak.map_or("unknown", str::trim));
        Ok(())
    }
}

/// Prints the measurements for the schema in `folder`.
fn measured(title: &str, folder: &Path, rounds: usize) -> Result<(), Diagnostics> {
    let generator = Generator::new().schema_dir(folder);
    let schema = generator.read()?;
    let files = files(&generator)?;
    let bytes: usize = files.values().map(String::len).sum();
    let operations = schema.counts().operations;
    Race::new(format!("{title}: {operations} operations, {} files of {bytes} bytes", files.len()))
        .rounds(rounds)
        .all_threads()
        .way("read and emit", || self::files(&generator))
        .way("read", || generator.read())
        .way("emit", || schema.emit(Layout::Crate))
        .run();
    Ok(())
}

fn files(generator: &Generator) -> Result<BTreeMap<String, String>, Diagnostics> {
    generator.read().map(|schema| schema.emit(Layout::Crate))
}

/// Writes copies of every family under other names and with other paths.
fn copy_schema(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    // Left out is what names families, which have other names here, or observed codes, which are not copied.
    let names_others =
        |line: &&str| ["shown_as:", "denied_by:", "nothing:"].iter().any(|key| line.trim_start().starts_with(key));
    let kept = |text: &str| -> String { text.split_inclusive('\n').filter(|line| !names_others(line)).collect() };
    let api = fs::read_to_string(from.join("api.yaml"))?;
    fs::write(to.join("api.yaml"), kept(&api))?;
    let families: Vec<_> = fs::read_dir(from)?.collect::<Result<_, _>>()?;
    let families: Vec<_> = families.iter().filter(|entry| entry.path().join("family.yaml").is_file()).collect();
    let names = families.iter().map(|family| family.file_name().into_string()).collect::<Result<Vec<_>, _>>();
    let names = names.map_err(|_| "a family has no name")?;
    for (family, name) in families.iter().zip(&names) {
        for copy in 0..COPIES {
            let folder = to.join(format!("{name}{copy:02}"));
            fs::create_dir(&folder)?;
            for file in fs::read_dir(family.path())? {
                let file = file?;
                let text = kept(&fs::read_to_string(file.path())?);
                // Families refer to those of the same copy, and paths begin with its number.
                let text = names.iter().fold(text, |text, other| {
                    let named = [("of: ", "\n"), ("of: ", ","), ("", "."), ("/: ", "")];
                    named.iter().fold(text, |text, (before, behind)| {
                        text.replace(&format!("{before}{other}{behind}"), &format!("{before}{other}{copy:02}{behind}"))
                    })
                });
                let renamed = text
                    .replacen(&format!("family: {name}\n"), &format!("family: {name}{copy:02}\n"), 1)
                    .replace(" /api/", &format!(" /{copy:02}/api/"));
                fs::write(folder.join(file.file_name()), renamed)?;
            }
        }
    }
    Ok(())
}
