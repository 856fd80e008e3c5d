/**
 * The calculator of 78/mcp-calculator: FastMCP from PyPI, which a pipe brings to the endpoint of a voice cloud. In each place
 * where a hub can stand there: instead of the pipe, as whoever calls through it, and as the server that the pipe names.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { WebSocket, WebSocketServer } from "ws";
import { type BrokerLink, CloudBroker } from "../support/devices/index.ts";
import { cloud, type OpenHub, openHub, reasonIn, untilListed, xiaozhi } from "../support/seed-002.ts";
import { Pipe } from "./support/pipe.ts";
import { pythonWith } from "./support/python-with.ts";

const found = await pythonWith("fastmcp==3.4.10", "mcp-proxy==0.13.0");
const python = "python" in found ? found.python : "";
const SCRIPT = fileURLToPath(new URL("support/calculator.py", import.meta.url));
const SUM = { python_expression: "math.sqrt(16) + 38" };
const FAILING = { python_expression: "1/0" };

describe("the calculator", { skip: "missing" in found ? found.missing : false }, () => {
  describe("behind a hub that has dialled the endpoint", () => {
    let broker: CloudBroker;
    let house: OpenHub;
    let link: BrokerLink;
    before(async () => {
      broker = await CloudBroker.start();
      const mcpServers = { calculator: { command: python, args: [SCRIPT] } };
      house = await openHub({ mcpServers, ...xiaozhi(cloud(broker.url())) });
      link = await broker.next();
      await untilListed(house.http, "calculator");
    });
    after(async () => {
      await house?.hub.stop();
      await broker?.close();
    });

    it("is listed there and calculates", async () => {
      assert.ok((await link.names()).includes("calculator"));
      const { structuredContent, isError } = await link.call("calculator", SUM);
      assert.deepEqual([structuredContent, isError], [{ success: true, result: 42 }, false]);
    });

    it("fails in a result whose text is also where the cloud looks for it", async () => {
      const { isError, content, error } = await link.call("calculator", FAILING);
      assert.deepEqual([isError, content[0].text], [true, error]);
      assert.match(error, /division by zero/);
    });
  });

  describe("at the other end of a pipe that the hub dials", () => {
    let server: WebSocketServer;
    let house: OpenHub;
    const pipes: Pipe[] = [];
    before(async () => {
      server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
      server.on("connection", (socket) => pipes.push(new Pipe(socket, python, [SCRIPT])));
      await once(server, "listening");
      const { port } = server.address() as { readonly port: number };
      const mcpServers = { calculator: { url: `ws://127.0.0.1:${port}/`, zaguan: { allowPrivate: true } } };
      house = await openHub({ mcpServers });
      await untilListed(house.http, "calculator");
    });
    after(async () => {
      await house?.hub.stop();
      server?.close();
      for (const pipe of pipes) await pipe.end();
    });

    it("calculates, and fails with its own words, at both doors", async () => {
      for (const path of ["/mcp", "/servers/calculator/mcp"]) {
        const { body, text } = await house.http.call(path, "calculator", SUM);
        assert.deepEqual(body.result?.structuredContent, { success: true, result: 42 }, text);
        assert.match(reasonIn(await house.http.call(path, "calculator", FAILING)), /division by zero/);
      }
    });
  });

  describe("beside a hub that the pipe names by its URL", () => {
    let broker: CloudBroker;
    let house: OpenHub;
    let pipe: Pipe;
    before(async () => {
      house = await openHub({ mcpServers: { calculator: { command: python, args: [SCRIPT] } } });
      await untilListed(house.http, "calculator");
      broker = await CloudBroker.start({ greetingMs: 60_000 });
      const proxy = ["-m", "mcp_proxy", "--transport", "streamablehttp", `${house.hub.url}/mcp`];
      // Before it is open: the cloud greets at once.
      pipe = new Pipe(new WebSocket(broker.url()), python, proxy);
    });
    after(async () => {
      await pipe?.end();
      await broker?.close();
      await house?.hub.stop();
    });

    it("lets the cloud call the house and the calculator through one pipe", async () => {
      const link = await broker.next();
      assert.deepEqual((await link.names()).filter((name) => /calculator|set_light/.test(name)).toSorted(), [
        "calculator",
        "set_light_state",
      ]);
      const { structuredContent } = await link.call("calculator", SUM);
      assert.deepEqual(structuredContent, { success: true, result: 42 });
      assert.equal((await link.call("set_light_state", { name: "salon", on: true })).isError, false);
    });
  });
});
