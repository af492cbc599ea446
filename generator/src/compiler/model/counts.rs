//! The size of a model.

use super::Api;

/// The number of operations, rules and other parts that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Families of operations.
    pub families: usize,
    /// Operations.
    pub operations: usize,
    /// Parameters of requests, including those of choices and items.
    pub parameters: usize,
    /// Fields of records.
    pub fields: usize,
    /// Values of enums.
    pub values: usize,
    /// Rates and ceilings.
    pub limits: usize,
    /// Rules.
    pub rules: usize,
}

impl Counts {
    /// Counts the parts of a model.
    pub(crate) fn of(api: &Api) -> Self {
        let mut counts = Self { families: api.families.len(), ..Self::default() };
        for family in &api.families {
            counts.operations += family.operations.len();
            counts.fields += family
                .records
                .iter()
                .filter(|record| !record.is_abstract)
                .map(|record| record.fields.len())
                .sum::<usize>();
            counts.values += family.enums.iter().map(|all| all.values.len()).sum::<usize>();
            counts.limits += family.limits.len();
            counts.rules += family.statements.rules.len();
            for operation in &family.operations {
                counts.limits += operation.rates.len();
                counts.rules += operation.statements.rules.len();
                counts.parameters += operation.parameter_count(family);
            }
        }
        counts
    }
}
