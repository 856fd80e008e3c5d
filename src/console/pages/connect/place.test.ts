/** Addresses and names, of things that are called whatever people like. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addressesOf, baseIn, clientName, HUB, isLoopback, pageBase, targetIn, targetText } from "./place.ts";

const agent = (name: string) => ({ kind: "agent", name }) as const;

describe("the hub's address", () => {
  it("is where the page is, without what the page adds", () => {
    assert.equal(pageBase("http://127.0.0.1:3003/#/connect/cursor?to=hub"), "http://127.0.0.1:3003/");
    assert.equal(pageBase("https://example.org/zaguan/?x=1#/"), "https://example.org/zaguan/");
    assert.equal(pageBase("https://example.org/zaguan/index.html"), "https://example.org/zaguan/");
  });

  const typed: readonly (readonly [string, string | undefined])[] = [
    ["192.168.1.5:3003", "http://192.168.1.5:3003/"],
    ["https://house.example.org/hub", "https://house.example.org/hub/"],
    ["http://[fd00::5]:3003/?a=1#b", "http://[fd00::5]:3003/"],
    [" zaguan.home ", "http://zaguan.home/"],
    ["", undefined],
    ["   ", undefined],
    ["http://", undefined],
    ["http://me:pw@host/", undefined],
    ["a b", undefined],
  ];
  for (const [text, base] of typed) it(`may be typed: "${text}"`, () => assert.equal(baseIn(text), base));

  it("is this machine's or not", () => {
    for (const host of ["localhost:3003", "127.0.0.1", "127.9.9.9:1", "[::1]:3003", "a.localhost"]) {
      assert.ok(isLoopback(`http://${host}/`), host);
    }
    for (const host of ["192.168.1.5", "zaguan.home", "127.example.org", "localhost.example.org"]) {
      assert.equal(isLoopback(`http://${host}/`), false, host);
    }
  });
});

describe("what is connected", () => {
  it("has its own addresses", () => {
    assert.deepEqual(addressesOf("http://h:1/", HUB), {
      mcp: "http://h:1/mcp",
      sse: "http://h:1/sse",
      socket: "ws://h:1/mcp",
    });
    assert.deepEqual(addressesOf("https://h/z/", { kind: "server", name: "house" }), {
      mcp: "https://h/z/servers/house/mcp",
      sse: "https://h/z/servers/house/sse",
      socket: "wss://h/z/servers/house/mcp",
    });
  });

  it("may be called anything; a shell finds nothing in it", () => {
    const { mcp } = addressesOf("http://h:1/", agent("Ana's (old) $HOME & 客厅!*"));
    assert.match(mcp, /^http:\/\/h:1\/agents\/[A-Za-z0-9%._~-]+\/mcp$/);
    assert.equal(decodeURIComponent(new URL(mcp).pathname), "/agents/Ana's (old) $HOME & 客厅!*/mcp");
  });

  it("has a name for clients", () => {
    assert.equal(clientName(HUB), "zaguan");
    assert.equal(clientName({ kind: "server", name: "home.assistant" }), "zaguan-home-assistant");
    assert.equal(clientName(agent("living room")), "zaguan-living-room");
    assert.equal(clientName(agent("Señora Núñez")), "zaguan-Senora-Nunez");
    assert.match(clientName(agent("客厅")), /^zaguan-agent-[a-z0-9]{3}$/);
    assert.notEqual(clientName(agent("客厅")), clientName(agent("卧室")));
    assert.ok(clientName(agent("x".repeat(64))).length < 50);
  });

  it("stands in the page's address and is read from there", () => {
    for (const target of [HUB, agent("a:b"), agent("living room"), { kind: "server", name: "house" } as const]) {
      assert.deepEqual(targetIn(targetText(target)), target);
    }
    for (const text of [null, "", "hub", "agent:", "other:x"]) assert.deepEqual(targetIn(text), HUB);
  });
});
