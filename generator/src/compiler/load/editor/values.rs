//! Describes the values of declared keys.

use serde_json::{Value, json};

use crate::compiler::diagnostics::Place;
use crate::compiler::load::declared::{Defaulted, Flag, Mapping, Names, Pair, Prose, Ref, Scalar};
use crate::compiler::load::describe::{Definitions, Describe, DescribeValue, either};
use crate::compiler::load::raw;
use crate::compiler::load::shapes::Texts;
use crate::compiler::words::Word;

impl Describe for raw::Units {
    fn describe(to: &mut Definitions) -> Value {
        either(String::describe(to), Vec::<raw::Unit>::describe(to))
    }
}

impl Describe for Prose {
    fn describe(to: &mut Definitions) -> Value {
        String::describe(to)
    }
}

impl<T: Scalar + Describe> DescribeValue for (T, Place) {
    fn describe_value(to: &mut Definitions) -> Value {
        T::describe(to)
    }
}

impl<T: DescribeValue> DescribeValue for Option<T> {
    fn describe_value(to: &mut Definitions) -> Value {
        T::describe_value(to)
    }
}

impl<W: Word> DescribeValue for Defaulted<W> {
    fn describe_value(to: &mut Definitions) -> Value {
        W::describe(to)
    }
}

impl DescribeValue for Flag {
    fn describe_value(to: &mut Definitions) -> Value {
        bool::describe(to)
    }
}

impl DescribeValue for Names {
    fn describe_value(to: &mut Definitions) -> Value {
        Texts::describe(to)
    }
}

impl<T: DescribeValue> DescribeValue for Vec<(Ref, T)> {
    fn describe_value(to: &mut Definitions) -> Value {
        json!({ "type": "object", "additionalProperties": T::describe_value(to) })
    }
}

/// A mapping of exactly one name.
impl DescribeValue for Pair {
    fn describe_value(to: &mut Definitions) -> Value {
        <Vec<Self>>::describe_value(to)
    }
}

impl<T: Mapping + Describe> DescribeValue for T {
    fn describe_value(to: &mut Definitions) -> Value {
        T::describe(to)
    }
}
