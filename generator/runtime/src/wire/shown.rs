//! What a success shows: data without what the documents promise is not the data of the operation. Taken for it, an
//! answer of something else would be a complete listing of nothing, or a result without failures.

use crate::json::{Kind, ReadError, Reader};
use crate::tables::Shows;

/// Refuses data that does not show what it should; `None` stands for data that is absent.
pub(super) fn refuse_empty(shows: Shows, data: Option<Reader<'_>>) -> Result<(), ReadError> {
    let Some(mut data) = data else {
        return if shows == Shows::Nothing { Ok(()) } else { Err(ReadError::new(0, "there is no data")) };
    };
    let here = data.here();
    match shows {
        Shows::Nothing | Shows::List => Ok(()),
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

/// Whether a record has one of its members. It can also travel as an array of their values, or as one value.
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
