/** Reaches an MCP server over Streamable HTTP, in whichever era it turns out to be. */

import type { ZaguanError } from "../../errors.ts";
import type { CancelSignal } from "../../light-abort.ts";
import { type Ending, unfit } from "../../link/ending.ts";
import { openRedacted } from "../../link/redacted-link.ts";
import {
  type HttpLink,
  type HttpLinkHandlers,
  openStreamableHttp,
  type Stateless,
} from "../../link/streamable-http.ts";
import { sentId } from "../../protocol/json-rpc/message.ts";
import type { Headers } from "../../protocol/json-rpc/peer.ts";
import { secretsIn } from "../../security/entry-secrets.ts";
import { Conversation, connectionOf } from "../mcp-client/conversation.ts";
import { Greeting } from "../mcp-client/greeting.ts";
import { HandshakeClient } from "../mcp-client/handshake-client.ts";
import { soon } from "../mcp-client/until.ts";
import type { ConnectContext, Connection } from "../source.ts";
import { leadsOn } from "./attempts.ts";
import type { RemoteOptions, Trip } from "./options.ts";
import { Renewal } from "./renewal.ts";

const MODERN = "Streamable HTTP 2026-07-28";
export const HANDSHAKE = "Streamable HTTP 2025";

const IDLE_MS = 300_000;

export async function connectStreamableHttp(trip: Trip): Promise<Connection> {
  const { options, context, attempts, signal } = trip;
  let renewal: Renewal | undefined;
  const { conversation, link } = await openConversation(options, context, () => renewal?.lost());
  const broken = Promise.withResolvers<Ending>();
  let refused: ZaguanError | undefined;
  const greeting = new Greeting(conversation, {
    memory: options.era,
    overHttp: true,
    revision: options.revision,
    leadsOn,
    onRefused: (error) => {
      refused = error;
      attempts.failed(MODERN, error);
    },
    handshake: async (client, greetSignal) => link.setVersion(await client.initialize(greetSignal)),
    onUnfit: (reason) => broken.resolve(unfit(reason)),
  });
  try {
    const client = await greeting.greet(signal);
    attempts.succeeded(client instanceof HandshakeClient ? HANDSHAKE : MODERN);
    const closed = Promise.race([link.closed, broken.promise]);
    const connection = connectionOf(client, { closed, close: () => link.close() });
    if (!(client instanceof HandshakeClient)) {
      await client.begin();
      return connection;
    }
    renewal = sessionRenewal(client, link, context, (reason) => broken.resolve(unfit(reason)));
    await client.begin();
    const listening = link.listen();
    // What the server asks before there is a stream to ask on would be lost, and the call in which it asks with it.
    if (context.client?.isLent) await soon(listening, context.clock);
    return withRenewal(connection, client, link, renewal);
  } catch (error) {
    if (error !== refused && !signal.aborted) attempts.failed(HANDSHAKE, error);
    await link.close();
    throw error;
  }
}

/** The peer over a link of its own; nothing is sent yet. */
export async function openConversation(
  options: RemoteOptions,
  context: ConnectContext,
  onSessionLost?: () => void,
): Promise<{ readonly conversation: Conversation; readonly link: HttpLink }> {
  const conversation = new Conversation(context, (message, signal, headers) => {
    return link.send(message, signal, headers && stateless(headers));
  });
  conversation.revision = options.revision;
  const { peer } = conversation;
  const handlers: HttpLinkHandlers = {
    onMessage: (message, sent) => peer.receive(message, requestIdOf(sent)),
    onAnswerEnded: (sent, error) => peer.answerEnded(sent, error),
    isPending: (sent) => peer.isPending(sent),
    onNoise: (line) => conversation.onNoise(line),
    onTooLarge: (message) => peer.passOver(message),
    onSessionLost: () => onSessionLost?.(),
  };
  const link = await openRedacted(secretsIn(options), handlers, (clean) =>
    openStreamableHttp({ ...options, name: context.name, idleMs: IDLE_MS }, clean),
  );
  void link.closed.then(({ reason }) => end(conversation, link, reason));
  return { conversation, link };
}

/** The link tells every request its own fate; only then is there nothing left to say but that it is over. */
async function end(conversation: Conversation, link: HttpLink, reason: string): Promise<void> {
  conversation.client?.end();
  await link.close();
  conversation.peer.end(reason);
}

/** Opens the session anew, and listens and subscribes in it, when the server has forgotten it. */
function sessionRenewal(
  client: HandshakeClient,
  link: HttpLink,
  context: ConnectContext,
  onHopeless: (reason: string) => void,
): Renewal {
  const greet = async (signal: CancelSignal): Promise<void> => {
    link.setVersion(await client.initialize(signal));
    await client.begin();
    void link.listen();
  };
  const renewal = new Renewal({ context, greet, onHopeless });
  void link.closed.then(({ reason }) => renewal.end(reason));
  return renewal;
}

function withRenewal(connection: Connection, client: HandshakeClient, link: HttpLink, renewal: Renewal): Connection {
  return Object.assign(connection, {
    listTools: (signal) => renewal.run(() => client.listTools(signal), signal),
    request: (request) => renewal.run(() => client.request(request), request.signal),
    close: () => {
      renewal.end("closed");
      return link.close();
    },
  } satisfies Partial<Connection>);
}

function stateless(headers: Headers): Stateless {
  return { headers, isEndless: headers["mcp-method"] === "subscriptions/listen" };
}

/** Only what comes in answer to a request is that request's. */
function requestIdOf(sent: string | undefined): number | undefined {
  const id = sent === undefined ? Number.NaN : sentId(sent);
  return Number.isNaN(id) ? undefined : id;
}
