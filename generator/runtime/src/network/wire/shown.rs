//! Decides what a success shows: data without what the documents promise is not the data of the operation. Taken for
//! it, an answer of something else would be a complete listing of nothing, or a result without failures.

use super::envelope::go_to;
use crate::data::json::{Kind, ReadError, Reader};
use crate::data::tables::{Effect, Meta, Shows, Step};

/// Refuses data that does not show what it should; `None` stands for data that is absent. A listing of nothing may be
/// `null`. The results of a change may not: a success without any shows nothing of what was done.
pub(super) fn refuse_empty(meta: &Meta, data: Option<Reader<'_>>) -> Result<(), ReadError> {
    let Some(mut data) = data else {
        return if meta.shows == Shows::Nothing { Ok(()) } else { Err(ReadError::new(0, "there is no data")) };
    };
    let here = data.here();
    match meta.shows {
        Shows::Nothing => Ok(()),
        Shows::List if meta.effect == Effect::Read || lists_something(meta.list_member, data.ahead()) => Ok(()),
        Shows::List => Err(ReadError::new(here, "there is no list of results")),
        Shows::OneOf(members) => match shows_one_of(members, &mut data)? {
            true => Ok(()),
            false => Err(ReadError::new(here, "it contains no documented member")),
        },
        Shows::Each(members) => match missing_of(members, &mut data)? {
            None => Ok(()),
            Some(missing) => Err(ReadError::new(here, format!("there is no {missing:?}"))),
        },
    }
}

/// Returns whether data is a list, or an object with one: in its member `list`, or else of its values.
fn lists_something(list: Option<&'static str>, mut data: Reader<'_>) -> bool {
    if let (Kind::Object, Some(list)) = (data.peek(), list) {
        let mut within = data.ahead();
        if go_to(&mut within, &[Step::Member(list)]).is_some() {
            data = within;
        }
    }
    matches!(data.peek(), Kind::Array | Kind::Object)
}

/// Returns whether a record has one of its members. It can also travel as an array of their values, or as one value.
fn shows_one_of(members: &[&str], data: &mut Reader<'_>) -> Result<bool, ReadError> {
    match data.peek() {
        Kind::Object => {
            let mut found = data.object(&[])?;
            while let Some(name) = found.next_name(data)? {
                if members.contains(&&*name) {
                    return Ok(true);
                }
                data.skip()?;
            }
            Ok(false)
        }
        Kind::Array => Ok(data.array()?.next(data)?.is_some()),
        Kind::String | Kind::Number | Kind::Boolean => Ok(!data.scalar()?.is_empty()),
        Kind::Null | Kind::Nothing => Ok(false),
    }
}

/// The first of the members that an object lacks.
fn missing_of<'m>(members: &[&'m str], data: &mut Reader<'_>) -> Result<Option<&'m str>, ReadError> {
    let mut missing: u64 = (1 << members.len()) - 1;
    if data.peek() == Kind::Object {
        let mut found = data.object(&[])?;
        while missing != 0
            && let Some(name) = found.next_name(data)?
        {
            missing &= members.iter().position(|member| *member == name).map_or(u64::MAX, |place| !(1 << place));
            // What comes after the last of them is read with the data.
            if missing != 0 {
                data.skip()?;
            }
        }
    }
    Ok(members.get(missing.trailing_zeros() as usize).copied())
}
