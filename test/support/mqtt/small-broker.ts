/**
 * A broker of MQTT 5 in this process, for tests that must run where mosquitto is not installed: subscriptions, retained
 * messages, acknowledgements, and what a real one would never do when told so. The real one is in mosquitto.ts.
 */
import { type AddressInfo, createServer, type Socket } from "node:net";
import { matchesAny } from "../../../src/sources/mqtt/topics.ts";

const [CONNECT, PUBLISH, PUBREL, SUBSCRIBE, UNSUBSCRIBE, PINGREQ, DISCONNECT] = [1, 3, 6, 8, 10, 12, 14];

interface Client {
  readonly socket: Socket;
  readonly filters: Set<string>;
  rest: Buffer;
}

export interface SmallBroker {
  readonly port: number;
  /** All that was published, in order. */
  readonly published: { readonly topic: string; readonly text: string }[];
  /** Every filter that somebody subscribed to, in order. */
  readonly subscribed: readonly string[];
  /** Every subscription that there is now. */
  filters(): readonly string[];
  publish(topic: string, payload: object | string | Buffer, retain?: boolean): void;
  stop(): Promise<void>;
}

export async function startSmallBroker(): Promise<SmallBroker> {
  const clients = new Set<Client>();
  const retained = new Map<string, Buffer>();
  const published: SmallBroker["published"] = [];
  const subscribed: string[] = [];

  const publish = (topic: string, payload: object | string | Buffer, retain = false): void => {
    const bytes = Buffer.isBuffer(payload)
      ? payload
      : Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload));
    if (retain && bytes.length > 0) retained.set(topic, bytes);
    else if (retain) retained.delete(topic);
    for (const { socket, filters } of clients)
      if (matchesAny([...filters], topic)) socket.write(message(topic, bytes, false));
  };

  const answer = (client: Client, type: number, flags: number, body: Buffer): void => {
    const { socket, filters } = client;
    if (type === CONNECT) socket.write(packet(0x20, Buffer.from([0, 0, 0])));
    else if (type === PINGREQ) socket.write(packet(0xd0, Buffer.alloc(0)));
    else if (type === DISCONNECT) socket.end();
    else if (type === PUBREL) socket.write(packet(0x70, body.subarray(0, 2)));
    else if (type === SUBSCRIBE || type === UNSUBSCRIBE) {
      const named = [...filtersIn(body.subarray(3), type === SUBSCRIBE ? 1 : 0)];
      if (type === SUBSCRIBE) subscribed.push(...named);
      for (const filter of named) type === SUBSCRIBE ? filters.add(filter) : filters.delete(filter);
      const kind = type === SUBSCRIBE ? 0x90 : 0xb0;
      socket.write(packet(kind, Buffer.concat([body.subarray(0, 2), Buffer.alloc(1 + named.length)])));
      if (type === UNSUBSCRIBE) return;
      for (const [topic, bytes] of retained) if (matchesAny(named, topic)) socket.write(message(topic, bytes, true));
    } else if (type === PUBLISH) {
      const topic = body.subarray(2, 2 + body.readUInt16BE(0)).toString();
      const at = 2 + body.readUInt16BE(0);
      const qos = (flags >> 1) & 3;
      const payload = body.subarray(at + (qos > 0 ? 3 : 1));
      published.push({ topic, text: payload.toString() });
      if (qos > 0) socket.write(packet(qos === 1 ? 0x40 : 0x50, body.subarray(at, at + 2)));
      publish(topic, Buffer.from(payload), (flags & 1) === 1);
    }
  };

  const server = createServer((socket) => {
    const client: Client = { socket: socket.setNoDelay(true), filters: new Set(), rest: Buffer.alloc(0) };
    clients.add(client);
    socket.on("error", () => {});
    socket.on("close", () => clients.delete(client));
    socket.on("data", (chunk) => {
      client.rest = Buffer.concat([client.rest, chunk]);
      for (let found = first(client.rest); found; found = first(client.rest)) {
        client.rest = client.rest.subarray(found.end);
        answer(client, found.head >> 4, found.head & 15, found.body);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    published,
    subscribed,
    publish,
    filters: () => [...clients].flatMap(({ filters }) => [...filters]),
    stop: async () => {
      for (const { socket } of clients) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function first(bytes: Buffer): { head: number; body: Buffer; end: number } | undefined {
  let [length, at] = [0, 1];
  for (; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    length += (byte & 127) * 128 ** (at - 1);
    if (byte < 128) break;
  }
  const end = at + 1 + length;
  return at >= bytes.length || end > bytes.length
    ? undefined
    : { head: bytes[0] ?? 0, body: bytes.subarray(at + 1, end), end };
}

/** Each has its length before it; those of subscriptions have their options behind. */
function* filtersIn(bytes: Buffer, behind: number): Generator<string> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + 2 + bytes.readUInt16BE(at);
    yield bytes.subarray(at + 2, end).toString();
    at = end + behind;
  }
}

/** Of QoS 0 and without properties. */
export function message(topic: string, payload: Buffer, isRetained: boolean): Buffer {
  const name = Buffer.from(topic);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(name.length);
  return packet(isRetained ? 0x31 : 0x30, Buffer.concat([length, name, Buffer.alloc(1), payload]));
}

function packet(head: number, body: Buffer): Buffer {
  const header = [head];
  for (let left = body.length; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.concat([Buffer.from([...header, left]), body]);
    header.push((left % 128) | 128);
  }
}
