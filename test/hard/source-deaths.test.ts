/**
 * Sources that die in the middle of things, or are cut off: whoever waits is told the truth, once; nothing is repeated;
 * and everything goes on by itself, for clients of every era at every door.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { ACCEPTED, type Asked, Asker } from "../support/asker.ts";
import { OwnHub } from "../support/clients/carriers.ts";
import { answersTo, answerTo, type Era, type McpClient, type Message } from "../support/clients/client.ts";
import { SessionClient } from "../support/clients/session-client.ts";
import { TwoWayClient } from "../support/clients/two-way-client.ts";
import {
  addressOf,
  type Door,
  HTTP_DOORS,
  passBy,
  placesOf,
  SESSION,
  SOCKET_2025,
  SOCKET_2026,
  STATELESS,
} from "../support/doors.ts";
import { until } from "../support/processes.ts";
import { untilAllIsOffered, WaitingHub } from "../support/waiting-hub.ts";
import { WAITING_SOURCES, type WaitingHttpServer, type WaitingSource } from "../support/waiting-sources.ts";
import { assertUnknownOutcome, Witness } from "../support/witness.ts";

const CHANGE_MS = 300;
const ASKABLE: readonly Door[] = [SESSION, STATELESS, SOCKET_2026, SOCKET_2025];
const ERAS: readonly Era[] = ["2025", "2026"];

/** Each source has its own story; that of one is none of the others'. */
describe("a source that dies in the middle of things", { concurrency: true }, () => {
  let hub: WaitingHub;
  const ownHubs: OwnHub[] = [];
  const atStdio: McpClient[] = [];

  before(async () => {
    hub = await WaitingHub.start({ callSeconds: 100, callMaxSeconds: 100, graceSeconds: 1 });
    atStdio.push(...(await Promise.all(ERAS.map(startOwnHub))));
  });

  after(async () => {
    for (const client of atStdio) client.leave();
    for (const own of ownHubs) own.kill();
    await hub.stop();
  });

  for (const source of WAITING_SOURCES) {
    describe(source.name, { concurrency: false }, () => {
      if (source.overHttp) liesElsewhere(source);
      else isOurChild(source);

      it("leaves a subscription open, which is not its client's doing", async () => {
        const place = { source, isAlone: true };
        const client = await SOCKET_2025.open(addressOf(hub.url, place));
        await passBy(client, place);
        for (const pid of hub.ledger.processesOf(source)) process.kill(pid, "SIGSTOP");
        const subscribing = client.request("resources/subscribe", { uri: `${source.name}://left-open` });
        // On a socket one thing follows the other.
        await answerTo(client.request("ping", {}));
        await kill(source);
        assertFateOfSource(await answerTo(subscribing));
        if (source.overHttp) await hub.servers.get(source.name)?.start();
        await new Witness(SOCKET_2025.name, client, place, hub.ledger).assertWorks();
        client.leave();
      });

      it("leaves a question open, and nobody hangs on it", async () => {
        for (const [index, door] of ASKABLE.entries()) {
          const place = { source, isAlone: index % 2 === 0 };
          const client = await door.open(addressOf(hub.url, place));
          const asker = new Asker(client, place);
          // A source that others use at the same time may ask nobody.
          await passBy(client, place);
          const asked = await asker.ask(`left open ${source.name} ${index}`);
          await replace(source, asked.nonce);
          if (source.era === "2025") await assertOver(asker, asked);
          else await assertStillThere(asker, asked);
          const again = await asker.ask(`asked anew ${source.name} ${index}`);
          assertAnswered(await asker.answer(again), again.nonce);
          client.leave();
        }
      });
    });
  }

  function isOurChild(source: WaitingSource): void {
    it("is started again after it was killed, and goes on", async () => {
      const witnesses = await gather(source);
      await kill(source);
      for (const each of witnesses) await each.assertUnknown();
      await assertGoesOn(source, witnesses);
    });
  }

  function liesElsewhere(source: WaitingSource): void {
    const server = (): WaitingHttpServer => hub.servers.get(source.name) as WaitingHttpServer;

    it("is found again when somebody starts it after it was killed, and goes on", async () => {
      const witnesses = await gather(source);
      await kill(source);
      for (const each of witnesses) await each.assertUnknown();
      await server().start();
      await assertGoesOn(source, witnesses);
    });

    it("is reached again after its connections were cut, and goes on", async () => {
      const witnesses = await gather(source);
      server().cut();
      for (const each of witnesses) await each.assertUnknown();
      await assertGoesOn(source, witnesses);
    });
  }

  async function startOwnHub(era: Era): Promise<McpClient> {
    const data = join(hub.process.folder, `data-${era}`);
    const own = new OwnHub("--config", hub.process.configFile, "--data", data);
    ownHubs.push(own);
    const client = await TwoWayClient.open(era, own.carrier);
    await untilAllIsOffered(client);
    return client;
  }

  /** One that lies elsewhere stays dead until somebody starts it. */
  async function kill(source: WaitingSource): Promise<void> {
    if (source.overHttp) await hub.servers.get(source.name)?.kill();
    else for (const pid of hub.ledger.processesOf(source)) process.kill(pid, "SIGKILL");
  }

  /** Kills the process that works on this call, and waits for the next. */
  async function replace(source: WaitingSource, nonce: string): Promise<void> {
    const { name, overHttp } = source;
    const [began] = hub.ledger.all("began", nonce);
    assert.ok(began, nonce);
    const starts = hub.ledger.all("started", name).length;
    if (overHttp) await hub.servers.get(name)?.kill();
    else process.kill(began.pid, "SIGKILL");
    if (overHttp) await hub.servers.get(name)?.start();
    await until("another has taken its place", () => hub.ledger.all("started", name).length > starts);
    await hub.untilReady(source);
  }

  /** The call is lost with its source; a client that comes again, or answers late, is told so. */
  async function assertOver(asker: Asker, asked: Asked): Promise<void> {
    assertUnknownOutcome(asker.client, await asker.answer(asked), asked.nonce);
    if (asker.client.era === "2026") {
      const { error } = await asker.answer(asked);
      assert.equal(error?.code, -32602, JSON.stringify(error));
    }
    assert.equal(answersTo(asked.sent).length, 1);
    assert.equal(hub.ledger.all("began", asked.nonce).length, 1, "the call was repeated");
  }

  /** Such a source keeps nothing of a question, so that its next life can go on, if the client is the one to come again. */
  async function assertStillThere(asker: Asker, asked: Asked): Promise<void> {
    const answer = await asker.answer(asked);
    const isUnknown = asker.client.era === "2025" && answer.error?.data?.["delivery"] === "unknown";
    if (!isUnknown) assertAnswered(answer, asked.nonce);
    assert.equal(answersTo(asked.sent).length, 1);
  }

  /** Clients of all kinds, each with calls under way and listening. */
  async function gather(source: WaitingSource): Promise<Witness[]> {
    const places = placesOf(source);
    const opened = HTTP_DOORS.flatMap((door) =>
      places.map(
        async (place) => new Witness(door.name, await door.open(addressOf(hub.url, place)), place, hub.ledger),
      ),
    );
    const own = atStdio.map((client) => new Witness("stdio", client, { source, isAlone: false }, hub.ledger));
    const witnesses = [...(await Promise.all(opened)), ...own];
    await Promise.all(witnesses.map((each) => each.begin()));
    return witnesses;
  }

  /** Nobody but the hub does anything for it. */
  async function assertGoesOn(source: WaitingSource, witnesses: readonly Witness[]): Promise<void> {
    await assertHears(source, witnesses);
    for (const each of witnesses) await each.assertWorks();
    for (const each of witnesses) each.assertOnce();
    await dismiss(witnesses.filter(({ client }) => !atStdio.includes(client)));
  }

  /** Resolves when the source has nothing more to do for any of them. */
  async function dismiss(witnesses: readonly Witness[]): Promise<void> {
    for (const { client } of witnesses) {
      if (client instanceof SessionClient) client.endSession();
      else client.leave();
    }
    // A client with a session that can be asked had a connection of its own, which ends with it.
    const isDone = ({ uri, client }: Witness): boolean =>
      !uri || client.era === "2025" || hub.ledger.all("unsubscribed", uri).length > 0;
    await until("nobody listens any more", () => witnesses.every(isDone));
  }

  /** A change that comes before the hub listens again is lost, as it would be without a hub; so there are several. */
  async function assertHears(source: WaitingSource, witnesses: readonly Witness[]): Promise<void> {
    const ears = witnesses.filter(({ uri }) => uri !== undefined).map((each) => ({ each, before: each.news() }));
    const deaf = (): string[] => {
      const unheard = ears.filter(({ each, before }) => {
        const { updates, lists } = each.news();
        return updates === before.updates || lists === before.lists;
      });
      return unheard.map(({ each }) => each.name);
    };
    const timer = setInterval(() => {
      for (const pid of hub.ledger.processesOf(source)) process.kill(pid, "SIGUSR1");
    }, CHANGE_MS);
    try {
      await until("everybody hears of changes", () => deaf().length === 0);
    } catch {
      assert.deepEqual(deaf(), [], "they hear nothing any more");
    } finally {
      clearInterval(timer);
    }
  }
});

/** What was written may have been read; the rest of it says itself that it was not. */
function assertFateOfSource({ error }: Message): void {
  const fates = ["OUTCOME_UNKNOWN unknown", "SOURCE_UNAVAILABLE not_sent"];
  const told = `${error?.data?.["code"]} ${error?.data?.["delivery"]}`;
  assert.ok(fates.includes(told), JSON.stringify(error));
}

function assertAnswered({ result, error }: Message, nonce: string): void {
  const text = JSON.stringify(ACCEPTED);
  assert.deepEqual(result?.["content"], [{ type: "text", text }], `${nonce}: ${JSON.stringify(error)}`);
}
