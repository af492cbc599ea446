//! `counterpart` of operations and of enums: the form that a request of one family has in another.

use crate::compiler::diagnostics::Place;
use crate::compiler::load::declared::{Change, Names, NamesWithin, Pair, Placed, Prose, declared};

declared! {
    /// The operation of another family, or of another version of the API, that does the same, and the parameters of its
    /// request. Each parameter of the operation itself stands in `same`, `left_out`, `refused` or a case of `decided`.
    element Counterpart {
        /// That operation, as `family.operation`. Left out: there is none, and `none` says why.
        operation: Option<Placed> => Change::Behaviour("what a request is converted to"),
        /// Without `operation`: the reason that no operation does the same.
        none: Option<(Prose, Place)> => Change::Prose,
        /// A list of objects, and the list of that operation that has an item for each: `{ orderList: "[]" }`. The names
        /// of all keys are then those of an item or of the request around it.
        items: Option<Pair> => Change::Behaviour("what a request is converted to"),
        /// Parameters, each with the parameter of that operation that has the same value. The values of two enums
        /// correspond as `counterpart` of the enum states, and otherwise by their spelling.
        same: Vec<Pair> => Change::Behaviour("what a request is converted to"),
        /// Parameters that are left out of the conversion, each with the reason that nothing is lost.
        left_out: Vec<Pair> => Change::Behaviour("what a request is converted to"),
        /// Parameters to which nothing corresponds, each with the reason: a request that has one is not converted.
        refused: Vec<Pair> => Change::Behaviour("what a request is converted to"),
        /// Values that are decided by others. Of the cases of each entry, exactly one fits a request.
        decided: Vec<CounterpartDecision> => Change::Behaviour("what a request is converted to"),
        /// Differences that remain between the two operations, such as other ids or more records in the answer.
        differs: Names => Change::Prose,
    }

    /// Values that are decided by others.
    part CounterpartDecision {
        /// The cases. Whatever values the named parameters have, one case fits and no other.
        cases: Vec<CounterpartCase>,
    }

    /// A case of a decision.
    part CounterpartCase {
        /// Parameters with the values that they have, or `account.property` with its values: `[]` is for a parameter that
        /// is left out, and `given` for one that is not an enum and has a value. A parameter that the case does not
        /// name can have any value, or none.
        when: Vec<NamesWithin>,
        /// The values of parameters of the other operation.
        then: Vec<Pair>,
        /// Instead of `then`: the reason that such a request is not converted.
        refused: Option<(Prose, Place)>,
    }

    /// The enums of other families whose values mean the same. Values with the same spelling correspond without being
    /// listed.
    element EnumCounterpart {
        /// These enums, as `family.Enum`.
        of: Names => Change::Behaviour("what a request is converted to"),
        /// Values, each with the value there that means the same.
        values: Vec<Pair> => Change::Behaviour("what a request is converted to"),
        /// Values to which none corresponds, each with the reason: a request that has one is not converted.
        refused: Vec<Pair> => Change::Behaviour("what a request is converted to"),
    }
}
