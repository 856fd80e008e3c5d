//! Questions to the client: in rounds, as 2026-07-28 has it, or on the way, by requests on the stream of the call.

use rmcp::{
    ErrorData, Peer, RoleServer,
    model::{
        ClientCapabilities, InputRequest, InputRequests, InputRequiredResult, InputResponses, JsonObject,
        RequestStateCodec,
    },
};
use serde_json::Value;

use crate::definitions::Round;

/// The round in which the client still owes an answer, if there is one. A state that was changed on its way is refused.
pub fn open_round(
    codec: &RequestStateCodec,
    rounds: &[Round],
    state: Option<&str>,
    responses: Option<&InputResponses>,
) -> Result<Option<InputRequiredResult>, ErrorData> {
    let known: Option<JsonObject> = state
        .map(|sealed| codec.open_json(sealed))
        .transpose()
        .map_err(|_| ErrorData::invalid_params("requestState was changed", None))?;
    let has_state = known.is_some();
    let mut answers = known.unwrap_or_default();
    let given = responses.into_iter().flatten().filter(|(_, answer)| answer.is_object());
    answers.extend(given.map(|(key, answer)| (key.clone(), answer.clone())));
    for round in rounds {
        let usable = has_state || !round.remember;
        let open = without_answers(round, if usable { Some(&answers) } else { None });
        if !open.is_empty() {
            let sealed = round.remember.then(|| codec.seal_json(&answers)).transpose();
            let sealed = sealed.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            return Ok(Some(InputRequiredResult::new(Some(open), sealed)));
        }
    }
    Ok(None)
}

fn without_answers(round: &Round, answers: Option<&JsonObject>) -> InputRequests {
    let is_open = |key: &String| !answers.is_some_and(|answers| answers.contains_key(key));
    round.questions.iter().filter(|(key, _)| is_open(key)).map(|(key, one)| (key.clone(), one.clone())).collect()
}

/// Without the questions that the client has not said it can answer.
pub fn answerable(round: &Round, client: &ClientCapabilities) -> Round {
    let can = |question: &InputRequest| match question {
        InputRequest::CreateMessage(_) => client.sampling.is_some(),
        InputRequest::Elicitation(_) => client.elicitation.is_some(),
        _ => client.roots.is_some(),
    };
    let questions = round.questions.iter().filter(|(_, question)| can(question));
    Round { questions: questions.map(|(key, one)| (key.clone(), one.clone())).collect(), ..round.clone() }
}

/// Asks while the call runs, and tells what came back.
pub async fn ask_on_the_way(peer: &Peer<RoleServer>, rounds: &[Round]) -> Result<String, String> {
    let mut told = String::new();
    for question in rounds.iter().flat_map(|round| round.questions.values().cloned()) {
        let answer: Value = match question {
            InputRequest::CreateMessage(request) => json_of(peer.create_message(request.params).await)?,
            InputRequest::Elicitation(request) => json_of(peer.create_elicitation(request.params).await)?,
            _ => json_of(peer.list_roots().await)?,
        };
        told += &answer.to_string();
    }
    Ok(told)
}

fn json_of<T: serde::Serialize, E: std::fmt::Display>(outcome: Result<T, E>) -> Result<Value, String> {
    serde_json::to_value(outcome.map_err(|error| error.to_string())?).map_err(|error| error.to_string())
}
