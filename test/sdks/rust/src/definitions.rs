//! What the fixture offers, read from the file that its authors' tests make out of their own definitions.

use std::collections::HashMap;

use rmcp::model::{InputRequests, JsonObject, Prompt, Resource, ResourceTemplate, Tool};
use serde_json::{Value, from_value};

pub struct Definitions {
    pub server_info: Value,
    pub tools: Vec<Tool>,
    pub resources: Vec<Resource>,
    pub templates: Vec<ResourceTemplate>,
    pub prompts: Vec<Prompt>,
    /// By URI.
    pub contents: HashMap<String, Value>,
    /// By tool.
    pub answers: HashMap<String, Answer>,
    /// By prompt.
    pub messages: HashMap<String, Answer>,
}

/// A result that is always the same, and what has to be asked before it is given.
#[derive(Clone)]
pub struct Answer {
    pub rounds: Vec<Round>,
    pub result: Value,
}

#[derive(Clone)]
pub struct Round {
    pub questions: InputRequests,
    /// The answers count only beside the state that went out with the questions.
    pub remember: bool,
}

impl Definitions {
    pub fn read(file: &str) -> Self {
        let text = std::fs::read_to_string(file).expect("the definitions can be read");
        let mut all: JsonObject = serde_json::from_str(&text).expect("the definitions are JSON");
        let mut take = |key: &str| all.remove(key).expect(key);
        let contents: Vec<Value> = from_value(take("contents")).expect("contents");
        Self {
            server_info: take("serverInfo"),
            tools: from_value(take("tools")).expect("tools"),
            resources: from_value(take("resources")).expect("resources"),
            templates: from_value(take("resourceTemplates")).expect("templates"),
            prompts: from_value(take("prompts")).expect("prompts"),
            contents: contents.into_iter().map(|one| (one["uri"].as_str().expect("uri").into(), one)).collect(),
            answers: answers(take("answers")),
            messages: answers(take("messages")),
        }
    }
}

impl Answer {
    /// With arguments in the places of their names in braces.
    pub fn filled(&self, arguments: &JsonObject) -> Self {
        let rounds = self.rounds.iter().map(|round| Round {
            questions: from_value(filled(serde_json::to_value(&round.questions).expect("questions"), arguments))
                .expect("questions"),
            remember: round.remember,
        });
        Self { rounds: rounds.collect(), result: filled(self.result.clone(), arguments) }
    }
}

fn answers(value: Value) -> HashMap<String, Answer> {
    let all: HashMap<String, Value> = from_value(value).expect("answers by name");
    all.into_iter().map(|(name, one)| (name, answer(one))).collect()
}

fn answer(mut value: Value) -> Answer {
    let rounds = value["rounds"].take();
    let rounds = rounds.as_array().expect("rounds").iter().map(|round| Round {
        questions: from_value(round["questions"].clone()).expect("questions"),
        remember: round["remember"] == true,
    });
    Answer { rounds: rounds.collect(), result: value["result"].take() }
}

fn filled(value: Value, arguments: &JsonObject) -> Value {
    match value {
        Value::String(text) => Value::String(arguments.iter().fold(text, |text, (name, argument)| {
            text.replace(&format!("{{{name}}}"), argument.as_str().unwrap_or_default())
        })),
        Value::Array(items) => items.into_iter().map(|item| filled(item, arguments)).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, item)| (key, filled(item, arguments))).collect(),
        other => other,
    }
}
