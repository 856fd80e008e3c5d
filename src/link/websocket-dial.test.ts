import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { WebSocketServer } from "ws";
import { dial } from "./websocket-dial.ts";

describe("dialling a WebSocket", () => {
  for (const [subprotocol, offered] of [
    [undefined, "mcp"],
    ["other", "other"],
    [false, undefined],
  ] as const) {
    it(`offers ${offered ?? "no subprotocol"} where ${subprotocol ?? "nothing"} is wanted`, async () => {
      const server = new WebSocketServer({ port: 0, host: "127.0.0.1", handleProtocols: () => false });
      await once(server, "listening");
      const seen = new Promise((resolve) => {
        server.on("connection", (_socket, request) => resolve(request.headers["sec-websocket-protocol"]));
      });
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const options = { url, headers: {}, allowPrivate: true, name: "n", maxBytes: 1_000, subprotocol };
      const socket = await dial(options, (opened) => opened);
      assert.equal(await seen, offered);
      socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    });
  }
});
