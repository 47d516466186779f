//! Looks up the quotes of a candidate in the sources.

use std::collections::HashMap;

use super::evidence::{Difference, Folded, Quote, QuoteMatch, find, has_letter_or_digit};
use super::faults::Faults;
use crate::budget::{Budget, Exhausted};
use crate::materials::Materials;
use crate::place::Place;
use crate::text::{is_blank, quoted, shown};

/// The most quotes of a candidate for which the meant text is searched: each search reads a whole
/// source.
const MOST_DIFFERENCES: usize = 16;

/// A shorter source is searched faster than its result is looked up.
const SHORT: usize = 4096;

/// Looks quotes up.
pub(super) struct Quotes<'a> {
    materials: &'a Materials,
    budget: &'a Budget,
    /// The results of earlier searches, because a candidate repeats its quotes.
    found: HashMap<(usize, String), QuoteMatch>,
    folded: HashMap<usize, Folded>,
    differences: usize,
}

impl<'a> Quotes<'a> {
    pub(super) fn new(materials: &'a Materials, budget: &'a Budget) -> Self {
        Self {
            materials,
            budget,
            found: HashMap::new(),
            folded: HashMap::new(),
            differences: 0,
        }
    }

    /// Returns a quote that occurs in its source as whole words; otherwise notes its fault.
    pub(super) fn read<'n>(
        &mut self,
        source: &str,
        quote: &'n str,
        place: Place<'_>,
        faults: &mut Faults,
    ) -> Result<Option<Quote<'n>>, Exhausted> {
        let at_quote = place.key("quote");
        if is_blank(quote) {
            faults.add(at_quote, "must not be blank");
            return Ok(None);
        }
        let Some(number) = self.materials.source_number(source) else {
            faults.add(
                place.key("sourceId"),
                format_args!("there is no source {}", quoted(source)),
            );
            return Ok(None);
        };
        if !has_letter_or_digit(quote) {
            faults.add(
                at_quote,
                "has no letter and no digit; quote the words around it as well",
            );
            return Ok(None);
        }
        match self.find(number, quote)? {
            QuoteMatch::At(at) => {
                return Ok(Some(Quote {
                    source: number,
                    text: quote,
                    at,
                }));
            }
            QuoteMatch::Inside(_) => faults.add(
                at_quote,
                format_args!(
                    "stands in {} only inside a longer word or number; quote whole words",
                    shown(source)
                ),
            ),
            QuoteMatch::Nowhere => self.nowhere(number, source, quote, at_quote, faults)?,
        }
        Ok(None)
    }

    /// Finds a quote in a source.
    pub(super) fn find(&mut self, number: usize, quote: &str) -> Result<QuoteMatch, Exhausted> {
        let text = self.materials.text(number).unwrap_or_default();
        if text.len() < SHORT {
            return find(text, quote, self.budget);
        }
        let key = (number, quote.to_owned());
        if let Some(found) = self.found.get(&key) {
            return Ok(*found);
        }
        let found = find(text, quote, self.budget)?;
        self.found.insert(key, found);
        Ok(found)
    }

    fn nowhere(
        &mut self,
        number: usize,
        source: &str,
        quote: &str,
        place: Place<'_>,
        faults: &mut Faults,
    ) -> Result<(), Exhausted> {
        let plain = format!("does not stand in {} to the letter", shown(source));
        self.differences += 1;
        if self.differences > MOST_DIFFERENCES {
            faults.add(place, plain);
            return Ok(());
        }
        let text = self.materials.text(number).unwrap_or_default();
        self.budget.look()?;
        let folded = self
            .folded
            .entry(number)
            .or_insert_with(|| Folded::of(text));
        match Difference::find(text, folded, quote, self.budget)? {
            None => faults.add(place, plain),
            Some(difference) => {
                let what = format!("{plain}: it differs by {}", difference.names());
                let copy = difference.to_copy();
                let copy = copy.map(|text| format!("; copy {text}"));
                faults.add_with_text(place, what, copy.as_deref().unwrap_or_default());
            }
        }
        Ok(())
    }
}
