//! The commands of the guide's chapter, which the tests run as they stand there.

use std::path::Path;

const CHAPTER: &str = "guide/after-a-document-changed.md";

/// Where a project of the tests has its documents, which the chapter calls `FOLDER`.
const DOCUMENTS: &str = "../shared/docs";

/// One line of the block.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    /// Without its comment.
    pub(crate) line: String,
    pub(crate) words: Vec<String>,
}

impl Command {
    /// Returns what it does, whatever runs it: `audit`, `edit schema`, `cargo test`.
    pub(crate) fn step(&self) -> String {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["cargo", "run", "--", command, rest @ ..] => match rest.contains(&"--accept") {
                true => format!("{command} --accept"),
                false => (*command).to_owned(),
            },
            ["$EDITOR", what] => format!("edit {what}"),
            [program, command, ..] => format!("{program} {command}"),
            _ => panic!("the chapter has a command that no test knows: {words:?}"),
        }
    }
}

/// Returns the commands of the first block of the chapter.
pub(crate) fn commands() -> Vec<Command> {
    let chapter = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(CHAPTER)).unwrap();
    let (_, block) = chapter.split_once("\n```sh\n").expect("the chapter has a block");
    let (block, _) = block.split_once("```").expect("the block ends");
    let lines = block.lines().map(|line| line.split(" #").next().unwrap_or_default().trim());
    let lines = lines.filter(|line| !line.is_empty());
    let lines = lines.map(|line| line.replace("FOLDER", DOCUMENTS));
    lines.map(|line| Command { words: words(&line), line }).collect()
}

/// Returns the words of a line as a shell has them; of quotes it needs no more than the double ones.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('"').enumerate() {
        match index % 2 {
            1 => words.push(part.to_owned()),
            _ => words.extend(part.split_whitespace().map(str::to_owned)),
        }
    }
    words
}
