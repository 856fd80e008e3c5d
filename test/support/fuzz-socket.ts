/** One spoilt message as a frame, a probe behind it, and the judgement of what comes back. */
import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { keyOf, readRpc } from "./readings.ts";
import { openSocket, type SocketClient, type Spoken } from "./socket-client.ts";

const FRAME_LIMIT_BYTES = 1_048_576;
const MAY_CLOSE = [1007, 1009];

/** Keeps as many sockets as are in use at once; one that was closed is replaced. */
export class SocketFuzz {
  readonly #url: string;
  readonly #free: SocketClient[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  async send(frame: Buffer): Promise<void> {
    const client = this.#free.pop() ?? (await openSocket(this.#url));
    client.socket.send(frame, { binary: false });
    if (!isUtf8(frame) || frame.length > FRAME_LIMIT_BYTES) {
      assert.ok(MAY_CLOSE.includes(await client.closed), told(frame));
    } else {
      await judge(client, frame);
      // What may be answered may be answered late, and must not be taken for the next frame's answer.
      const [least, most] = readRpc(frame).all;
      if (least === most) this.#free.push(client);
      else client.socket.terminate();
    }
  }

  close(): void {
    for (const { socket } of this.#free) socket.terminate();
  }
}

async function judge(client: SocketClient, frame: Buffer): Promise<void> {
  const { key, all } = readRpc(frame);
  const mayAnswer = (said: Spoken | readonly Spoken[]): boolean =>
    Array.isArray(said) ? mayAnswerBatch(frame, said) : isUnder((said as Spoken).id, [key]);
  if (all[0] > 0) {
    const answer = await nextAnswer(client);
    assert.ok(mayAnswer(answer), `${told(frame)} was answered ${JSON.stringify(answer).slice(0, 300)}`);
  }
  const probe = `probe ${randomUUID()}`;
  client.send({ jsonrpc: "2.0", id: probe, method: "ping" });
  let more = all[1] - all[0];
  for (let answer = await nextAnswer(client); answer.id !== probe; answer = await nextAnswer(client)) {
    assert.ok(more-- > 0 && mayAnswer(answer), `${told(frame)} was answered ${JSON.stringify(answer).slice(0, 300)}`);
  }
}

/** Each under the id of one of its messages. */
function mayAnswerBatch(frame: Buffer, answers: readonly Spoken[]): boolean {
  const elements = JSON.parse(String(frame)) as unknown;
  if (!Array.isArray(elements) || answers.length > elements.length) return false;
  const keys = elements.map((element) => readRpc(Buffer.from(JSON.stringify(element))).key);
  return answers.every(({ id }) => isUnder(id, keys));
}

function isUnder(id: unknown, keys: readonly (string | undefined)[]): boolean {
  return id === null || keys.includes(keyOf(id));
}

async function nextAnswer(client: SocketClient): Promise<Spoken> {
  for (;;) {
    const spoken = JSON.parse(await client.next()) as Spoken;
    if (!JSON.stringify(spoken).includes('"code":"INTERNAL"') && spoken.method === undefined) return spoken;
    assert.ok(spoken.method, JSON.stringify(spoken));
  }
}

function told(frame: Buffer): string {
  return String(frame.subarray(0, 500));
}
