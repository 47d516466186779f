//! Checks that a value is bound to its quotes.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::fmt::Display;

use super::Quote;
use super::digits::Chains;
use super::excluded::Skeleton;
use super::numerals::{self, Decimal, NumberForm, number_form};
use super::policy::{EvidenceLevel, Policy};
use super::spans::EvidenceMode;
use super::whole_words::{Occurrences, is_whole};
use crate::budget::{Budget, Exhausted};
use crate::json::{Node, Number};
use crate::materials::Materials;
use crate::schema::Selection;
use crate::text::pointer_tokens;

/// The reason why a value is not bound.
#[derive(Debug)]
pub(crate) struct Unbound {
    /// The fault, with the condition that would pass.
    pub(crate) what: String,
    /// An addition for the model only, because it may contain the user's text.
    pub(crate) digits: Option<String>,
}

impl From<String> for Unbound {
    fn from(what: String) -> Self {
        Self { what, digits: None }
    }
}

impl From<&str> for Unbound {
    fn from(what: &str) -> Self {
        what.to_owned().into()
    }
}

/// Binds the values of one candidate to the sources, by the policy.
pub(crate) struct Binder<'a> {
    pub(crate) materials: &'a Materials,
    pub(crate) selection: &'a Selection,
    pub(crate) policy: &'a Policy,
    pub(crate) budget: &'a Budget,
    sources: OnceCell<Sources>,
}

/// The texts of all sources: those that may give values, and the excluded ones.
#[derive(Default)]
struct Sources {
    allowed: Vec<Skeleton>,
    excluded: Vec<Skeleton>,
    /// The numbers in the excluded sources.
    numbers: HashSet<Decimal>,
}

impl<'a> Binder<'a> {
    pub(crate) fn new(
        materials: &'a Materials,
        selection: &'a Selection,
        policy: &'a Policy,
        budget: &'a Budget,
    ) -> Self {
        Self {
            materials,
            selection,
            policy,
            budget,
            sources: OnceCell::new(),
        }
    }

    /// Binds a leaf to its quotes; there is at least one. The inner error describes what would pass.
    /// `path` is the leaf's pointer from `/data`.
    pub(crate) fn bind(
        &self,
        path: &dyn Display,
        value: &Node<'_>,
        data: &Node<'_>,
        quotes: &[Quote<'_>],
    ) -> Result<Result<EvidenceMode, Unbound>, Exhausted> {
        self.budget.tick()?;
        let level = self.policy.level(path, data, self.selection, self.budget)?;
        let allowed: Cow<'_, [Quote<'_>]> = if self.policy.limits_sources() {
            let is_allowed =
                |quote: &&Quote<'_>| self.policy.allows(self.materials.role(quote.source));
            quotes.iter().filter(is_allowed).copied().collect()
        } else {
            Cow::Borrowed(quotes)
        };
        if allowed.is_empty() {
            return Ok(Err(format!(
                "no quote of it stands in a source that may give values ({}); leave the value out \
                 where these do not say it",
                self.policy.sources()
            )
            .into()));
        }
        match value {
            Node::String(text) => self.string(path, text, data, level, &allowed, quotes),
            Node::Number(number) => self.number(number, level, &allowed, quotes),
            other if level == EvidenceLevel::Exact => Ok(Err(format!(
                "has the level \"exact\", which strings and numbers alone can pass, not {}; leave \
                 it out",
                other.kind()
            )
            .into())),
            _ => Ok(Ok(EvidenceMode::Semantic)),
        }
    }

    fn string(
        &self,
        path: &dyn Display,
        text: &str,
        data: &Node<'_>,
        level: EvidenceLevel,
        allowed: &[Quote<'_>],
        quotes: &[Quote<'_>],
    ) -> Result<Result<EvidenceMode, Unbound>, Exhausted> {
        if allowed.iter().any(|quote| quote.text == text) {
            return Ok(Ok(EvidenceMode::Exact));
        }
        if level == EvidenceLevel::Exact {
            return Ok(Err(
                "has the level \"exact\": it must equal one of its quotes to the letter".into(),
            ));
        }
        let given = OnceCell::new();
        let given = || -> Result<bool, Exhausted> {
            if let Some(given) = given.get() {
                return Ok(*given);
            }
            let path = path.to_string();
            let tokens = pointer_tokens(&path).unwrap_or_default();
            let place = tokens.get(1..).unwrap_or_default();
            let found = self.selection.gives_text(data, place, self.budget)?;
            Ok(*given.get_or_init(|| found))
        };
        if level == EvidenceLevel::Bound {
            let digits = Chains::of(text);
            if digits.is_long() && !given()? {
                let said: Vec<Chains> =
                    allowed.iter().map(|quote| Chains::of(quote.text)).collect();
                if let Some(missing) = digits.missing(&said, self.budget)? {
                    return Ok(Err(Unbound {
                        what: "its digits stand in none of its quotes; quote the whole number that it \
                               was taken from, or copy the digits from there"
                            .to_owned(),
                        digits: Some(missing),
                    }));
                }
            }
        }
        if self.policy.limits_sources() && self.is_string_excluded(text, given, allowed, quotes)? {
            return Ok(Err(self.excluded_fault().into()));
        }
        Ok(Ok(EvidenceMode::Semantic))
    }

    /// Returns whether a string occurs only in excluded sources. For a text that the schema gives, only
    /// the quotes are compared, because users often express such a text in other words.
    fn is_string_excluded(
        &self,
        text: &str,
        given: impl Fn() -> Result<bool, Exhausted>,
        allowed: &[Quote<'_>],
        quotes: &[Quote<'_>],
    ) -> Result<bool, Exhausted> {
        let value = Skeleton::of(text);
        if given()? {
            let of = |quotes: &[Quote<'_>], allowed: bool| -> Vec<Skeleton> {
                let quotes = quotes.iter().filter(|quote| {
                    self.policy.allows(self.materials.role(quote.source)) == allowed
                });
                quotes.map(|quote| Skeleton::of(quote.text)).collect()
            };
            return value.is_only_in(&of(quotes, false), &of(allowed, true), self.budget);
        }
        let sources = self.sources()?;
        value.is_only_in(&sources.excluded, &sources.allowed, self.budget)
    }

    fn excluded_fault(&self) -> String {
        format!(
            "stands only in sources that may not give values; these may: {}. Leave it out where \
             they do not say it",
            self.policy.sources()
        )
    }

    fn sources(&self) -> Result<&Sources, Exhausted> {
        if let Some(sources) = self.sources.get() {
            return Ok(sources);
        }
        let mut sources = Sources::default();
        for (role, text) in self.materials.sources() {
            self.budget.look()?;
            if self.policy.allows(role) {
                sources.allowed.push(Skeleton::of(text));
            } else {
                sources.excluded.push(Skeleton::of(text));
                sources.numbers.extend(numerals::values(text));
            }
        }
        Ok(self.sources.get_or_init(|| sources))
    }

    fn number(
        &self,
        number: &Number<'_>,
        level: EvidenceLevel,
        allowed: &[Quote<'_>],
        quotes: &[Quote<'_>],
    ) -> Result<Result<EvidenceMode, Unbound>, Exhausted> {
        // Words without a number can express these values: none, a, the pair of.
        let plain = [0.0, 1.0, 2.0].contains(&number.as_f64());
        if level == EvidenceLevel::Exact {
            return Ok(if self.has_numeral(number, allowed)? {
                Ok(EvidenceMode::Exact)
            } else {
                Err(
                    "has the level \"exact\": a numeral in one of its quotes must say this number, \
                     whole and in digits"
                        .into(),
                )
            });
        }
        if plain {
            return Ok(Ok(EvidenceMode::Semantic));
        }
        let forms = allowed.iter().map(|quote| number_form(quote.text));
        let forms: Vec<NumberForm> = forms.collect();
        if level == EvidenceLevel::Bound && forms.iter().all(|form| *form == NumberForm::Never) {
            return Ok(Err(
                "is a number, and no quote of it has a numeral or a number word; quote the words \
                 that it was taken from"
                    .into(),
            ));
        }
        if self.policy.limits_sources()
            && !forms.contains(&NumberForm::Words)
            && self.is_number_excluded(number, level, allowed, quotes)?
        {
            return Ok(Err(self.excluded_fault().into()));
        }
        Ok(Ok(EvidenceMode::Semantic))
    }

    /// Returns whether a number occurs in excluded sources, and not in its quotes from the other
    /// sources.
    fn is_number_excluded(
        &self,
        number: &Number<'_>,
        level: EvidenceLevel,
        allowed: &[Quote<'_>],
        quotes: &[Quote<'_>],
    ) -> Result<bool, Exhausted> {
        if self.has_numeral(number, allowed)? {
            return Ok(false);
        }
        if level == EvidenceLevel::Any {
            // The number may be calculated, so only the texts that it quotes are searched.
            let others: Vec<Quote<'_>> = quotes
                .iter()
                .copied()
                .filter(|quote| !allowed.contains(quote))
                .collect();
            return self.has_numeral(number, &others);
        }
        let value = Decimal::of_json(number.text());
        Ok(self.sources()?.numbers.contains(&value))
    }

    /// Returns whether a numeral in one of the quotes has the value of a number.
    fn has_numeral(&self, number: &Number<'_>, quotes: &[Quote<'_>]) -> Result<bool, Exhausted> {
        let value = Decimal::of_json(number.text());
        for quote in quotes {
            let Some(text) = self.materials.text(quote.source) else {
                continue;
            };
            // The text around the quote can change only the sign.
            if !numerals::values(quote.text).any(|said| said.is_size_of(&value)) {
                continue;
            }
            if numerals::has_value(text, quote.at, quote.at + quote.text.len(), &value) {
                return Ok(true);
            }
            // The first place cuts the numeral, but another place may contain it whole.
            let mut places = Occurrences::new(
                text.as_bytes(),
                quote.text.as_bytes(),
                quote.at + 1,
                self.budget,
            );
            while let Some(at) = places.next()? {
                let end = at + quote.text.len();
                if is_whole(text, at, end) && numerals::has_value(text, at, end, &value) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// Returns whether a whole numeral within `length` bytes of a source from `at` has a number's value.
pub(crate) fn has_number(source: &str, at: usize, length: usize, number: &Number<'_>) -> bool {
    numerals::has_value(source, at, at + length, &Decimal::of_json(number.text()))
}
