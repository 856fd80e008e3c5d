/** Clients that send too much, too deep, too slowly, or from where they should not: each is refused, nobody else notices. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { LineChild } from "../support/line-child.ts";
import { until } from "../support/processes.ts";
import { inFlight, RpcOverHttp } from "../support/rpc-over-http.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { ledgerIn, ledgerServer, readLedger } from "../support/stub-servers.ts";

const PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

describe("bad clients", () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-bad-clients-"));
  let hub: SpawnedZaguan;
  let client: RpcOverHttp;

  before(async () => {
    hub = await spawnZaguan({ config: { mcpServers: { good: ledgerServer(ledgerIn(folder)) } } });
    client = new RpcOverHttp(hub.url);
    await client.rpc({ id: 1, method: "tools/list" });
  });

  after(async () => {
    await client?.close();
    await hub?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("who send too much get 413, whether they say so before or not", async () => {
    const huge = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { text: "x".repeat(4_000_000) } });
    // Many at once: who is hung up on while still sending would mostly lose the answer.
    await inFlight(100, 8, async () => void assert.equal((await client.send("POST", "/mcp", huge)).status, 413));
    assert.match(await endless(hub.url), /^HTTP\/1\.1 413 /);
    await assertOthersWork();
  });

  it("who repeat a key or reach for the prototype get 400 and nothing runs", async () => {
    const params = (rest: string): string =>
      `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"good__incr","arguments":{"tag":"smuggled"}${rest}}}`;
    const bodies = [
      params(',"name":"good__echo"'),
      params(',"\\u006eame":"good__echo"'),
      params(',"__proto__":{"admin":true}'),
      params(',"arguments":{"tag":"other"}'),
      params("").replace('"id":7', '"id":7,"id":8'),
    ];
    for (const body of bodies) assert.equal((await client.send("POST", "/mcp", body)).status, 400, body);
    assert.equal(executions("smuggled"), 0);
  });

  it("who send what a web form can send, or something compressed, get 415", async () => {
    const types = [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/json\ta",
    ];
    for (const type of [
      ...types,
      "application/json garbage",
      "application/jsonx",
      "application/json; charset=latin1",
    ]) {
      assert.equal((await client.send("POST", "/mcp", PING, { "content-type": type })).status, 415, type);
    }
    for (const encoding of ["gzip", "br", "deflate", "identity, gzip"]) {
      assert.equal((await client.send("POST", "/mcp", PING, { "content-encoding": encoding })).status, 415, encoding);
    }
  });

  it("who come under a foreign Host or from a foreign Origin get 403 everywhere", async () => {
    const { host, port } = new URL(hub.url);
    const routes = ["GET /", "GET /health", "GET /mcp", "POST /mcp", "DELETE /mcp", "GET /mcp/servers", "GET /nowhere"];
    const foreignHosts = [
      "evil.example",
      `evil.example:${port}`,
      `${host}.evil.example`,
      `localhost:${Number(port) + 1}`,
      "127.0.0.1/health",
      "0.0.0.0",
      "localhost@evil",
    ];
    const foreignOrigins = [
      "null",
      "https://evil.example",
      `https://${host}.evil.example`,
      "http://localhost:1",
      "file://",
      "http://127.0.0.1.evil.example",
    ];
    for (const route of routes) {
      const [method = "", path = ""] = route.split(" ");
      const body = method === "POST" ? PING : undefined;
      for (const foreign of foreignHosts) {
        assert.equal(
          (await client.send(method, path, body, { host: foreign })).status,
          403,
          `${route} Host: ${foreign}`,
        );
      }
      for (const origin of foreignOrigins) {
        assert.equal((await client.send(method, path, body, { origin })).status, 403, `${route} Origin: ${origin}`);
      }
    }
    for (const own of [host, `localhost:${port}`, `[::1]:${port}`]) {
      assert.equal((await client.send("POST", "/mcp", PING, { host: own })).status, 200, own);
      assert.equal((await client.send("POST", "/mcp", PING, { origin: `http://${own}` })).status, 200, own);
    }
  });

  it("who open an event stream and vanish leave it free for the next", async () => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "0" } };
    const session = String((await client.rpc({ id: 1, method: "initialize", params })).headers["mcp-session-id"]);
    const { hostname, port, host } = new URL(hub.url);
    const listen = `GET /mcp HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\nMcp-Session-Id: ${session}\r\n\r\n`;
    for (let round = 0; round < 20; round++) {
      // The hub hears of the one that vanished in its own time.
      let socket = connect(Number(port), hostname);
      await until(`the stream is free in round ${round}`, async () => {
        socket.destroy();
        socket = connect(Number(port), hostname);
        socket.write(listen);
        const [head] = (await once(socket, "data")) as [Buffer];
        return head.toString("latin1").startsWith("HTTP/1.1 200 ");
      });
      const second = await client.get("/mcp", { accept: "text/event-stream", "mcp-session-id": session });
      assert.equal(second.status, 409, "a second stream must not replace the first");
      socket.resetAndDestroy();
    }
  });

  function executions(wanted: string): number {
    return readLedger(ledgerIn(folder)).filter(({ tag }) => tag === wanted).length;
  }

  async function assertOthersWork(): Promise<void> {
    const [echo, health] = await Promise.all([client.call("good__echo", { tag: "probe" }), client.get("/health")]);
    assert.equal(echo.reply.result?.content?.[0]?.text, "probe", echo.text);
    assert.equal(health.status, 200);
    assert.ok(echo.ms < 30_000 && health.ms < 30_000, `${echo.ms} ms, ${health.ms} ms`);
  }
});

describe("a line longer than the limit on zaguan stdio", () => {
  it("is refused, and the next one is served", async (t) => {
    const child = new LineChild(["stdio"]);
    const answers: Record<string, unknown>[] = [];
    child.onMessage((message) => answers.push(message));
    try {
      const params = { text: "y".repeat(11_000_000) };
      await child.write(`${JSON.stringify({ jsonrpc: "2.0", id: "huge", method: "ping", params })}\n`);
      await child.write(`${JSON.stringify({ jsonrpc: "2.0", id: "next", method: "ping" })}\n`);
      await until("the next one is served", () => answers.some(({ id }) => id === "next"));
      await t.test("with a word to its sender", () => {
        assert.ok(answers.some(({ error }) => error !== undefined));
      });
      assert.equal(await child.end(), 0);
    } finally {
      child.kill();
    }
  });
});

/** What comes back when a body in chunks does not end. */
async function endless(url: string): Promise<string> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
  });
  socket.on("error", () => {});
  const closed = once(socket, "close");
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
  const pour = setInterval(() => socket.write(chunk), 5);
  await Promise.race([closed, until("an answer or the end", () => received !== "")]);
  clearInterval(pour);
  socket.destroy();
  return received;
}
