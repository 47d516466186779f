//! The brief data candidate: the model writes only the parts that the package cannot find by itself.
//!
//! | the model leaves out | the package makes of it |
//! |---|---|
//! | quotes of a string or number that stands in exactly one allowed source | a quote of it there |
//! | a verdict | `satisfied` |
//! | a field's result | `extracted` where it is present, else `not_provided` |
//!
//! The rules of the full form ([`super::data`]) then apply.

use hashbrown::HashMap;

use super::data::{
    Check, EvidenceByValue, FieldResults, FieldStatus, Outcome, ValueEvidence, is_about, issue,
    visit_values,
};
use super::evidence::{Quote, QuoteMatch, has_number};
use super::faults::Rejection;
use crate::budget::Exhausted;
use crate::error::{DataIssueCode, Issue};
use crate::json::Node;
use crate::place::Place;
use crate::text::quoted;

/// The quotes of each value, and whether all of them are right.
type Quoted<'n, 't> = HashMap<*const Node<'t>, (Vec<Quote<'n>>, bool)>;

/// The kind of a note.
#[derive(Clone, Copy)]
enum Kind {
    Verdict(DataIssueCode),
    NotApplicable,
    Issue(DataIssueCode),
}

impl Kind {
    const NAMES: &'static str =
        "\"violated\", \"undetermined\", \"not_applicable\" or the codes in the instructions";

    fn read(name: &str) -> Option<Self> {
        match name {
            "violated" => Some(Self::Verdict(DataIssueCode::ConstraintViolated)),
            "undetermined" => Some(Self::Verdict(DataIssueCode::DescriptionUndetermined)),
            "not_applicable" => Some(Self::NotApplicable),
            code => DataIssueCode::from_text(code)
                .filter(|code| *code != DataIssueCode::SourceInvalid)
                .map(Self::Issue),
        }
    }
}

/// The notes of a candidate.
#[derive(Default)]
struct Notes {
    verdicts: Vec<Issue>,
    issues: Vec<Issue>,
}

impl Check<'_> {
    pub(super) fn brief(
        mut self,
        root: &Node<'_>,
    ) -> Result<Result<Outcome, Rejection>, Exhausted> {
        let Node::Object(object) = root else {
            self.faults
                .object(root, Place::Root, &["data", "quotes", "notes"]);
            return Ok(Err(Rejection::Faults(self.faults)));
        };
        for (key, _) in object {
            if !["data", "quotes", "notes"].contains(&key.as_ref()) {
                let what = format_args!("unknown key {}", quoted(key));
                self.faults.add(Place::Root, what);
            }
        }
        let Some(data) = object.get("data") else {
            self.faults.add(Place::Root, "the key \"data\" is missing");
            return Ok(Err(Rejection::Faults(self.faults)));
        };
        if !self.data(data) {
            return Ok(Err(Rejection::Faults(self.faults)));
        }
        let quoted = self.brief_quotes(data, object.get("quotes"))?;
        let proved = self.brief_proofs(data, quoted)?;
        let notes = self.notes(data, object.get("notes"))?;
        let results = self.brief_results(data, &notes);
        let mut issues = notes.verdicts;
        issues.extend(notes.issues);
        self.outcome(Some(data), &proved, issues, &results)
    }

    /// Reads `quotes`, and groups them by value.
    fn brief_quotes<'n, 't>(
        &mut self,
        data: &'n Node<'t>,
        node: Option<&'n Node<'_>>,
    ) -> Result<Quoted<'n, 't>, Exhausted> {
        let mut found: Quoted<'n, 't> = HashMap::new();
        let list = Place::Root.key("quotes");
        let entries = node.and_then(|node| self.faults.array(node, list));
        for (i, entry) in entries.unwrap_or_default().iter().enumerate() {
            self.budget.tick()?;
            let place = list.index(i);
            let keys = ["path", "source", "quote"];
            let Some(object) = self.faults.object(entry, place, &keys) else {
                continue;
            };
            let part = |name: &str| object.get(name).and_then(Node::as_str);
            let (Some(path), Some(source), Some(quote)) =
                (part("path"), part("source"), part("quote"))
            else {
                self.faults
                    .add(place, "path, source and quote must be strings");
                continue;
            };
            let value = data.resolve(path).filter(|_| !path.is_empty());
            let quote = self.quotes.read(source, quote, place, &mut self.faults)?;
            let Some(value) = value else {
                self.faults.add(
                    place.key("path"),
                    format_args!("{} points at nothing in data", quoted(path)),
                );
                continue;
            };
            let (quotes, right) = found.entry(value).or_insert((Vec::new(), true));
            *right &= quote.is_some();
            quotes.extend(quote);
        }
        Ok(found)
    }

    /// Proves every leaf: by its quotes, or by the one place where it occurs.
    fn brief_proofs<'n, 't>(
        &mut self,
        data: &'n Node<'t>,
        mut quoted: Quoted<'n, 't>,
    ) -> Result<EvidenceByValue<'n, 't>, Exhausted> {
        let mut leaves = Vec::new();
        let all = Place::Root.key("data");
        visit_values(data, all, self.budget, &mut |value, place| {
            if !std::ptr::eq(value, data)
                && (value.is_leaf() || quoted.contains_key(&std::ptr::from_ref(value)))
            {
                leaves.push((value, place.to_string()));
            }
        })?;
        let mut proved = EvidenceByValue::new();
        for (value, path) in leaves {
            let quotes = match quoted.remove(&std::ptr::from_ref(value)) {
                // The faults of its quotes were added already.
                Some((_, false)) => continue,
                Some((quotes, true)) => quotes,
                None => match self.place_of(value, &path)? {
                    Some(quote) => vec![quote],
                    None => continue,
                },
            };
            if let Some(mode) = self.bind(&path, value, data, Some(&quotes))?
                && self.materials.wants_evidence()
            {
                let path = path.into();
                proved.insert(value, ValueEvidence { path, quotes, mode });
            }
        }
        Ok(proved)
    }

    /// Returns the place of a value that needs no quote; if there is none, notes what the value needs.
    fn place_of<'n>(
        &mut self,
        value: &'n Node<'_>,
        path: &str,
    ) -> Result<Option<Quote<'n>>, Exhausted> {
        let (text, number) = match value {
            Node::String(text) => (text.as_ref(), None),
            Node::Number(number) => (number.text(), Some(number)),
            other => {
                let what = format!(
                    "is {}: quotes must say what it was taken from",
                    other.kind()
                );
                self.faults.add(path, what);
                return Ok(None);
            }
        };
        let mut found = None;
        let mut places = 0;
        if super::evidence::has_letter_or_digit(text) {
            for source in 0..=self.materials.context_len() {
                self.budget.tick()?;
                if !self.binder.policy.allows(self.materials.role(source)) {
                    continue;
                }
                let QuoteMatch::At(at) = self.quotes.find(source, text)? else {
                    continue;
                };
                let source_text = self.materials.text(source).unwrap_or_default();
                if number.is_none_or(|number| has_number(source_text, at, text.len(), number)) {
                    places += 1;
                    found = Some(Quote { source, text, at });
                }
            }
        }
        let what = match places {
            1 => return Ok(found),
            0 => "stands in no source to the letter: quotes must say what it was taken from",
            _ => "stands in several sources: quotes must say from which it was taken",
        };
        self.faults.add(path, what);
        Ok(None)
    }

    fn notes(&mut self, data: &Node<'_>, node: Option<&Node<'_>>) -> Result<Notes, Exhausted> {
        let mut notes = Notes::default();
        let list = Place::Root.key("notes");
        let entries = node.and_then(|node| self.faults.array(node, list));
        for (i, entry) in entries.unwrap_or_default().iter().enumerate() {
            self.budget.tick()?;
            let place = list.index(i);
            let Some(object) = self.faults.object(entry, place, &["path", "kind", "why"]) else {
                continue;
            };
            let kind = object.get("kind").and_then(|kind| {
                self.faults
                    .name(kind, place.key("kind"), Kind::read, Kind::NAMES)
            });
            let why = object
                .get("why")
                .and_then(|why| self.faults.text(why, place.key("why")));
            let (Some(kind), Some(why), Some(path)) = (kind, why, object.get("path")) else {
                continue;
            };
            let Some(path) = self.note_path(data, kind, path, place.key("path")) else {
                continue;
            };
            match kind {
                Kind::NotApplicable => {}
                Kind::Verdict(code) => notes.verdicts.push(issue(code, path, why)),
                Kind::Issue(code) => notes.issues.push(issue(code, path, why)),
            }
        }
        Ok(notes)
    }

    /// Returns the path of a note in the form that issues use.
    fn note_path(
        &mut self,
        data: &Node<'_>,
        kind: Kind,
        node: &Node<'_>,
        place: Place<'_>,
    ) -> Option<Option<String>> {
        let fits = |path: &str| match kind {
            Kind::Verdict(_) => data.resolve(path).is_some(),
            Kind::NotApplicable => {
                let field = path.strip_prefix('/').filter(|rest| !rest.contains('/'));
                field.is_some() && self.is_issue_path(path) && data.resolve(path).is_none()
            }
            Kind::Issue(_) => path.is_empty() || self.is_issue_path(path),
        };
        let what = match (node, kind) {
            (Node::Null, Kind::Issue(_)) => return Some(None),
            (Node::String(path), _) if fits(path) => return Some(Some(format!("/data{path}"))),
            (_, Kind::Verdict(_)) => "must be the path of a value in data",
            (_, Kind::NotApplicable) => {
                "must be \"/<field>\" of a selected field that is not in data"
            }
            (_, Kind::Issue(_)) => "must be null, or the path of a selected field or below it",
        };
        self.faults.add(place, what);
        None
    }

    fn is_issue_path(&self, path: &str) -> bool {
        self.issue_path(&format!("/data{path}"))
    }

    /// Derives the results of the fields from the data and the notes.
    fn brief_results(&mut self, data: &Node<'_>, notes: &Notes) -> FieldResults {
        let mut results = FieldResults::new();
        let all = Place::Root.key("data");
        for field in self.selection.fields() {
            let place = all.key(field);
            let present = data
                .as_object()
                .is_some_and(|data| data.get(field).is_some());
            let path = place.to_string();
            let open = notes
                .issues
                .iter()
                .any(|issue| is_about(issue.path.as_deref(), &path));
            let status = match (present, open) {
                (true, _) => FieldStatus::Extracted,
                (false, true) => FieldStatus::Issue,
                (false, false) => FieldStatus::Absent,
            };
            if status == FieldStatus::Absent && self.selection.is_required(field) {
                self.faults.add(
                    place,
                    "is required and not in data, so notes must say why (DATA_REQUIRED_MISSING)",
                );
            }
            results.push(Some(status));
        }
        results
    }
}
