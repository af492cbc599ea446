//! Tables that convert a request of one operation to that of another.

/// The parameters of a request, each with what it becomes. Parameters that are in none of the lists are left out.
#[derive(Clone, Copy, Debug)]
pub struct Counterpart {
    /// The list of the request, and the list of the other one that has an item for each; `[]` where it is the whole
    /// body.
    pub items: Option<(&'static str, &'static str)>,
    /// Parameters, each with the one of the other request, or of its items, that has the same value.
    pub same: &'static [(&'static str, &'static str)],
    /// With `items`: the same for parameters around the items.
    pub around: &'static [(&'static str, &'static str)],
    /// Values of parameters, each with the one of the other request that spells it in another way or does not have it.
    pub values: &'static [((&'static str, &'static str), &'static str, Becomes)],
    /// Lists of cases, of each of which exactly one fits.
    pub decided: &'static [&'static [Case]],
    /// Parameters to which nothing corresponds, each with the reason.
    pub refused: &'static [(&'static str, &'static str)],
}

impl Counterpart {
    /// Leaves everything out; for the fields that a table leaves out.
    pub const DEFAULT: Self = Self { items: None, same: &[], around: &[], values: &[], decided: &[], refused: &[] };
}

/// The thing that a value becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Becomes {
    /// This value.
    Value(&'static str),
    /// Nothing, for this reason.
    Nothing(&'static str),
}

/// A case, and the values that the other request has then.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The conditions, all of which have to hold.
    pub when: &'static [When],
    /// Parameters of the other request, each with its value.
    pub then: &'static [(&'static str, &'static str)],
    /// Parameters, each with the one of the other request that has the same value.
    pub same: &'static [(&'static str, &'static str)],
    /// The reason that nothing corresponds to such a request, if so.
    pub refused: Option<&'static str>,
}

impl Case {
    /// Always fits and sets nothing; for the fields that a table leaves out.
    pub const DEFAULT: Self = Self { when: &[], then: &[], same: &[], refused: None };
}

/// A condition of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// The parameter has one of these values.
    Is(&'static str, &'static [&'static str]),
    /// The parameter has one of these values, of which one is assumed if it is left out.
    IsByDefault(&'static str, &'static [&'static str]),
    /// The parameter has a value.
    Given(&'static str),
    /// The parameter is a number, which is zero.
    Zero(&'static str),
    /// The parameter is a number, which is not zero.
    NotZero(&'static str),
    /// The parameter is left out.
    LeftOut(&'static str),
    /// The property of the account has one of these values.
    Account(&'static str, &'static [&'static str]),
}
