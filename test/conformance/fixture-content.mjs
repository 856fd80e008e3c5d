/** The building blocks of what the fixture says: contents, messages, and the questions that it asks its client. */

/** One red pixel. */
export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";
/** Half a millisecond of silence. */
export const WAV = "UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQQAAACAgICA";

export const NO_ARGUMENTS = { type: "object", properties: {} };

export const text = (value) => ({ type: "text", text: value });
export const image = { type: "image", data: PNG, mimeType: "image/png" };
export const embedded = (uri, mimeType, value) => ({ type: "resource", resource: { uri, mimeType, text: value } });
export const fromUser = (content) => ({ role: "user", content });

/** A question to the client's user, with the JSON Schema of the form to fill in. */
export const elicitation = (message, requestedSchema) => ({
  method: "elicitation/create",
  params: { message, requestedSchema },
});

/** A question to the client's model. */
export const sampling = (prompt, maxTokens = 100) => ({
  method: "sampling/createMessage",
  params: { messages: [fromUser(text(prompt))], maxTokens },
});

export const rootsList = { method: "roots/list", params: {} };

/** The schema of a form in which every field is needed. */
export const form = (properties) => ({ type: "object", properties, required: Object.keys(properties) });

/** What the client must have declared before it may be asked. */
export const NEEDED = {
  "sampling/createMessage": "sampling",
  "elicitation/create": "elicitation",
  "roots/list": "roots",
};

/** The order in which log messages become severe. */
export const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
