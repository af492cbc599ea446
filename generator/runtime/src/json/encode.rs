use super::writer::JsonWriter;

/// A value that can be written as JSON the way an exchange writes it.
pub trait Encode {
    /// Writes the value.
    fn encode(&self, out: &mut JsonWriter);

    /// Whether there is nothing to write, so that a member is left out.
    fn is_absent(&self) -> bool {
        false
    }
}

/// `value` as a JSON text.
pub fn write_json(value: &(impl Encode + ?Sized)) -> String {
    let mut out = JsonWriter::new();
    value.encode(&mut out);
    out.finish()
}

impl<T: Encode> Encode for Option<T> {
    fn encode(&self, out: &mut JsonWriter) {
        match self {
            Some(value) => value.encode(out),
            None => out.raw("null"),
        }
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode(&self, out: &mut JsonWriter) {
        out.begin_array();
        for item in self {
            item.encode(out.element());
        }
        out.end_array();
    }
}

impl Encode for () {
    fn encode(&self, out: &mut JsonWriter) {
        out.raw("null");
    }
}

impl Encode for bool {
    fn encode(&self, out: &mut JsonWriter) {
        out.boolean(*self);
    }
}

impl Encode for u64 {
    fn encode(&self, out: &mut JsonWriter) {
        out.number(self);
    }
}

impl Encode for String {
    fn encode(&self, out: &mut JsonWriter) {
        out.string(self);
    }
}
