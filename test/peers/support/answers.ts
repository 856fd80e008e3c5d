/** What a client of these tests answers when a server asks it, and what it therefore declares; the hub declares the same. */
import type { ConnectOptions } from "./official-clients.ts";

const PERSON = { name: "Ana Núñez", check: true, email: "ana@example.org", integer: 7, number: 2.5 };
const ROOTS = [{ uri: "file:///srv/shared", name: "shared" }];
const MESSAGE = {
  model: "a-model",
  role: "assistant",
  content: { type: "text", text: "cuatro 你好" },
  stopReason: "endTurn",
};

export const CAN_BE_ASKED: Pick<ConnectOptions, "capabilities" | "answers"> = {
  capabilities: { sampling: { tools: {} }, elicitation: { form: {}, url: {} }, roots: { listChanged: true } },
  answers: {
    "sampling/createMessage": () => MESSAGE,
    "elicitation/create": () => ({ action: "accept", content: PERSON }),
    "roots/list": () => ({ roots: ROOTS }),
  },
};

/** With an answer of its own to one kind of question. */
export function answering(method: string, answer: object): Pick<ConnectOptions, "capabilities" | "answers"> {
  return { ...CAN_BE_ASKED, answers: { ...CAN_BE_ASKED.answers, [method]: () => answer } };
}
