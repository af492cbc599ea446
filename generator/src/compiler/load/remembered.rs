//! The contents of files, for generators that read a schema again and again.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::source::SchemaFile;

/// The files that were read without a mistake, by name; of each, its last text. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remembered(Arc<Mutex<HashMap<String, RememberedFile>>>);

#[derive(Debug)]
struct RememberedFile {
    /// The number by which places within the file refer to it.
    number: u32,
    text: Arc<str>,
    /// A type of [`super::raw`].
    content: Arc<dyn Any + Send + Sync>,
}

impl Remembered {
    /// Returns what a file says, if its bytes and its number are those of the last time.
    pub(super) fn get<T: Clone + 'static>(&self, source: &SchemaFile) -> Option<T> {
        let content = {
            let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let file = files.get(&source.name)?;
            ((file.number, &file.text) == (source.file, &source.text)).then(|| file.content.clone())?
        };
        content.downcast_ref::<T>().cloned()
    }

    pub(super) fn put<T: Send + Sync + 'static>(&self, source: &SchemaFile, content: T) {
        let file = RememberedFile { number: source.file, text: source.text.clone(), content: Arc::new(content) };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(source.name.clone(), file);
    }
}
