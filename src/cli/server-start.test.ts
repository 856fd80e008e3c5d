import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeClient } from "../contract/client.ts";
import type { Context } from "./command.ts";
import { type HubClient, HubRefusal } from "./hub-client.ts";
import { serverStarted } from "./server-start.ts";

const SILENT = { step: () => {}, clear: () => {}, stop: () => {} };

/** Answers in turn; the last answer stays. */
function hubWith(...answers: (object | Error)[]): HubClient {
  const get = async (): Promise<unknown> => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const send = async (): Promise<unknown> => ({ tools: [] });
  const api: HubClient["api"] = makeClient((method) => (method === "GET" ? get() : send()));
  return { url: "http://hub", api, get, rpc: async () => undefined, send };
}

const awaited = { name: "new", dataDir: "nowhere", before: undefined, signal: new AbortController().signal };
const READY = { name: "new", state: "ready", tools: 0, log: [] };

describe("waiting for a server that was just added", () => {
  it("goes on where the hub had read its file a moment too soon and does not know it yet", async () => {
    const missing = new HubRefusal({ detail: "no such server", code: "NO_SUCH" });
    const ended = await serverStarted({} as Context, hubWith(missing, missing, READY), awaited, SILENT);
    assert.equal(ended.how, "ready");
  });

  it("ends with any other refusal", async () => {
    const refused = new HubRefusal({ detail: "a key is needed", code: "UNAUTHORIZED" });
    await assert.rejects(serverStarted({} as Context, hubWith(refused, READY), awaited, SILENT), refused);
  });
});
