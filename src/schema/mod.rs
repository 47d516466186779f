//! stub
#![allow(missing_docs, clippy::all)]
use crate::{budget::*, error::*, executor::OutputSchema, json::Node, limits::Limits};
use std::sync::Arc;
#[derive(Debug, Clone)]
pub struct Schema;
#[derive(Debug, Clone, Copy)]
pub enum Origin {
    Json,
    Standard,
}
impl Schema {
    pub fn empty() -> Self {
        Schema
    }
    pub fn from_value(_: serde_json::Value, _: Origin, _: &Limits) -> Result<Self, IntentError> {
        Ok(Schema)
    }
    pub fn json(&self) -> &str {
        "{}"
    }
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        [].into_iter()
    }
    pub fn has_field(&self, _: &str) -> bool {
        false
    }
    pub fn select(&self, _: &[&str]) -> Result<Arc<Selection>, IntentError> {
        unreachable!()
    }
}
#[derive(Debug)]
pub struct Selection;
impl Selection {
    pub fn fields(&self) -> &[String] {
        &[]
    }
    pub fn is_required(&self, _: &str) -> bool {
        false
    }
    pub fn json(&self) -> &str {
        "{}"
    }
    pub fn output_schema(&self) -> &Arc<OutputSchema> {
        unreachable!()
    }
    pub fn described_paths(&self, _: &Node<'_>, _: &Budget) -> Result<Vec<String>, Exhausted> {
        Ok(vec![])
    }
    pub fn faults(
        &self,
        _: &Node<'_>,
        _: &Budget,
        _: usize,
    ) -> Result<Vec<(String, String)>, Exhausted> {
        Ok(vec![])
    }
}
