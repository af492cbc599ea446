//! Operations: requests, responses, and what answers show about a request.

use std::collections::BTreeMap;

use super::parameters::{Block, ParameterReader, ParameterView};
use super::rules::{RuleReader, RuleView};
use super::types::{FieldView, field_view};
use crate::compiler::emit;
use crate::compiler::model::phrases::PLAIN;
use crate::compiler::model::{Api, CodeProof, Effect, ErrorCode, Family, Operation, Proof};
use crate::tools::export::site::address::{Address, Anchors};
use crate::tools::export::site::view::RuleTests;
use crate::tools::rules::{self, Case};

/// An operation with everything that its page shows.
pub(in crate::tools::export::site) struct OperationView<'a> {
    pub(in crate::tools::export::site) operation: &'a Operation,
    pub(in crate::tools::export::site) address: Address,
    pub(in crate::tools::export::site) parameters: Vec<Block<'a>>,
    pub(in crate::tools::export::site) answer: Vec<FieldView<'a>>,
    pub(in crate::tools::export::site) counterpart: Option<CounterpartView<'a>>,
    pub(in crate::tools::export::site) rules: Vec<RuleView<'a>>,
    pub(in crate::tools::export::site) examples: Vec<ExampleView<'a>>,
}

/// The counterpart of an operation with what becomes of its request.
pub(in crate::tools::export::site) enum CounterpartView<'a> {
    /// The reason that no operation does the same.
    None(&'a str),
    Operation {
        id: &'a str,
        title: &'a str,
        address: Address,
        /// Each parameter or case, and what it becomes.
        rows: Vec<[String; 2]>,
        differs: Vec<&'a str>,
    },
}

/// A request and its answer, with programs in several languages.
pub(in crate::tools::export::site) struct ExampleView<'a> {
    pub(in crate::tools::export::site) about: &'a str,
    pub(in crate::tools::export::site) request: &'a str,
    pub(in crate::tools::export::site) response: &'a str,
    pub(in crate::tools::export::site) calls: Option<emit::ExampleCalls>,
}

/// The outcome of a request that is answered with a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::tools::export::site) enum CodeOutcome {
    Done,
    NotDone,
    Unknown,
    /// Not done, unless the request has several effects, some of which may be done.
    UnknownWhenCompound,
    /// The request only reads, so it has no effect.
    Nothing,
}

impl<'a> OperationView<'a> {
    /// Returns what a code of the family shows about a request of this operation.
    pub(in crate::tools::export::site) fn verdict(&self, error: &ErrorCode) -> CodeOutcome {
        if error.success { CodeOutcome::Done } else { self.verdict_of(error.proof) }
    }

    /// Returns what a code with this proof shows about a request of this operation.
    pub(in crate::tools::export::site) fn verdict_of(&self, proof: Proof) -> CodeOutcome {
        let leaves_open = |compound: bool| proof.leaves_open(self.operation.effect, compound);
        match &self.operation.compound {
            _ if self.operation.effect == Effect::Read => CodeOutcome::Nothing,
            _ if leaves_open(false) => CodeOutcome::Unknown,
            Some(compound) if leaves_open(true) => match &compound.when {
                None => CodeOutcome::Unknown,
                Some(_) => CodeOutcome::UnknownWhenCompound,
            },
            Some(_) | None => CodeOutcome::NotDone,
        }
    }

    /// Returns the codes that no document lists, grouped by what they show about a request of this operation.
    pub(in crate::tools::export::site) fn observed(
        &self,
        api: &'a Api,
        family: &'a Family,
    ) -> Vec<(CodeOutcome, CodeProof, Vec<&'a str>)> {
        let mut groups: Vec<(CodeOutcome, CodeProof, Vec<&str>)> = Vec::new();
        for code in api.observed_of(family) {
            let (verdict, proves) = (self.verdict_of(code.proof), code.proof.proves);
            match groups.iter_mut().find(|(other, of, _)| (*other, *of) == (verdict, proves)) {
                Some((.., codes)) => codes.push(&code.code),
                None => groups.push((verdict, proves, vec![&code.code])),
            }
        }
        groups.sort_by_key(|(verdict, ..)| *verdict);
        groups
    }

    /// Returns every parameter, including those of choices and items.
    pub(in crate::tools::export::site) fn all_parameters(&self) -> Vec<&ParameterView<'a>> {
        let mut found = Vec::new();
        collect(&self.parameters, &mut found);
        found
    }
}

fn collect<'b, 'a>(blocks: &'b [Block<'a>], found: &mut Vec<&'b ParameterView<'a>>) {
    let add = |one: &'b ParameterView<'a>, found: &mut Vec<&'b ParameterView<'a>>| {
        found.push(one);
        collect(&one.items, found);
    };
    for block in blocks {
        match block {
            Block::One(one) => add(one, found),
            Block::OneOf { parameters, .. } => parameters.iter().for_each(|one| add(one, found)),
            Block::ByValue { decider, cases, .. } => {
                add(decider, found);
                cases.iter().flat_map(|case| &case.parameters).for_each(|one| add(one, found));
            }
        }
    }
}

pub(super) fn view<'a>(
    api: &'a Api,
    family: &'a Family,
    operation: &'a Operation,
    cases: &BTreeMap<(&str, &str), Vec<&'a Case>>,
    tests: &'a RuleTests,
) -> OperationView<'a> {
    let written: Vec<_> = operation.statements.rules.iter().collect();
    let entries = rules::of_operation(family, operation);
    let reader = RuleReader { family, operation: Some(operation), cases, tests, anchors: Anchors::default() };
    let rules = reader.all(&written, entries);
    let mut reader = ParameterReader { family, rules: &rules, anchors: Anchors::default() };
    let parameters = reader.blocks(None, operation.body.parameters());
    let answer = operation.response.record().and_then(|index| Some((index, family.records.get(index)?)));
    let answer = answer.map_or_else(Vec::new, |(index, record)| {
        record.fields.iter().map(|field| field_view(family, field, &mut Some(vec![index]))).collect()
    });
    let examples = operation.examples.iter().map(|example| ExampleView {
        about: &example.about,
        request: &example.request.0,
        response: &example.response.0,
        calls: emit::example_calls(api, family, operation, &example.request.0),
    });
    OperationView {
        operation,
        address: Address::operation(&family.name, &operation.name),
        parameters,
        answer,
        counterpart: counterpart_view(api, family, operation),
        rules,
        examples: examples.collect(),
    }
}

fn counterpart_view<'a>(api: &'a Api, family: &'a Family, operation: &'a Operation) -> Option<CounterpartView<'a>> {
    let counterpart = operation.counterpart.as_ref()?;
    if let Some((why, _)) = &counterpart.none {
        return Some(CounterpartView::None(why));
    }
    let conversion = api.conversion(family, operation)?;
    let to = conversion.to.operation;
    Some(CounterpartView::Operation {
        id: &to.id,
        title: &to.title,
        address: Address::operation(&conversion.to.family.name, &to.name),
        rows: conversion.rows(&PLAIN),
        differs: counterpart.differs.iter().map(|(says, _)| says.as_str()).collect(),
    })
}
