import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Payload } from "../../protocol/json/payload.ts";
import { type RpcCall, readMessage } from "../../protocol/json-rpc/message.ts";
import { ClientLink } from "./client-link.ts";

const LIMITS = { depth: 64, elements: 1_000 };
const { signal } = new AbortController();
const ASK = Payload.ofText('{"message":"really?"}');

function open(capabilities: string) {
  const link = new ClientLink(LIMITS);
  const text = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":${capabilities}}}`;
  link.learn(readMessage(text, LIMITS) as RpcCall);
  const sent: string[] = [];
  return { link, sent, listen: () => link.addOutlet((message) => sent.push(message) > 0) };
}

describe("asking the client back", () => {
  it("goes to the client as a request of ours, and its answer comes back as it was written", async () => {
    const { link, sent, listen } = open('{"elicitation":{}}');
    listen();
    const answer = link.request("elicitation/create", ASK, signal);
    assert.deepEqual(JSON.parse(sent[0] ?? ""), {
      jsonrpc: "2.0",
      id: 1,
      method: "elicitation/create",
      params: ASK.value,
    });
    link.receive('{"jsonrpc":"2.0","id":1,"result":{ "action":"accept" }}');
    assert.equal((await answer).text, '{ "action":"accept" }');
  });

  it("is refused where the client did not declare that it can, or is not listening", async () => {
    const { link, listen } = open('{"roots":{}}');
    assert.equal(link.canBeAsked, true);
    await assert.rejects(link.request("roots/list", ASK, signal), { code: "UNKNOWN_METHOD" });
    listen();
    await assert.rejects(link.request("sampling/createMessage", ASK, signal), { code: "UNKNOWN_METHOD" });
    await assert.rejects(link.request("anything/else", ASK, signal), { code: "UNKNOWN_METHOD" });
    assert.equal(open("{}").link.canBeAsked, false);
    assert.equal(open("null").link.canBeAsked, false);
  });

  it("uses the newest way that takes it", async () => {
    const { link, sent, listen } = open('{"sampling":{}}');
    listen();
    link.addOutlet(() => false);
    const asked = link.request("sampling/createMessage", ASK, signal);
    assert.equal(sent.length, 1);
    link.end();
    await assert.rejects(asked, { code: "OUTCOME_UNKNOWN" });
  });
});
