//! Tables about a schema, as the command line prints them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::OnceLock;

use super::Schema;
use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::tools::audit::{self, Announced, Audit, Auditor, Documents};
use crate::tools::drift::{self, Drift};
use crate::tools::rules::{self, Case};
use crate::{tools::diff, tools::export, tools::list, tools::operation_page};

/// Inputs of a site besides the schema.
#[derive(Clone, Copy, Debug, Default)]
pub struct SiteOptions<'a> {
    /// An older schema and its name; a page of the site lists the changes since.
    pub since: Option<(&'a str, &'a Schema)>,
    /// The documents: rules link to their lines, and each document gets a page.
    pub documents: Option<&'a Documents>,
    /// The tests that show how the exchange treats requests that keep or break a rule.
    pub tests: Option<&'a export::RuleTests>,
}

impl Schema {
    /// Returns the facts of the schema, as sorted lines of tab-separated columns.
    pub fn facts(&self) -> Vec<String> {
        self.api.facts().map(|(fact, _)| fact.line()).collect()
    }

    /// Returns the facts that no document states, in the same form.
    pub fn observed_facts(&self) -> Vec<String> {
        self.api.facts_of(true).map(|(fact, _)| fact.line()).collect()
    }

    /// Leaves out the families that no document describes.
    #[must_use]
    pub fn documented(mut self) -> Self {
        self.api.families.retain(|family| !family.is_observed());
        self.cases = OnceLock::new();
        self
    }

    /// Returns a table of the operations: id, method, path, limits, effect.
    pub fn list(&self) -> String {
        list::table(&self.api)
    }

    /// Returns the operations as JSON, an object on each line.
    pub fn list_as_json(&self) -> String {
        list::table_as_json(&self.api)
    }

    /// Returns the rules as JSON, an object on each line.
    pub fn rules_as_json(&self) -> String {
        list::rules_as_json(&self.api, self.all_cases())
    }

    /// Returns a table of the rules, the number of each kind, and whether each checked rule has requests that break and
    /// keep it.
    pub fn rules(&self) -> String {
        list::rules(&self.api, self.all_cases())
    }

    /// Returns the documents that state until when announced changes were compared with the schema, a line for each.
    pub fn aligned(&self) -> Vec<String> {
        let documents = self.api.documents.iter();
        documents.filter_map(|one| Some(format!("{}: changes compared until {}", one.id, one.aligned?.0))).collect()
    }

    /// Returns every rule that is checked before sending, as the ids of the operation and of the rule.
    pub fn checked_rules(&self) -> Vec<(String, String)> {
        let rules = rules::all(&self.api).into_iter().filter(|(_, entry)| entry.check.is_some());
        rules.map(|(operation, entry)| (operation.to_owned(), entry.id)).collect()
    }

    /// Returns, for each checked rule, requests that break only this rule, and requests at its edge that keep it.
    pub fn cases(&self) -> Vec<Case> {
        self.all_cases().to_vec()
    }

    fn all_cases(&self) -> &[Case] {
        self.cases.get_or_init(|| rules::cases(&self.api))
    }

    /// Returns the ids of the checked rules that a request breaks, found by interpreting the schema, and whether each
    /// refuses the request or only warns. `None` if there is no such operation, or if a text is not JSON.
    ///
    /// `account` holds the properties of the account as in [`Case::account`](crate::Case::account). Rules that compare
    /// with the current time need `now`, in Unix milliseconds.
    pub fn evaluate(
        &self,
        operation: &str,
        request: &str,
        account: &str,
        now: Option<u64>,
    ) -> Option<BTreeMap<String, bool>> {
        let (family, operation) = self.api.operations().find(|(_, known)| known.id == operation)?;
        let (request, account) = (serde_json::from_str(request).ok()?, serde_json::from_str(account).ok()?);
        Some(rules::evaluate(family, operation, &request, &account, now))
    }

    /// Returns what a newer version of the schema changes for dependents of the crate that this one emits.
    pub fn diff(&self, newer: &Self) -> diff::Diff {
        diff::diff(&self.side(), &newer.side())
    }

    fn side(&self) -> diff::SchemaVersion<'_> {
        diff::SchemaVersion { api: &self.api, files: &self.files }
    }

    /// Reads the documents of a folder, each named after its key in `api.yaml`.
    ///
    /// # Errors
    /// Returns the documents that cannot be read.
    pub fn documents(&self, folder: &Path) -> Result<Documents, Diagnostics> {
        Documents::read(&self.api, folder)
    }

    /// Reads the documents of a folder as of a revision of the git repository that contains it.
    ///
    /// # Errors
    /// Fails if the revision or a document cannot be read.
    pub fn documents_at(&self, folder: &Path, revision: &str) -> Result<Documents, Diagnostics> {
        let copy = crate::tools::revision::copy(folder, revision)?;
        Documents::read(&self.api, copy.path())
    }

    /// Prepares to compare documents with the schema several times.
    pub fn auditor(&self) -> Auditor<'_> {
        Auditor::new(&self.api, &self.files)
    }

    /// Compares documents with the schema. `were` holds the documents as last reviewed; with them, changed words are
    /// reported together with the former text.
    pub fn audit(&self, documents: &Documents, were: &Documents) -> Audit {
        self.auditor().audit(documents, were)
    }

    /// Compares a list of announced changes with the schema: a Markdown file whose entries have dates.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn announced(&self, changes: &Path) -> Result<Announced, Diagnostics> {
        audit::announced(&self.api, &self.files, changes)
    }

    /// Finds where the schema has to change, given what a client observed in production, as written by
    /// `DriftReport::to_json` of the runtime.
    ///
    /// # Errors
    /// Fails if the report cannot be read.
    pub fn drift(&self, report: &Path) -> Result<Drift, Diagnostics> {
        drift::drift(&self.api, &self.files, report)
    }

    /// Returns everything known about an operation, given by its id or by a name that only one family has.
    ///
    /// # Errors
    /// Fails if no operation has this name, or if several have it.
    pub fn explain(&self, operation: &str) -> Result<String, Diagnostics> {
        operation_page::operation(&self.api, operation)
    }

    /// Returns everything known about an operation as JSON: an element with its keys and the elements within.
    ///
    /// # Errors
    /// Fails if no operation has this name, or if several have it.
    pub fn explain_as_json(&self, operation: &str) -> Result<String, Diagnostics> {
        operation_page::operation_as_json(&self.api, operation)
    }

    /// Returns the API as OpenAPI 3.1, in the form that tools of other languages read: each choice is a `oneOf` of
    /// whole objects, and a rule that needs a condition is in `x-rules` alone.
    pub fn openapi(&self) -> export::OpenApi {
        export::openapi(&self.api)
    }

    /// Returns the API as OpenAPI 3.1 with everything that JSON Schema can state, conditions included. Validators and
    /// drafts read it; many tools that generate code lose members of it.
    pub fn exact_openapi(&self) -> export::OpenApi {
        export::exact_openapi(&self.api)
    }

    /// Returns the outcomes of requests as data: what each end of a call proves, and which queries settle the rest.
    pub fn outcomes(&self) -> export::Outcomes {
        export::outcomes(&self.api)
    }

    /// Returns the API as a reference site.
    ///
    /// # Errors
    /// Fails if a file of the schema can no longer be read, or if a test names a rule that the schema does not have.
    pub fn site(&self, with: &SiteOptions<'_>) -> Result<export::Site, Diagnostics> {
        let tests = with.tests.cloned().unwrap_or_default();
        self.rules_exist(&tests)?;
        let documents = with.documents.map(|documents| self.located(documents)).unwrap_or_default();
        let inputs = export::SiteInputs { schema: self.sources()?, documents, tests };
        let diff = with.since.map(|(revision, older)| (revision, older.diff(self)));
        let since = diff.as_ref().map(|(revision, diff)| export::Baseline { revision, diff });
        Ok(export::site(&self.api, self.all_cases(), &inputs, since))
    }

    /// Fails if a test names a rule that the schema does not have.
    fn rules_exist(&self, tests: &export::RuleTests) -> Result<(), Diagnostics> {
        let mut to = Diagnostics::default();
        let rules = rules::all(&self.api);
        let known: BTreeSet<(&str, &str)> = rules.iter().map(|(about, entry)| (*about, entry.id.as_str())).collect();
        for (about, rule) in tests.rules().filter(|(about, rule)| !known.contains(&(about.as_str(), rule.as_str()))) {
            to.whole(
                Code::CannotRead,
                format!("the list of tests names the rule {rule} of {about}, which does not exist"),
            )
            .help("`rules` lists the rules, each after what it is about");
        }
        to.into_result()
    }

    /// Returns the documents, each with the lines that the places of rules lead to.
    fn located(&self, documents: &Documents) -> BTreeMap<String, export::DocumentFile> {
        let rules = rules::all(&self.api);
        let parts = || rules.iter().flat_map(|(_, entry)| entry.at.split(';').map(str::trim));
        let file = |id: &str| {
            let places = documents.places(id)?;
            let lines = parts().filter_map(|at| Some((at.to_owned(), places.line(at)?))).collect();
            Some((id.to_owned(), export::DocumentFile { text: documents.text(id)?.to_owned(), lines }))
        };
        self.api.documents.iter().filter_map(|known| file(&known.id)).collect()
    }

    /// Returns the files of the schema, by their names relative to its folder.
    fn sources(&self) -> Result<Vec<export::SourceFile>, Diagnostics> {
        let mut to = Diagnostics::default();
        let folder =
            self.files.get(self.api.place.file as usize).and_then(|file| file.parent()).unwrap_or(Path::new(""));
        let mut sources = Vec::new();
        for path in &self.files {
            let text = std::fs::read_to_string(path).unwrap_or_else(|error| {
                to.whole(Code::CannotRead, format!("cannot read {}: {error}", path.display()))
                    .help("the file was there when the schema was read; run again");
                String::new()
            });
            let below = path.strip_prefix(folder).unwrap_or(path).iter().map(|part| part.to_string_lossy());
            sources.push(export::SourceFile { name: below.collect::<Vec<_>>().join("/"), text });
        }
        to.into_result().map(|()| sources)
    }
}
