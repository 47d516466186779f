//! The MCP server as a host sees it: lines in, lines out.

mod host;

mod calls;
mod lines;
mod session;
mod stdio;
