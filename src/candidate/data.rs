//! The data candidate (docs/candidates.md): its rules, and its outcome.

use std::borrow::Cow;
use std::fmt::Display;
use std::iter::Enumerate;
use std::slice::Iter;

use hashbrown::{HashMap, HashSet};
use serde_json::{Map, Value};

use super::evidence::{Binder, EvidenceEntry, EvidenceMode, Quote, Spans, Unbound};
use super::faults::{Faults, Rejection, read};
use super::quotes::Quotes;
use crate::budget::{Budget, Exhausted};
use crate::definition::{Definition, ProofForm};
use crate::error::{DataIssueCode, Issue, IssueCode, Stage};
use crate::json::Node;
use crate::limits::{Limit, Limits};
use crate::materials::Materials;
use crate::place::Place;
use crate::schema::Selection;
use crate::text::{first_bytes, pointer_tokens, push_token, quoted, shown, unescape_token};

/// The most faults of the schema that one pass looks for.
const MAX_SCHEMA_FAULTS: usize = 64;

/// The rule for the path of an issue.
const ISSUE_PATH: &str = "must be null, \"/data\" or a pointer to a selected field or below it";

/// The most bytes of a pointer that are formatted for a message, which shows fewer.
const MAX_SHOWN_BYTES: usize = 512;

/// The outcome of an acceptable data candidate.
pub(crate) enum Outcome {
    /// The fields, and their evidence if the request asks for it.
    Data(Map<String, Value>, Option<Vec<EvidenceEntry>>),
    /// The issues, those of verdicts first, and the fields that are settled nevertheless.
    Issues(Vec<Issue>, Map<String, Value>),
}

/// Checks a data candidate.
///
/// # Errors
/// [`Exhausted`] where the budget ended before the outcome was known.
pub(crate) fn check(
    text: &str,
    materials: &Materials,
    selection: &Selection,
    definition: &Definition,
    limits: &Limits,
    budget: &Budget,
) -> Result<Result<Outcome, Rejection>, Exhausted> {
    let mut root = match read(text, Stage::Data, limits) {
        Ok(root) => root,
        Err(rejected) => return Ok(Err(rejected)),
    };
    let check = Check {
        materials,
        selection,
        budget,
        faults: Faults::default(),
        binder: Binder::new(materials, selection, definition.evidence(), budget),
        quotes: Quotes::new(materials, budget),
    };
    if let Err(error) = check_counts(&root, limits) {
        return Ok(Err(error));
    }
    if let Some(data) = root.as_object_mut().and_then(|root| root.get_mut("data")) {
        selection.drop_absent(data, budget)?;
    }
    match definition.proof() {
        ProofForm::Full => check.candidate(&root),
        ProofForm::Brief => check.brief(&root),
    }
}

/// Checks the size limits, which come before every fault.
fn check_counts(root: &Node<'_>, limits: &Limits) -> Result<(), Rejection> {
    let Some(object) = root.as_object() else {
        return Ok(());
    };
    let items = |key: &str| object.get(key).and_then(Node::as_array).unwrap_or_default();
    for key in ["evidence", "descriptionChecks", "quotes"] {
        limits.check_count(Limit::EvidenceEntries, items(key).len(), Stage::Data)?;
    }
    let verdicts = items("descriptionChecks").iter().filter(|check| {
        let verdict = check
            .as_object()
            .and_then(|check| check.get("verdict"))
            .and_then(Node::as_str);
        matches!(verdict, Some("violated" | "undetermined"))
    });
    let issues = items("issues").len() + verdicts.count() + items("notes").len();
    Ok(limits.check_count(Limit::IssueCount, issues, Stage::Data)?)
}

pub(super) struct Check<'a> {
    pub(super) materials: &'a Materials,
    pub(super) selection: &'a Selection,
    pub(super) budget: &'a Budget,
    pub(super) faults: Faults,
    pub(super) binder: Binder<'a>,
    pub(super) quotes: Quotes<'a>,
}

/// The evidence of one value.
pub(super) struct ValueEvidence<'n> {
    /// The value, by its pointer.
    pub(super) path: Cow<'n, str>,
    pub(super) quotes: Vec<Quote<'n>>,
    pub(super) mode: EvidenceMode,
}

/// The evidence by the address of the value; empty if the request asks for none.
pub(super) type EvidenceByValue<'n, 't> = HashMap<*const Node<'t>, ValueEvidence<'n>>;

/// The results by the position of the field in the selection; `None` for a field without a result.
pub(super) type FieldResults = Vec<Option<FieldStatus>>;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum FieldStatus {
    Extracted,
    Absent,
    Issue,
}

impl Check<'_> {
    fn candidate(mut self, root: &Node<'_>) -> Result<Result<Outcome, Rejection>, Exhausted> {
        let keys = [
            "data",
            "evidence",
            "descriptionChecks",
            "fieldResults",
            "issues",
        ];
        let Some(object) = self.faults.object(root, Place::Root, &keys) else {
            return Ok(Err(Rejection::Faults(self.faults)));
        };
        let data = object.get("data").filter(|data| self.data(data));
        let proved = match object.get("evidence") {
            Some(evidence) => self.evidence(root, data, evidence)?,
            None => HashMap::new(),
        };
        let mut issues = match object.get("descriptionChecks") {
            Some(checks) => self.description_checks(root, data, checks)?,
            None => Vec::new(),
        };
        let stated = object
            .get("issues")
            .map(|issues| self.issues(issues))
            .unwrap_or_default();
        let results = match object.get("fieldResults") {
            Some(results) => self.field_results(data, &stated, results),
            None => FieldResults::new(),
        };
        issues.extend(stated);
        self.outcome(data, &proved, issues, &results)
    }

    /// Returns the outcome of a candidate of either form.
    pub(super) fn outcome(
        mut self,
        data: Option<&Node<'_>>,
        proved: &EvidenceByValue<'_, '_>,
        issues: Vec<Issue>,
        results: &[Option<FieldStatus>],
    ) -> Result<Result<Outcome, Rejection>, Exhausted> {
        let Some(data) = data.filter(|_| self.faults.is_empty()) else {
            // Add the faults by the schema, so that one repair can fix everything.
            if issues.is_empty()
                && let Some(data) = data
            {
                match self.selection.faults(data, self.budget, MAX_SCHEMA_FAULTS) {
                    Ok(found) => self.schema_faults(found),
                    Err(exhausted) if self.budget.is_provisional() => return Err(exhausted),
                    // The faults found so far are enough to reject.
                    Err(Exhausted) => {}
                }
            }
            return Ok(Err(Rejection::Faults(self.faults)));
        };
        if !issues.is_empty() {
            let settled = self.settled_fields(data, results, &issues)?;
            return Ok(Ok(Outcome::Issues(issues, settled)));
        }
        let found = self
            .selection
            .faults(data, self.budget, MAX_SCHEMA_FAULTS)?;
        if found.is_empty() {
            let wanted = self.materials.wants_evidence();
            let evidence = wanted.then(|| self.entries(data, proved)).transpose()?;
            let data = data.as_object().map(crate::json::Object::to_map);
            return Ok(Ok(Outcome::Data(data.unwrap_or_default(), evidence)));
        }
        self.schema_faults(found);
        Ok(Err(Rejection::Faults(self.faults)))
    }

    /// The evidence of a result, in the order of the data.
    fn entries(
        &self,
        data: &Node<'_>,
        proved: &EvidenceByValue<'_, '_>,
    ) -> Result<Vec<EvidenceEntry>, Exhausted> {
        let mut spans = Spans::new(self.materials, self.budget);
        let mut entries = Vec::with_capacity(proved.len());
        let mut end = Ok(());
        let all = Place::Root.key("data");
        visit_values(data, all, self.budget, &mut |value, _| {
            if let Some(proved) = proved.get(&std::ptr::from_ref(value))
                && end.is_ok()
            {
                match spans.entry(&proved.path, proved.mode, &proved.quotes) {
                    Ok(entry) => entries.push(entry),
                    Err(exhausted) => end = Err(exhausted),
                }
            }
        })?;
        end.map(|()| entries)
    }

    /// Returns the fields that are settled although others are not: extracted, bound, without an issue
    /// or a verdict against them, and valid by their own schemas.
    fn settled_fields(
        &self,
        data: &Node<'_>,
        results: &[Option<FieldStatus>],
        issues: &[Issue],
    ) -> Result<Map<String, Value>, Exhausted> {
        let mut settled = Map::new();
        // A verdict against the whole data is a verdict against every field.
        let is_against_all = issues.iter().any(is_verdict_on_all);
        let Some(object) = data.as_object().filter(|_| !is_against_all) else {
            return Ok(settled);
        };
        for (field, value) in object {
            let position = self.selection.position(field);
            let result = position.and_then(|position| *results.get(position)?);
            if result != Some(FieldStatus::Extracted) {
                continue;
            }
            let mut path = String::from("/data");
            push_token(&mut path, field);
            let open = issues.iter().any(|issue| {
                let path_of_issue = issue.path.as_deref().filter(|path| *path != "/data");
                path_of_issue.is_some_and(|issue| is_about(Some(issue), &path))
            });
            if open {
                continue;
            }
            match self.selection.is_valid_field(field, value, self.budget) {
                Ok(true) => {
                    settled.insert(field.clone().into_owned(), value.to_value());
                }
                Ok(false) => {}
                Err(exhausted) if self.budget.is_provisional() => return Err(exhausted),
                // The outcome is the issues in any case; this field may be invalid, so it is left out.
                Err(Exhausted) => {}
            }
        }
        Ok(settled)
    }

    fn schema_faults(&mut self, found: Vec<(String, String)>) {
        for (pointer, message) in found {
            self.faults.add(&pointer, message);
        }
    }

    /// Checks that `data` is an object that has only selected fields.
    pub(super) fn data(&mut self, data: &Node<'_>) -> bool {
        let Some(object) = data.as_object() else {
            let what = format_args!("must be an object, not {}", data.kind());
            self.faults.add("/data", what);
            return false;
        };
        for (key, _) in object {
            if self.selection.position(key).is_none() {
                let what = format_args!("{} is no selected field", quoted(key));
                self.faults.add("/data", what);
            }
        }
        true
    }

    /// Returns the entries of an array with their positions; notes a fault if the value is not an array.
    fn items<'n, 't>(
        &mut self,
        node: &'n Node<'t>,
        list: Place<'_>,
    ) -> Enumerate<Iter<'n, Node<'t>>> {
        let items = self.faults.array(node, list);
        items.unwrap_or_default().iter().enumerate()
    }

    /// Checks the entries of evidence, and that every leaf has one.
    fn evidence<'n, 't>(
        &mut self,
        root: &'n Node<'t>,
        data: Option<&'n Node<'t>>,
        node: &'n Node<'_>,
    ) -> Result<EvidenceByValue<'n, 't>, Exhausted> {
        let mut seen = HashSet::new();
        let mut proved = HashMap::new();
        let list = Place::Root.key("evidence");
        for (i, entry) in self.items(node, list) {
            let place = list.index(i);
            self.evidence_entry(root, data, entry, place, &mut seen, &mut proved)?;
        }
        let Some(data) = data else { return Ok(proved) };
        let (budget, faults) = (self.budget, &mut self.faults);
        let all = Place::Root.key("data");
        visit_values(data, all, budget, &mut |value, place| {
            let below_data = !std::ptr::eq(value, data);
            if below_data && value.is_leaf() && !seen.contains(&std::ptr::from_ref(value)) {
                faults.add(place, "has no evidence");
            }
        })?;
        Ok(proved)
    }

    fn evidence_entry<'n, 't>(
        &mut self,
        root: &'n Node<'t>,
        data: Option<&'n Node<'t>>,
        entry: &'n Node<'_>,
        place: Place<'_>,
        seen: &mut HashSet<*const Node<'t>>,
        proved: &mut EvidenceByValue<'n, 't>,
    ) -> Result<(), Exhausted> {
        let keys = ["path", "mode", "sources"];
        let Some(object) = self.faults.object(entry, place, &keys) else {
            return Ok(());
        };
        let [path, mode, sources] = keys.map(|key| object.get(key));
        let value =
            path.and_then(|path| self.resolve_path(root, path, place.key("path"), false, seen));
        let mode = mode.and_then(|mode| self.mode(mode, place.key("mode")));
        let Some(sources) = sources else {
            return Ok(());
        };
        let quotes = self.read_quotes(sources, place.key("sources"))?;
        let (Some(value), Some(data)) = (value, data) else {
            return Ok(());
        };
        let path = Cow::from(path.and_then(Node::as_str).unwrap_or_default());
        let bound = self.bind(&path, value, data, quotes.as_deref())?;
        if mode == Some(EvidenceMode::Exact) && bound != mode {
            self.no_exact_quote(value, quotes.as_deref().unwrap_or_default(), place);
        }
        if let (Some(quotes), Some(mode), true) = (quotes, bound, self.materials.wants_evidence()) {
            proved.insert(value, ValueEvidence { path, quotes, mode });
        }
        Ok(())
    }

    fn mode(&mut self, mode: &Node<'_>, place: Place<'_>) -> Option<EvidenceMode> {
        let names = "\"exact\" or \"semantic\"";
        self.faults
            .name(mode, place, EvidenceMode::from_text, names)
    }

    /// Notes why a value cannot have the mode `exact` if no quote equals it.
    fn no_exact_quote(&mut self, value: &Node<'_>, quotes: &[Quote<'_>], place: Place<'_>) {
        match value.as_str() {
            Some(text) if quotes.iter().any(|quote| quote.text == text) => {}
            Some(_) => self
                .faults
                .add(place, "mode \"exact\" needs a quote that equals the value"),
            None => self.faults.add(
                place,
                format_args!("mode \"exact\" is for strings, not {}", value.kind()),
            ),
        }
    }

    /// Binds a value to the quotes of its entry and returns the mode. If they do not bind it, notes
    /// which quotes would. A value that is not a leaf needs no quotes.
    pub(super) fn bind(
        &mut self,
        path: &dyn Display,
        value: &Node<'_>,
        data: &Node<'_>,
        quotes: Option<&[Quote<'_>]>,
    ) -> Result<Option<EvidenceMode>, Exhausted> {
        let Some(quotes) = quotes.filter(|_| value.is_leaf()) else {
            return Ok(Some(EvidenceMode::Semantic));
        };
        match self.binder.bind(path, value, data, quotes)? {
            Ok(proof) => Ok(Some(proof)),
            Err(Unbound { what, digits }) => {
                let digits = digits.map(|digits| format!(": {digits}"));
                let digits = digits.unwrap_or_default();
                self.faults.add_with_text(path, what, &digits);
                Ok(None)
            }
        }
    }

    /// Returns the verdicts that are issues; checks that every description that applies has a verdict.
    fn description_checks(
        &mut self,
        root: &Node<'_>,
        data: Option<&Node<'_>>,
        node: &Node<'_>,
    ) -> Result<Vec<Issue>, Exhausted> {
        let mut seen = HashSet::new();
        let mut issues = Vec::new();
        let list = Place::Root.key("descriptionChecks");
        for (i, entry) in self.items(node, list) {
            issues.extend(self.description_check(root, entry, list.index(i), &mut seen)?);
        }
        if let Some(data) = data {
            let described = self.selection.described(data, self.budget)?;
            if described.is_empty() {
                return Ok(issues);
            }
            let (budget, faults) = (self.budget, &mut self.faults);
            let all = Place::Root.key("data");
            visit_values(data, all, budget, &mut |value, place| {
                if described.contains(value) && !seen.contains(&std::ptr::from_ref(value)) {
                    let what = "has a description that descriptionChecks does not judge";
                    faults.add(place, what);
                }
            })?;
        }
        Ok(issues)
    }

    /// Returns the issue of an entry; `None` for a description that is satisfied.
    fn description_check<'t>(
        &mut self,
        root: &Node<'t>,
        entry: &Node<'_>,
        place: Place<'_>,
        seen: &mut HashSet<*const Node<'t>>,
    ) -> Result<Option<Issue>, Exhausted> {
        let keys = ["path", "verdict", "explanation", "sources"];
        let Some(object) = self.faults.object(entry, place, &keys) else {
            return Ok(None);
        };
        if let Some(path) = object.get("path") {
            self.resolve_path(root, path, place.key("path"), true, seen);
        }
        let verdict = object
            .get("verdict")
            .and_then(|verdict| self.verdict(verdict, place.key("verdict")));
        let explanation = object
            .get("explanation")
            .and_then(|text| self.faults.text(text, place.key("explanation")));
        if let Some(sources) = object.get("sources") {
            self.read_quotes(sources, place.key("sources"))?;
        }
        let (Some(Some(code)), Some(explanation)) = (verdict, explanation) else {
            return Ok(None);
        };
        let path = object.get("path").and_then(Node::as_str).map(str::to_owned);
        Ok(Some(issue(code, path, explanation)))
    }

    /// The code of a verdict; `Some(None)` for `satisfied`.
    fn verdict(&mut self, verdict: &Node<'_>, place: Place<'_>) -> Option<Option<DataIssueCode>> {
        let read = |name: &str| match name {
            "satisfied" => Some(None),
            "violated" => Some(Some(DataIssueCode::ConstraintViolated)),
            "undetermined" => Some(Some(DataIssueCode::DescriptionUndetermined)),
            _ => None,
        };
        let names = "\"satisfied\", \"violated\" or \"undetermined\"";
        self.faults.name(verdict, place, read, names)
    }

    /// The issues that the candidate states.
    fn issues(&mut self, node: &Node<'_>) -> Vec<Issue> {
        let list = Place::Root.key("issues");
        self.items(node, list)
            .filter_map(|(i, entry)| self.issue(entry, list.index(i)))
            .collect()
    }

    fn issue(&mut self, entry: &Node<'_>, place: Place<'_>) -> Option<Issue> {
        let keys = ["code", "category", "path", "message"];
        let object = self.faults.object(entry, place, &keys)?;
        let code = object.get("code").and_then(|code| {
            let read = |name: &str| {
                DataIssueCode::from_text(name).filter(|&code| code != DataIssueCode::SourceInvalid)
            };
            let names = "the codes in the instructions";
            self.faults.name(code, place.key("code"), read, names)
        });
        if let (Some(code), Some(category)) = (code, object.get("category"))
            && category.as_str() != Some(code.category().as_str())
        {
            let what = format_args!("must be \"{}\" for {code}", code.category());
            self.faults.add(place.key("category"), what);
        }
        let path = match object.get("path") {
            None | Some(Node::Null) => None,
            Some(path) => {
                let Some(path) = path.as_str().filter(|path| self.issue_path(path)) else {
                    self.faults.add(place.key("path"), ISSUE_PATH);
                    return None;
                };
                Some(path.to_owned())
            }
        };
        let message = object
            .get("message")
            .and_then(|message| self.faults.text(message, place.key("message")));
        Some(issue(code?, path, message?))
    }

    pub(super) fn issue_path(&self, path: &str) -> bool {
        let Some(tokens) = pointer_tokens(path) else {
            return false;
        };
        match tokens.as_slice() {
            [data] => data == "data",
            [data, field, ..] => {
                data == "data" && self.selection.fields().iter().any(|name| name == field)
            }
            [] => false,
        }
    }

    /// Checks that each selected field has one result, which agrees with the data and the issues.
    fn field_results(
        &mut self,
        data: Option<&Node<'_>>,
        issues: &[Issue],
        node: &Node<'_>,
    ) -> FieldResults {
        let mut results = vec![None; self.selection.fields().len()];
        let list = Place::Root.key("fieldResults");
        for (i, entry) in self.items(node, list) {
            self.field_result(issues, entry, list.index(i), &mut results);
        }
        let all = Place::Root.key("data");
        for (field, result) in self.selection.fields().iter().zip(&results) {
            let place = all.key(field);
            let Some(status) = *result else {
                let pointer = first_bytes(place, MAX_SHOWN_BYTES);
                self.faults
                    .add(list, format_args!("no result for {}", shown(&pointer)));
                continue;
            };
            if let Some(object) = data.and_then(Node::as_object) {
                self.check_status(field, object.get(field).is_some(), status, place);
            }
        }
        results
    }

    fn field_result(
        &mut self,
        issues: &[Issue],
        entry: &Node<'_>,
        place: Place<'_>,
        results: &mut FieldResults,
    ) {
        let keys = ["path", "status", "explanation"];
        let Some(object) = self.faults.object(entry, place, &keys) else {
            return;
        };
        let [path, status, explanation] = keys.map(|key| object.get(key));
        let status = status.and_then(|status| self.status(status, place.key("status")));
        if let Some(explanation) = explanation {
            self.faults.text(explanation, place.key("explanation"));
        }
        let Some(path) = path.map(|path| path.as_str().unwrap_or_default()) else {
            return;
        };
        let field = path
            .strip_prefix("/data/")
            .filter(|token| !token.contains('/'))
            .and_then(unescape_token);
        let Some(position) = field.and_then(|field| self.selection.position(&field)) else {
            let what = "must be \"/data/<field>\" of a selected field";
            self.faults.add(place.key("path"), what);
            return;
        };
        if results[position].is_some() {
            self.faults
                .add(place.key("path"), "the field has a result already");
            return;
        }
        // An unreadable status has its fault already; `Issue` conflicts with nothing.
        results[position] = Some(status.unwrap_or(FieldStatus::Issue));
        let is_told = |issue: &Issue| is_about(issue.path.as_deref(), path);
        if status == Some(FieldStatus::Issue) && !issues.iter().any(is_told) {
            self.faults.add(place, "status \"issue\" needs an entry of issues whose path is null, \"/data\", the field or below it");
        }
    }

    fn status(&mut self, status: &Node<'_>, place: Place<'_>) -> Option<FieldStatus> {
        let read = |name: &str| match name {
            "extracted" => Some(FieldStatus::Extracted),
            "not_provided" | "not_applicable" => Some(FieldStatus::Absent),
            "issue" => Some(FieldStatus::Issue),
            _ => None,
        };
        let names = "\"extracted\", \"not_provided\", \"not_applicable\" or \"issue\"";
        self.faults.name(status, place, read, names)
    }

    /// Notes a status that the data contradicts.
    fn check_status(&mut self, field: &str, present: bool, status: FieldStatus, place: Place<'_>) {
        let what = match (present, status) {
            (true, FieldStatus::Absent) => {
                "is in data, so its status must be \"extracted\" or \"issue\""
            }
            (false, FieldStatus::Extracted) => "has status \"extracted\" but is not in data",
            (false, FieldStatus::Absent) if self.selection.is_required(field) => {
                "is required and not in data, so its status must be \"issue\""
            }
            _ => return,
        };
        self.faults.add(place, what);
    }

    /// Returns the value that a path points at; notes a fault if the path does not resolve or is repeated.
    fn resolve_path<'n, 't>(
        &mut self,
        root: &'n Node<'t>,
        node: &Node<'_>,
        place: Place<'_>,
        root_too: bool,
        seen: &mut HashSet<*const Node<'t>>,
    ) -> Option<&'n Node<'t>> {
        let Some(path) = node.as_str() else {
            self.faults
                .add(place, format_args!("must be a string, not {}", node.kind()));
            return None;
        };
        if !(path.starts_with("/data/") || (root_too && path == "/data")) {
            self.faults.add(place, "must be a JSON Pointer into /data");
            return None;
        }
        let Some(value) = root.resolve(path) else {
            self.faults
                .add(place, format_args!("{} points at nothing", quoted(path)));
            return None;
        };
        // A value has only one pointer, so a value that was seen means a repeated path.
        if !seen.insert(value) {
            self.faults
                .add(place, format_args!("{} has an entry already", quoted(path)));
        }
        Some(value)
    }

    /// Reads sources with their quotes; returns the quotes if each occurs in its source.
    fn read_quotes<'n>(
        &mut self,
        node: &'n Node<'_>,
        place: Place<'_>,
    ) -> Result<Option<Vec<Quote<'n>>>, Exhausted> {
        let Some(items) = self.faults.array(node, place) else {
            return Ok(None);
        };
        if items.is_empty() {
            self.faults.add(place, "must not be empty");
            return Ok(None);
        }
        let mut quotes = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            self.budget.tick()?;
            let place = place.index(i);
            let Some(object) = self.faults.object(item, place, &["sourceId", "quote"]) else {
                continue;
            };
            let source = object.get("sourceId").and_then(Node::as_str);
            let quote = object.get("quote").and_then(Node::as_str);
            let (Some(source), Some(quote)) = (source, quote) else {
                self.faults.add(place, "sourceId and quote must be strings");
                continue;
            };
            quotes.extend(self.quotes.read(source, quote, place, &mut self.faults)?);
        }
        Ok((quotes.len() == items.len()).then_some(quotes))
    }
}

pub(super) fn issue(code: DataIssueCode, path: Option<String>, message: &str) -> Issue {
    Issue {
        code: IssueCode::Data(code),
        category: code.category(),
        path,
        message: message.to_owned(),
    }
}

/// True for a verdict that is about `data` as a whole.
fn is_verdict_on_all(issue: &Issue) -> bool {
    let verdicts = [
        DataIssueCode::ConstraintViolated,
        DataIssueCode::DescriptionUndetermined,
    ];
    let is_verdict = matches!(issue.code, IssueCode::Data(code) if verdicts.contains(&code));
    is_verdict && issue.path.as_deref() == Some("/data")
}

/// Returns whether an issue is about a field: its path is null, `/data`, the field or below it.
pub(super) fn is_about(issue: Option<&str>, field: &str) -> bool {
    match issue {
        None | Some("/data") => true,
        Some(path) => path
            .strip_prefix(field)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
    }
}

/// Visits every value at and below a place, in the document's order. A place is formatted only when
/// it is shown. [`crate::json::MAX_DEPTH`] bounds the recursion.
pub(super) fn visit_values<'n, 't>(
    node: &'n Node<'t>,
    place: Place<'_>,
    budget: &Budget,
    visit: &mut impl FnMut(&'n Node<'t>, Place<'_>),
) -> Result<(), Exhausted> {
    budget.tick()?;
    visit(node, place);
    match node {
        Node::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                visit_values(item, place.index(i), budget, visit)?;
            }
        }
        Node::Object(object) => {
            for (key, value) in object {
                visit_values(value, place.key(key), budget, visit)?;
            }
        }
        _ => {}
    }
    Ok(())
}
