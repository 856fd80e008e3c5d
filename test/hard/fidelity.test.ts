/**
 * What a source sends is what the caller gets, and the other way round, character for character: random odd JSON through
 * every pair of official door and official source of one hub. ZAGUAN_SEED repeats a run, ZAGUAN_RUNS makes it longer.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { listedTools } from "../support/echo-servers/echo.ts";
import { assertSameError, assertSameParams, assertSameResult, resultOf } from "../support/fidelity/compare.ts";
import { type Client, DOORS, type Door, ENVELOPE } from "../support/fidelity/doors.ts";
import { oddErrors } from "../support/fidelity/errors.ts";
import { examplesFor } from "../support/fidelity/examples.ts";
import { objectText, oddId } from "../support/fidelity/odd-json.ts";
import { openStdio, type Pipe } from "../support/fidelity/pipes.ts";
import { type Addressed, PLAIN, requestOf, type Scene, scenesFor } from "../support/fidelity/scenes.ts";
import { type EchoHub, openEchoHub, SOURCES, type SourceForm } from "../support/fidelity/sources.ts";
import { fc, SEED } from "../support/seed.ts";

const RUNS = Number(process.env["ZAGUAN_RUNS"] ?? 10);
/** A machine that is busy does less, instead of taking longer. */
const PAIR_MS = RUNS * 60;

const SHARED_DOORS = DOORS.filter(({ ownProcess }) => !ownProcess);

describe(`fidelity (ZAGUAN_SEED=${SEED})`, { concurrency: 2 }, () => {
  let echo: EchoHub;

  before(async () => {
    echo = await openEchoHub();
  });
  after(() => echo?.close());

  for (const source of SOURCES) {
    describe(`what ${source.name} says and hears is the same`, { concurrency: 1 }, () => {
      let stdio: Pipe;

      before(() => {
        stdio = openStdio(echo.configOf(source), source.name);
      });
      after(() => stdio?.close());

      for (const door of DOORS) {
        it(`at ${door.name}`, () => through(door, source, stdio));
      }
    });
  }

  it("the key __proto__ in params reaches a source", { skip: "every door refuses it, on purpose: -32600" });

  it("64 clients under the same ids, at all doors and sources at once, each get their own answers", async () => {
    const pairs = SOURCES.flatMap((source) => SHARED_DOORS.map((door) => ({ source, door })));
    assert.equal(pairs.length, 64);
    const clients = await Promise.all(pairs.map(async (pair) => ({ ...pair, client: await open(pair) })));
    try {
      for (const id of fc.sample(oddId(), { numRuns: 5 })) {
        await Promise.all(clients.map(({ client, door, source }) => askTogether(client, door, source, id)));
      }
    } finally {
      await Promise.all(clients.map(({ client }) => client.close()));
    }
  });

  async function through(door: Door, source: SourceForm, stdio: Pipe): Promise<void> {
    const client = await door.open({ hub: echo.hub, server: source.name, stdio });
    try {
      if (!door.whole) await listTools(client, door, source);
      const end = performance.now() + PAIR_MS;
      const scenes = fc.asyncProperty(scenesFor(door, source), async (scene) => {
        if (performance.now() < end) await play(client, door, source, scene);
      });
      await fc.assert(scenes, { numRuns: RUNS, examples: examplesFor(source) });
      if (!door.whole) await failing(client, door, source);
    } finally {
      await client.close();
    }
  }

  function open({ door, source }: { readonly door: Door; readonly source: SourceForm }): Promise<Client> {
    return door.open({ hub: echo.hub, server: source.name });
  }
});

async function play(client: Client, door: Door, source: SourceForm, scene: Scene): Promise<void> {
  const { id, method, result, spoken } = scene;
  const said = await client.ask(requestOf(door, id, { method, source, word: "say" }, PLAIN, result));
  assertSameResult(door, source, result, said, id);
  const to: Addressed = { method, source, word: "heard" };
  const heard = await client.ask(requestOf(door, id, to, spoken));
  assertSameParams(door, to, spoken, (JSON.parse(resultOf(heard, id)) as { heard: string }).heard);
}

async function failing(client: Client, door: Door, source: SourceForm): Promise<void> {
  const errors = fc.asyncProperty(oddErrors(source, door.era), async ({ text }) => {
    const told = await client.ask(requestOf(door, "1", { method: "tools/call", source, word: "fail" }, PLAIN, text));
    assertSameError(source, text, told, "1");
  });
  await fc.assert(errors, { numRuns: Math.ceil(RUNS / 3) });
}

async function listTools(client: Client, door: Door, source: SourceForm): Promise<void> {
  const members = door.era === "stateless" ? [{ key: "_meta", value: objectText(ENVELOPE) }] : [];
  const told = await client.ask({ id: "7", method: "tools/list", params: objectText(members), subject: "" });
  assertSameResult(door, source, listedTools(source.revision), told, "7");
}

/** Answered only when all doors have asked this source. */
async function askTogether(client: Client, door: Door, source: SourceForm, id: string): Promise<void> {
  const result = `{"resultType":"complete","nonce":"${randomUUID()}"}`;
  const together = { ...PLAIN, args: [{ key: "together", value: String(SHARED_DOORS.length) }] };
  const to: Addressed = { method: "tools/call", source, word: "say" };
  const told = await client.ask(requestOf(door, id, to, together, result));
  assertSameResult(door, source, result, told, id);
}
