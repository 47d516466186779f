//! Executors for OpenAI-compatible HTTP services.
