//! The tools that do something while they are called: log, report progress, take their time, fail.

use std::time::Duration;

use rmcp::{
    RoleServer,
    model::{CallToolResult, ContentBlock, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam},
    service::RequestContext,
};
use serde_json::json;

const STEP: Duration = Duration::from_millis(50);

/// Nothing for a tool that is not among them.
pub async fn work(name: &str, context: &RequestContext<RoleServer>) -> Option<CallToolResult> {
    match name {
        "test_tool_with_logging" => {
            for text in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                log(context, LoggingLevel::Info, text).await;
                tokio::time::sleep(STEP).await;
            }
        }
        "test_logging_tool" => {
            if let Some(level) = context.meta.log_level() {
                log(context, level, "A message for those who want it").await;
            }
        }
        "test_tool_with_progress" => progress(context).await,
        "test_reconnection" => tokio::time::sleep(2 * STEP).await,
        "test_header_parameter" => {}
        "test_error_handling" => {
            let text = "This tool intentionally returns an error for testing";
            return Some(CallToolResult::error(vec![ContentBlock::text(text)]));
        }
        _ => return None,
    }
    Some(CallToolResult::success(vec![ContentBlock::text(format!("{name} executed successfully"))]))
}

/// Who has gone away misses it.
async fn log(context: &RequestContext<RoleServer>, level: LoggingLevel, text: &str) {
    let _ = context.peer.notify_logging_message(LoggingMessageNotificationParam::new(level, json!(text))).await;
}

async fn progress(context: &RequestContext<RoleServer>) {
    let Some(token) = context.meta.get_progress_token() else { return };
    for done in [0.0, 50.0, 100.0] {
        let step = ProgressNotificationParam::new(token.clone(), done).with_total(100.0);
        let _ = context.peer.notify_progress(step).await;
        tokio::time::sleep(STEP).await;
    }
}
