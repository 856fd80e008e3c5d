//! The fixture as `rmcp` wants a server to be: one method for each request.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::*,
    service::{RequestContext, SubscriptionContext, SubscriptionSink},
};
use serde_json::{from_value, json};

use crate::{
    asking::{answerable, ask_on_the_way, open_round},
    definitions::{Answer, Definitions},
    working::work,
};

const TTL_MS: u64 = 60_000;
const KEY: &[u8] = b"a key that only this fixture needs, long enough";

type Context = RequestContext<RoleServer>;

#[derive(Clone)]
pub struct Fixture {
    offers: Arc<Definitions>,
    codec: RequestStateCodec,
    listeners: Arc<Mutex<HashMap<u64, SubscriptionSink>>>,
    next_listener: Arc<AtomicU64>,
}

impl Fixture {
    pub fn new(offers: Definitions) -> Self {
        Self {
            offers: Arc::new(offers),
            codec: RequestStateCodec::new_unchecked(KEY),
            listeners: Arc::default(),
            next_listener: Arc::default(),
        }
    }

    async fn announce(&self, list: &str) {
        let listeners: Vec<_> = self.listeners.lock().expect("nobody panics").values().cloned().collect();
        for listener in listeners {
            let _ = match list {
                "tools" => listener.notify_tool_list_changed().await,
                _ => listener.notify_prompt_list_changed().await,
            };
        }
    }

    async fn answer(&self, request: CallToolRequestParams, cx: &Context) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.as_ref();
        let known = self.offers.answers.get(name).ok_or_else(|| unknown("tool", name))?;
        let Answer { mut rounds, result } = known.filled(&request.arguments.unwrap_or_default());
        let client = cx.client_capabilities().unwrap_or_default();
        if name.starts_with("test_sampling") || name.starts_with("test_elicitation") {
            return Ok(match ask_on_the_way(&cx.peer, &rounds).await {
                Ok(told) => CallToolResult::success(vec![ContentBlock::text(told)]).into(),
                Err(error) => CallToolResult::error(vec![ContentBlock::text(error)]).into(),
            });
        }
        if name == "test_missing_capability" && client.sampling.is_none() {
            let needed = ClientCapabilities::builder().enable_sampling().build();
            return Err(ErrorData::missing_required_client_capability(needed));
        }
        if name == "test_input_required_result_capabilities" {
            rounds = rounds.iter().map(|round| answerable(round, &client)).collect();
        }
        let (state, responses) = (request.request_state.as_deref(), request.input_responses.as_ref());
        match open_round(&self.codec, &rounds, state, responses)? {
            Some(open) => Ok(open.into()),
            None => Ok(CallToolResult::success(from_value(result).expect("content")).into()),
        }
    }
}

fn unknown(what: &str, name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("Unknown {what}: {name}"), None)
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerInfo {
        let capabilities = ServerCapabilities::builder()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_logging()
            .enable_completions()
            .build();
        let info = from_value(self.offers.server_info.clone()).expect("server info");
        ServerInfo::new(capabilities).with_server_info(info)
    }

    /// So that the transport knows which arguments belong into headers.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.offers.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(&self, _: Option<PaginatedRequestParams>, _: Context) -> Result<ListToolsResult, ErrorData> {
        let list = ListToolsResult { tools: self.offers.tools.clone(), ..Default::default() };
        Ok(list.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn call_tool(&self, request: CallToolRequestParams, cx: Context) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.clone();
        if let Some(list) = name.strip_prefix("test_trigger_") {
            self.announce(if list == "tool_change" { "tools" } else { "prompts" }).await;
            return Ok(CallToolResult::success(vec![ContentBlock::text("The list has changed")]).into());
        }
        match work(&name, &cx).await {
            Some(result) => Ok(result.into()),
            None => self.answer(request, &cx).await,
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let list = ListResourcesResult { resources: self.offers.resources.clone(), ..Default::default() };
        Ok(list.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let resource_templates = self.offers.templates.clone();
        let list = ListResourceTemplatesResult { resource_templates, ..Default::default() };
        Ok(list.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.as_str();
        let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        let contents = match (self.offers.contents.get(uri), id) {
            (Some(known), _) => known.clone(),
            (None, Some(id)) => {
                let text = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") }).to_string();
                json!({ "uri": uri, "mimeType": "application/json", "text": text })
            }
            _ => return Err(ErrorData::resource_not_found("Resource not found", Some(json!({ "uri": uri })))),
        };
        let result = ReadResourceResult::new(vec![from_value(contents).expect("contents")]);
        Ok(result.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public).into())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn list_prompts(&self, _: Option<PaginatedRequestParams>, _: Context) -> Result<ListPromptsResult, ErrorData> {
        let list = ListPromptsResult { prompts: self.offers.prompts.clone(), ..Default::default() };
        Ok(list.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(&self, request: GetPromptRequestParams, _: Context) -> Result<GetPromptResponse, ErrorData> {
        let known = self.offers.messages.get(&request.name).ok_or_else(|| unknown("prompt", &request.name))?;
        let Answer { rounds, result } = known.filled(&request.arguments.unwrap_or_default());
        let (state, responses) = (request.request_state.as_deref(), request.input_responses.as_ref());
        match open_round(&self.codec, &rounds, state, responses)? {
            Some(open) => Ok(open.into()),
            None => Ok(GetPromptResult::new(from_value(result).expect("messages")).into()),
        }
    }

    async fn complete(&self, request: CompleteRequestParams, _: Context) -> Result<CompleteResult, ErrorData> {
        let values = ["paris", "park", "party"].into_iter().filter(|word| word.starts_with(&request.argument.value));
        let found = CompletionInfo::new(values.map(String::from).collect());
        Ok(CompleteResult::new(found.map_err(|error| ErrorData::internal_error(error, None))?))
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let key = self.next_listener.fetch_add(1, Ordering::Relaxed);
        self.listeners.lock().expect("nobody panics").insert(key, context.sink().clone());
        context.cancelled().await;
        self.listeners.lock().expect("nobody panics").remove(&key);
        Ok(())
    }
}
