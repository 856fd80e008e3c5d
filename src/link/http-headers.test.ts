import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { configuredHeaders, SessionHeaders } from "./http-headers.ts";

const POST = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "accept-encoding": "identity",
};
const STREAM = { accept: "text/event-stream", "accept-encoding": "identity" };

describe("the headers of a session", () => {
  it("name what was agreed on, from then on, and nothing of it in what opens the next", () => {
    const headers = new SessionHeaders({});
    assert.deepEqual(paired(headers.post), POST);
    headers.session = "s1";
    headers.version = "2025-11-25";
    const agreed = { "mcp-session-id": "s1", "mcp-protocol-version": "2025-11-25" };
    assert.deepEqual(paired(headers.post), { ...agreed, ...POST });
    assert.deepEqual(paired(headers.stream("e7")), { ...agreed, ...STREAM, "last-event-id": "e7" });
    assert.deepEqual(paired(headers.bare), agreed);
    assert.deepEqual(paired(headers.opening), POST);
    headers.session = undefined;
    assert.deepEqual(paired(headers.stream(undefined)), { "mcp-protocol-version": "2025-11-25", ...STREAM });
  });

  it("are the same list for every message, until something changes", () => {
    const headers = new SessionHeaders({ "X-Key": "k" });
    const before = headers.post;
    assert.equal(headers.post, before);
    headers.version = "2025-06-18";
    assert.notEqual(headers.post, before);
  });

  it("hold what is configured, once each, except what is the transport's to say", () => {
    const configured = { Authorization: "Bearer x", Accept: "*/*", "MCP-Session-Id": "forged", "Last-Event-ID": "1" };
    const headers = new SessionHeaders(configured);
    assert.deepEqual(paired(headers.post), { authorization: "Bearer x", ...POST });
    assert.deepEqual(configuredHeaders({ "Content-Length": "1", "X-A": "b" }), { "x-a": "b" });
  });
});

describe("the headers of a message without a session", () => {
  it("say of it what it says of itself, before what is configured", () => {
    const headers = new SessionHeaders({ "X-Key": "k", "Mcp-Param-Region": "configured" });
    headers.session = "s1";
    const said = { "mcp-method": "tools/call", "mcp-name": "echo", "mcp-param-region": "said" };
    assert.deepEqual(paired(headers.stateless(said)), { ...POST, ...said, "x-key": "k" });
  });
});

/** As a record; fails on a name that comes twice. */
function paired(flat: readonly string[]): Record<string, string> {
  const record: Record<string, string> = {};
  for (let at = 0; at < flat.length; at += 2) {
    assert.ok(!(String(flat[at]) in record), `${flat[at]} comes twice`);
    record[String(flat[at])] = String(flat[at + 1]);
  }
  return record;
}
