//! The conformance fixture behind Rust's `rmcp`, in both revisions at one address, as its HTTP service offers them.
//! Usage: PORT DEFINITIONS.json

// Logging and questions on the way are deprecated in 2026-07-28; here they are what is tested.
#![allow(deprecated)]

mod asking;
mod definitions;
mod handler;
mod working;

use std::sync::Arc;

use rmcp::transport::{
    StreamableHttpServerConfig, StreamableHttpService, streamable_http_server::session::local::LocalSessionManager,
};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, port, file] = &arguments[..] else { panic!("usage: PORT DEFINITIONS.json") };
    let server = handler::Fixture::new(definitions::Definitions::read(file));
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, StreamableHttpServerConfig::default());
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await.expect("the port is free");
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await.expect("it serves");
}
