use super::page::TimeRange;
use super::walk::Pages;
use crate::client::ClientCore;
use crate::fate::Repeatable;
use crate::json::{Decode, Encode, JsonWriter, read_json};
use crate::value::List;

/// A request that is answered by a page. Emitted for each operation whose answer has a cursor.
pub trait Paged: Repeatable + Clone {
    /// What is listed.
    type Item: Encode;

    /// The name of the list in an answer: data that does not name it is no page.
    const LIST: &'static str;

    /// Whether items have an id. One that comes again is told by its id and all its other fields.
    const HAS_ID: bool = false;

    /// What a page holds, and where the next one begins.
    fn page(response: Self::Response) -> (List<Self::Item>, Option<String>);

    /// The id of an item.
    fn item_id(item: &Self::Item) -> Option<&str> {
        let _ = item;
        None
    }

    /// Where the page begins.
    fn cursor(&self) -> Option<String>;

    /// Says where the page begins; a cursor is sent back as it came.
    fn set_cursor(&mut self, cursor: Option<&str>);

    /// The times asked for.
    fn range(&self) -> TimeRange {
        TimeRange::default()
    }

    /// Asks for other times. Times that must be sent stay as they are where `range` has none.
    fn set_range(&mut self, range: TimeRange) {
        let _ = range;
    }

    /// The requests that list everything this one means only together, in the order in which they are to be made.
    fn each(&self) -> Vec<Self> {
        vec![self.clone()]
    }

    /// All pages, one after the other; see [`Pages`].
    #[must_use = "nothing is sent until a page is asked for"]
    fn stream(self, client: impl AsRef<ClientCore>) -> Pages<Self> {
        Pages::new(client.as_ref().clone(), self)
    }
}

/// The value of a parameter that a text of the exchange stands for, taken as it came. What emitted code calls.
pub fn from_text<T: Decode>(text: &str) -> Option<T> {
    let mut json = JsonWriter::new();
    json.string(text);
    read_json(&json.finish()).ok()
}

/// The text of a value that may be there. What emitted code calls.
pub fn text_of<T: ToString>(value: &Option<T>) -> Option<String> {
    value.as_ref().map(ToString::to_string)
}
