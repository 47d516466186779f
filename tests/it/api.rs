//! Executors for HTTP services, against servers in this process.

mod configuration;
mod drops;
mod facts;
mod failures;
mod hygiene;
mod limits;
mod load;
mod mends;
mod options;
mod parses;
mod replies;
mod requests;
mod shapes;
mod support;
mod tls;
