/**
 * `zaguan stdio` at the log level trace, with warnings of Node and servers that print whatever they like: on stdout stands
 * nothing but the protocol, every call is answered, and the end of the input is its end. Row 24 of the scorecard.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { LineChild } from "../support/line-child.ts";
import { until } from "../support/processes.ts";
import { figure, sized } from "../support/scorecard.ts";
import { evilServer, ledgerIn, ledgerServer } from "../support/stub-servers.ts";

const CALLS = sized(500, 10_000);
/** Of a server that is started again for each; it is called only at the beginning. */
const DEADLY = 2;
const AT_ONCE = 64;
const PATIENCE_MS = 300_000;
/** The short form runs where others work too. */
const END_MS = sized(60_000, 2_000);
/** Loaded into the hub before anything else: warnings go on while it works. */
const WARNER = `setInterval(() => process.emitWarning("injected"), 20).unref(); console.warn("injected at the start");`;

describe(`${CALLS} calls to zaguan stdio at the log level trace`, () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-purity-"));
  const answers = new Map<unknown, number>();
  const foreign: unknown[] = [];
  let lines = 0;
  let child: LineChild;

  before(() => {
    const config = {
      mcpServers: {
        chatty: evilServer("text-first"),
        crashing: evilServer("exits-at-once"),
        dying: evilServer("dies-of-calls"),
        good: ledgerServer(ledgerIn(folder)),
      },
      log: { level: "trace" },
    };
    writeFileSync(join(folder, "zaguan.json"), JSON.stringify(config));
    writeFileSync(join(folder, "warner.cjs"), WARNER);
    const NODE_OPTIONS = `--trace-warnings --require "${join(folder, "warner.cjs")}"`;
    child = new LineChild(["stdio", "--config", join(folder, "zaguan.json")], { NODE_OPTIONS });
    child.onMessage((message) => {
      lines++;
      if (message["jsonrpc"] !== "2.0") foreign.push(message);
      if (!("method" in message)) answers.set(message["id"], (answers.get(message["id"]) ?? 0) + 1);
    });
  });
  after(() => {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  it("are each answered once", async () => {
    const tools = ["good__echo", "chatty__act", "list_lights_on", "no_such_tool"];
    for (let id = 0; id < CALLS; id++) {
      const name = id < DEADLY ? "dying__act" : tools[id % tools.length];
      const params = { name, arguments: { tag: `t${id}` } };
      await child.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params })}\n`);
      await until("there is room for another", () => answers.size > id - AT_ONCE || !child.running, PATIENCE_MS);
    }
    await until("every call is answered", () => answers.size === CALLS || !child.running, PATIENCE_MS);
    const wrong = [...answers].filter(([, times]) => times !== 1);
    figure(24, "answered once", `${answers.size - wrong.length} of ${CALLS.toLocaleString("en")}`);
    assert.deepEqual([wrong, answers.size], [[], CALLS]);
  });

  it("leave nothing on stdout but messages of the protocol, while all else goes to stderr", () => {
    const impure = [...child.impure, ...foreign];
    figure(
      24,
      "lines that are no JSON-RPC",
      `${impure.length} of ${(lines + child.impure.length).toLocaleString("en")}`,
    );
    assert.deepEqual(impure, []);
    assert.match(child.stderr, /"level":"trace"/);
    assert.ok(child.stderr.split("injected").length > 10, "the warnings went to stderr");
  });

  it("are over when the input is", async () => {
    const endedAt = performance.now();
    assert.equal(await child.end(), 0, child.stderr.slice(-500));
    const ms = performance.now() - endedAt;
    figure(24, "ended after the end of its input", `${ms.toFixed(0)} ms`);
    assert.ok(ms < END_MS, `${ms} ms`);
  });
});
