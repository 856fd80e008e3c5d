/** What an agent's link does to a tool and to its calls. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { callOf, failureOf, openHub } from "../../test/support/open-hub.ts";
import { Payload } from "../protocol/json/payload.ts";
import type { Principal } from "./call.ts";
import type { Link } from "./links.ts";

const LAMP = {
  name: "lamp",
  inputSchema: {
    type: "object",
    properties: { room: { type: "string" }, on: { type: "boolean" }, dim: { type: "integer" } },
    required: ["room", "on"],
  },
};
const OTHER = { name: "alarm", inputSchema: { type: "object" } };

function agentWith(links: Readonly<Record<string, Link>>): Principal {
  const find = (source: string, tool: string): Link | undefined => links[`${source}__${tool}`];
  return { id: "agent:1", kind: "agent", name: "butler", links: { find } };
}

function openHouse(link: Link | undefined) {
  const opened = openHub();
  opened.attach("house", [LAMP, OTHER]);
  const principal = agentWith(link ? { house__lamp: link } : {});
  const call = (args: string, params?: string) =>
    opened.hub.call({
      ...callOf("lamp"),
      principal,
      args: Payload.ofText(args),
      params: params === undefined ? undefined : Payload.ofText(params),
    });
  return { ...opened, principal, call };
}

describe("an agent", () => {
  it("sees and finds only what it is linked to", async () => {
    const { hub, principal } = openHouse({});
    const names = (await hub.listTools(principal, "en")).map(({ definition }) => definition.name);
    assert.deepEqual(names, ["lamp"]);
    assert.equal(hub.findTool(principal, "lamp")?.name, "lamp");
    assert.equal(hub.findTool(principal, "alarm"), undefined);
    assert.deepEqual(hub.offers.list("prompts", principal), []);
  });

  it("is told of any other tool that it is unknown", async () => {
    const { hub, principal } = openHouse({});
    for (const tool of ["alarm", "house__alarm", "nothing"]) {
      const { code, details } = await failureOf(hub.call({ ...callOf(tool), principal }));
      assert.deepEqual([code, details.params?.["tool"]], ["UNKNOWN_TOOL", tool]);
    }
  });

  it("reaches nothing once its link is gone", async () => {
    const links: Record<string, Link> = { house__lamp: {} };
    const { hub, attach } = openHub();
    attach("house", [LAMP]);
    const principal = agentWith(links);
    const args = Payload.ofText('{"room":"hall","on":true}');
    await hub.call({ ...callOf("lamp"), args, principal });
    delete links["house__lamp"];
    assert.equal((await failureOf(hub.call({ ...callOf("lamp"), args, principal }))).code, "UNKNOWN_TOOL");
  });
});

describe("a link with fixed arguments", () => {
  it("hides them from the agent", async () => {
    const { hub, principal } = openHouse({ fixedArguments: { room: "hall" } });
    const [listed] = await hub.listTools(principal, "en");
    const { properties, required } = listed?.definition.inputSchema ?? {};
    assert.deepEqual([Object.keys(properties ?? {}), required], [["on", "dim"], ["on"]]);
    assert.deepEqual(hub.findTool(principal, "lamp")?.inputSchema, listed?.definition.inputSchema);
  });

  it("gives them to the tool, and leaves every other character as it was", async () => {
    const { call, requests } = openHouse({ fixedArguments: { room: "hall" } });
    await call('{"on": true,"dim":1e1}', '{"arguments":{"on": true,"dim":1e1},"x":12345678901234567890,"name":"lamp"}');
    const [request] = requests;
    assert.equal(request?.args.text, '{"room":"hall","on": true,"dim":1e1}');
    assert.equal(
      request?.params?.text,
      '{"arguments":{"room":"hall","on": true,"dim":1e1},"x":12345678901234567890,"name":"lamp"}',
    );
  });

  it("gives them to a tool that is called with nothing", async () => {
    const { call, requests } = openHouse({ fixedArguments: { room: "hall", on: false } });
    await call("{}");
    assert.deepEqual(requests[0]?.args.value, { room: "hall", on: false });
  });

  it("refuses an agent that gives one itself, by name, and asks nothing of the source", async () => {
    const { call, requests } = openHouse({ fixedArguments: { room: "hall" } });
    const { code, details } = await failureOf(call('{"room":"vault","on":true}'));
    assert.deepEqual([code, details.delivery], ["INVALID_ARGUMENT", "not_sent"]);
    assert.match(String(details.params?.["reason"]), /'room' is not one that you may give/);
    assert.equal(requests.length, 0);
  });
});

describe("a name that only looks like another", () => {
  for (const name of [
    "Room",
    "ROOM",
    "room ",
    " room",
    "ｒｏｏｍ",
    "ro\u200bom",
    "room\u0000",
    "roo\u{e006d}m",
    "r\u00adoom",
  ]) {
    it(`is no way around what is fixed: ${JSON.stringify(name)}`, async () => {
      const { call, requests } = openHouse({ fixedArguments: { room: "hall" } });
      const args = JSON.stringify({ [name]: "vault", on: true });
      assert.equal((await failureOf(call(args))).code, "INVALID_ARGUMENT");
      assert.equal(requests.length, 0);
    });
  }

  it("is no way around it in letters that have another case elsewhere", async () => {
    const { call, requests } = openHouse({ fixedArguments: { ms: 5, kind: "k" } });
    for (const name of ["m\u017f", "\u212aind", "k\u0131nd"]) {
      assert.equal((await failureOf(call(JSON.stringify({ [name]: 1 })))).code, "INVALID_ARGUMENT", name);
    }
    assert.equal(requests.length, 0);
  });

  it("is no way to another tool, or to other arguments, at a server that does not mind it", async () => {
    const { call, requests } = openHouse({});
    const args = '{"room":"hall","on":true}';
    await call(
      args,
      `{"Name":"alarm","name ":"alarm","name":"lamp","ARGUMENTS":{},"argument\u017f":{},"arguments":${args},"_meta":{"a":1}}`,
    );
    assert.equal(requests[0]?.params?.text, `{"name":"lamp","arguments":${args},"_meta":{"a":1}}`);
  });
});

describe("a link with allowed arguments", () => {
  it("shows these alone", async () => {
    const { hub, principal } = openHouse({ allowedArguments: ["room", "on"] });
    const [listed] = await hub.listTools(principal, "en");
    assert.deepEqual(Object.keys(listed?.definition.inputSchema["properties"] as object), ["room", "on"]);
  });

  it("takes these alone", async () => {
    const { call, requests } = openHouse({ allowedArguments: ["room", "on"] });
    await call('{"room":"hall","on":true}');
    const failure = await failureOf(call('{"room":"hall","on":true,"dim":3}'));
    assert.match(String(failure.details.params?.["reason"]), /'dim'/);
    assert.equal(requests.length, 1);
  });
});
