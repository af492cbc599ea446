//! Text for a terminal: headings, and entries with hanging indentation, wrapped.

use std::fmt::Write as _;

/// The width at which text is wrapped.
const WIDTH: usize = 100;

/// A page, built from top to bottom.
#[derive(Default)]
pub(super) struct TextPage {
    text: String,
}

impl TextPage {
    /// A heading, with a blank line before it.
    pub(super) fn heading(&mut self, text: &str) {
        let _ = write!(self.text, "\n{text}\n");
    }

    /// A text without indentation.
    pub(super) fn line(&mut self, text: &str) {
        self.wrapped(0, "", text);
    }

    /// A text under a heading, indented by `depth`.
    pub(super) fn entry(&mut self, depth: usize, text: &str) {
        self.wrapped(depth * 2, "", text);
    }

    /// A name, with its text in a column beside it.
    pub(super) fn named(&mut self, depth: usize, width: usize, name: &str, text: &str) {
        if !text.is_empty() {
            self.wrapped(depth * 2, &format!("{name:width$}  "), text);
        }
    }

    /// A text printed line by line without wrapping.
    pub(super) fn verbatim(&mut self, depth: usize, text: &str) {
        for line in text.trim_end().lines() {
            let _ = writeln!(self.text, "{:indent$}{line}", "", indent = depth * 2);
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    fn wrapped(&mut self, indent: usize, name: &str, text: &str) {
        let hanging = indent + name.chars().count().min(WIDTH / 3);
        let mut line = format!("{:indent$}{name}", "");
        let mut is_empty = true;
        for word in text.split_whitespace() {
            if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
                let _ = writeln!(self.text, "{}", line.trim_end());
                line = " ".repeat(hanging);
                is_empty = true;
            }
            if !is_empty {
                line.push(' ');
            }
            line.push_str(word);
            is_empty = false;
        }
        let _ = writeln!(self.text, "{}", line.trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_wrap_with_hanging_indentation() {
        let mut page = TextPage::default();
        page.named(1, 6, "price", &"word ".repeat(30));
        let text = page.finish();
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert!(text.starts_with("  price   word word") && text.contains("\n          word"), "{text}");
    }
}
