/**
 * The bare floor for an HTTP upstream: takes HTTP, relays over kept connections and back, and does nothing else. It
 * opens one session for all, as the hub does, so that it must give its own ids: `node floor-http.mjs URL ERA`.
 */
import { createServer } from "node:http";
import process from "node:process";
import { Pool } from "undici";
import { accept, announce, answerJson, readBody } from "./body.mjs";
import { bringDown, takeUp } from "./relay.mjs";

const [address, era] = process.argv.slice(2);
const { origin, pathname } = new URL(address);
const pool = new Pool(origin, { pipelining: 1 });
const CLIENT = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "floor", version: "1" } };
const KIND = ["content-type", "application/json", "accept", "application/json, text/event-stream"];
const session = era === "2025" ? await initialize() : undefined;
const FIXED = session ? [...KIND, "mcp-protocol-version", "2025-11-25", "mcp-session-id", session] : KIND;

async function initialize() {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: CLIENT });
  const { headers, body: answer } = await pool.request({ path: pathname, method: "POST", headers: KIND, body });
  await answer.dump();
  return headers["mcp-session-id"];
}

/** Takes the answer of one exchange together and brings it down. */
class Answer {
  #pieces = [];
  #response;

  constructor(response) {
    this.#response = response;
  }

  onRequestStart() {}
  onResponseStart() {}

  onResponseData(_controller, chunk) {
    this.#pieces.push(chunk.toString("latin1"));
  }

  onResponseEnd() {
    const text = this.#pieces.length === 1 ? this.#pieces[0] : this.#pieces.join("");
    if (text === "") accept(this.#response);
    else bringDown(text, answerJson);
  }

  onResponseError(_controller, error) {
    console.error(error);
    this.#response.destroy();
  }
}

/** In the era without sessions the caller's own headers say what the message is. */
function headersOf({ headers }) {
  if (era !== "2026") return FIXED;
  const name = headers["mcp-name"];
  const said = ["mcp-protocol-version", headers["mcp-protocol-version"], "mcp-method", headers["mcp-method"]];
  return name === undefined ? [...KIND, ...said] : [...KIND, ...said, "mcp-name", name];
}

const server = createServer((request, response) => {
  readBody(request, (body) => {
    const message = Buffer.from(takeUp(body, response) ?? body, "latin1");
    const headers = headersOf(request);
    pool.dispatch({ path: pathname, method: "POST", headers, body: message }, new Answer(response));
  });
});
announce(server);
