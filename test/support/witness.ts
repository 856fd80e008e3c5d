/** A client at one door that has calls under way and listens for changes, and can tell what it lived through. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { answersTo, answerTo, type McpClient, type Message, type Sent } from "./clients/client.ts";
import { PostingClient } from "./clients/posting-client.ts";
import { SessionClient } from "./clients/session-client.ts";
import { type Place, toolAt } from "./doors.ts";
import { until } from "./processes.ts";
import type { WaitingLedger } from "./waiting-sources.ts";

const UNKNOWN_OUTCOME = { "2025": -32004, "2026": 1502 };
const ATTEMPTS = 12;
let made = 0;

export class Witness {
  /** Which door, and which place. */
  readonly name: string;
  readonly client: McpClient;
  readonly #place: Place;
  readonly #ledger: WaitingLedger;
  readonly #calls: { readonly nonce: string; readonly sent: Sent }[] = [];
  /** The resource that it wants to hear of; undefined for clients that cannot be told anything. */
  uri: string | undefined;
  /** Where changes are told, in the era that has a request for it. */
  #listening: Sent | undefined;

  constructor(door: string, client: McpClient, place: Place, ledger: WaitingLedger) {
    this.name = `${door}, ${place.source.name}${place.isAlone ? " alone" : ""}`;
    this.client = client;
    this.#place = place;
    this.#ledger = ledger;
  }

  /** Resolves when a call, and one that tells of its progress, are under way, and the source will tell of changes. */
  async begin(): Promise<void> {
    await this.#listen();
    for (const wantsProgress of [false, true]) {
      const nonce = `witness-${++made}`;
      this.#calls.push({ nonce, sent: this.#call("wait", nonce, wantsProgress) });
    }
    await until(`calls are under way (${this.name})`, () => this.processes().length === this.#calls.length);
    await until(`there is progress (${this.name})`, () => this.#calls.at(-1)?.sent.heard.length !== 0);
  }

  /** Of every time that one of its calls ran. */
  processes(): readonly number[] {
    return this.#calls.flatMap(({ nonce }) => this.#ledger.all("began", nonce).map(({ pid }) => pid));
  }

  /** What the client is to be told of calls that may have run. */
  async assertUnknown(): Promise<void> {
    for (const { sent } of this.#calls) assertUnknownOutcome(this.client, await answerTo(sent), this.name);
  }

  /** Late, when whatever was to come has come. */
  assertOnce(): void {
    for (const { nonce, sent } of this.#calls) {
      assert.equal(answersTo(sent).length, 1, `${this.name} was answered ${JSON.stringify(answersTo(sent))}`);
      assert.equal(this.#ledger.all("began", nonce).length, 1, `a call was repeated (${this.name})`);
    }
  }

  async assertWorks(): Promise<void> {
    const nonce = `again-${++made}`;
    const { result, error } = await answerInTime(() => this.#call("echo", nonce));
    assert.deepEqual(result?.["content"], [{ type: "text", text: nonce }], `${this.name}: ${JSON.stringify(error)}`);
    assert.equal(this.#ledger.all("began", nonce).length, 1);
  }

  /** How often it was told of its resource, and of the list of tools. */
  news(): { readonly updates: number; readonly lists: number } {
    const told = this.#listening?.heard ?? this.client.unasked;
    const isUpdate = ({ method, params }: Message): boolean =>
      method === "notifications/resources/updated" && params?.["uri"] === this.uri;
    return {
      updates: told.filter(isUpdate).length,
      lists: told.filter(({ method }) => method === "notifications/tools/list_changed").length,
    };
  }

  #call(tool: string, nonce: string, wantsProgress = false): Sent {
    const params = { name: toolAt(this.#place, tool), arguments: { nonce } };
    return this.client.request("tools/call", params, { wantsProgress });
  }

  async #listen(): Promise<void> {
    const { client } = this;
    if (client instanceof PostingClient && client.era === "2025") return;
    this.uri = `${this.#place.source.name}://${++made}`;
    if (client.era === "2026") await this.#listenByRequest(this.uri);
    else await this.#subscribe(this.uri);
  }

  async #listenByRequest(uri: string): Promise<void> {
    const notifications = { toolsListChanged: true, resourceSubscriptions: [uri] };
    const listening = this.client.request("subscriptions/listen", { notifications });
    this.#listening = listening;
    await until(`it is acknowledged (${this.name})`, () => listening.heard.length > 0);
    assert.deepEqual(listening.heard[0]?.params?.["notifications"], notifications, this.name);
  }

  async #subscribe(uri: string): Promise<void> {
    if (this.client instanceof SessionClient) await this.client.listen();
    const { error } = await answerInTime(() => this.client.request("resources/subscribe", { uri }));
    assert.equal(error, undefined, `${this.name}: ${JSON.stringify(error)}`);
  }
}

/** A hub that has just found the source dead spares it for some seconds: whoever is told when to come again does so. */
async function answerInTime(ask: () => Sent): Promise<Message> {
  for (let attempt = 1; ; attempt++) {
    const answer = await answerTo(ask());
    const { delivery, retryAfterMs } = answer.error?.data ?? {};
    if (delivery !== "not_sent" || typeof retryAfterMs !== "number" || attempt === ATTEMPTS) return answer;
    await sleep(retryAfterMs);
  }
}

export function assertUnknownOutcome({ era }: McpClient, answer: Message, whose: string): void {
  const { error } = answer;
  const told = [error?.code, error?.data?.["code"], error?.data?.["delivery"]];
  assert.deepEqual(told, [UNKNOWN_OUTCOME[era], "OUTCOME_UNKNOWN", "unknown"], `${whose}: ${JSON.stringify(answer)}`);
}
