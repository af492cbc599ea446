//! What the tools of the command line say of a schema.

use std::collections::BTreeMap;
use std::path::Path;

use super::Schema;
use crate::audit::{self, Audit, Documents};
use crate::diagnostics::Diagnostics;
use crate::drift::{self, Drift};
use crate::rulebook::{self, Case};
use crate::{diff, explain, export, list, model};

impl Schema {
    /// What the schema claims, as sorted lines of tab-separated columns.
    pub fn facts(&self) -> Vec<String> {
        model::facts(&self.api).map(|(fact, _)| fact.line()).collect()
    }

    /// A table of the operations: id, method, path, limits, effect.
    pub fn list(&self) -> String {
        list::table(&self.api)
    }

    /// A table of the rules, how many there are of each kind, and whether each checked one has its cases.
    pub fn rules(&self) -> String {
        list::rules(&self.api)
    }

    /// Every rule that is checked before sending: the id of the operation, and the rule's.
    pub fn checked_rules(&self) -> Vec<(String, String)> {
        let book = rulebook::book(&self.api).into_iter().filter(|(_, entry)| entry.check.is_some());
        book.map(|(operation, entry)| (operation.to_owned(), entry.id)).collect()
    }

    /// For each checked rule requests that break it alone, and requests at its edge that keep it.
    pub fn cases(&self) -> Vec<Case> {
        rulebook::cases(&self.api)
    }

    /// The ids of the checked rules that a request breaks, found by interpreting the schema, and whether each refuses
    /// the request or only warns. `None` when there is no such operation, or a text is no JSON.
    ///
    /// `account` tells of the account as [`Case::account`](crate::Case::account) does. Rules on how long ago something
    /// is need `now`, in Unix milliseconds.
    pub fn judge(
        &self,
        operation: &str,
        request: &str,
        account: &str,
        now: Option<u64>,
    ) -> Option<BTreeMap<String, bool>> {
        let (family, operation) = self.api.operations().find(|(_, known)| known.id == operation)?;
        let (request, account) = (serde_json::from_str(request).ok()?, serde_json::from_str(account).ok()?);
        Some(rulebook::judge(family, operation, &request, &account, now))
    }

    /// What a newer version of the schema means for those who depend on the crate emitted from this one.
    pub fn diff(&self, newer: &Self) -> diff::Diff {
        diff::diff(&self.side(), &newer.side())
    }

    fn side(&self) -> diff::Side<'_> {
        diff::Side { api: &self.api, files: &self.files }
    }

    /// Reads the documents of a folder, each named after its key in `api.yaml`.
    ///
    /// # Errors
    /// The documents that cannot be read.
    pub fn documents(&self, folder: &Path) -> Result<Documents, Diagnostics> {
        Documents::read(&self.api, folder)
    }

    /// Reads the documents of a folder as they were at a revision of the git repository that it is in.
    ///
    /// # Errors
    /// What kept the revision or a document from being read.
    pub fn documents_at(&self, folder: &Path, revision: &str) -> Result<Documents, Diagnostics> {
        let copy = crate::revision::copy(folder, revision)?;
        Documents::read(&self.api, copy.path())
    }

    /// Compares documents with the schema. Where it is given how they `were` when they were reviewed, changed words are
    /// told with what stood there.
    pub fn audit(&self, documents: &Documents, were: &Documents) -> Audit {
        audit::audit(&self.api, &self.files, documents, were)
    }

    /// Finds where the schema has to change for what a client reported of production, as `DriftReport::to_json` of the
    /// runtime writes it.
    ///
    /// # Errors
    /// What kept the report from being read.
    pub fn drift(&self, report: &Path) -> Result<Drift, Diagnostics> {
        drift::drift(&self.api, &self.files, report)
    }

    /// Everything known about an operation, given by its id or by a name that one family alone has.
    ///
    /// # Errors
    /// No operation is called so, or several are.
    pub fn explain(&self, operation: &str) -> Result<String, Diagnostics> {
        explain::operation(&self.api, operation)
    }

    /// The API as OpenAPI 3.1.
    pub fn openapi(&self) -> export::OpenApi {
        export::openapi(&self.api)
    }
}
