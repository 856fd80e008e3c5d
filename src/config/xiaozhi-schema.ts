/**
 * The voice clouds and servers of the xiaozhi family that we dial, as `zaguan.json` has them, and their conversion. Their
 * URLs hold tokens, which no message repeats.
 */
import { z } from "zod";
import { type Of, webAddress } from "../contract/fields.ts";
import { LANGUAGES } from "../messages/catalogue.ts";
import { formatPath, type Problem } from "./config-error.ts";
import type { XiaozhiConfig, XiaozhiEndpointConfig } from "./types.ts";

const NO_SOCKET_URL = 'expected a URL that begins with ws:// or wss://, without a password and without "#"';

const endpoint = z
  .strictObject({
    url: z
      .string()
      .refine(isSocketUrl, { error: NO_SOCKET_URL })
      .describe("What is dialled: the endpoint as its console shows it, or the WebSocket of a server of one's own."),
    name: z
      .string()
      .regex(/^[^\p{C}]{1,64}$/u, { error: "expected 1 to 64 characters on one line" })
      .optional()
      .describe("What it is called in the status and in the log; by default the URL's host."),
    as: z
      .enum(["endpoint", "device"])
      .default("endpoint")
      .describe(
        '"endpoint" for plain JSON-RPC, as voice clouds want it; "device" for a server that waits for devices.',
      ),
    agent: z
      .string()
      .min(1)
      .optional()
      .describe("Only the tools that this agent is linked to; by default all of them."),
    language: z
      .enum(LANGUAGES)
      .default("zh")
      .describe("The language of what is told there: descriptions, results, failures."),
    deviceId: word("a device's id").describe('What it calls itself as a "device"; by default an address made once.'),
    clientId: word("a client's id").describe('The other id of a "device"; by default a UUID made once.'),
    token: word("a token").describe("Sent as Authorization: Bearer, beside what is in the URL."),
    disabled: z.boolean().default(false).describe("Leave this endpoint out."),
    allowPrivate: z.boolean().default(true).describe("The URL may lead to a private or loopback address."),
  })
  .check(({ value, issues }) => {
    if (issues.length > 0 || value.as === "device") return;
    const given = (["deviceId", "clientId"] as const).filter((key) => value[key] !== undefined);
    for (const key of given) issues.push({ code: "custom", input: value, path: [key], message: FOR_DEVICES });
  });

const FOR_DEVICES = 'is for "as": "device" alone';

export const xiaozhiSchema = z.strictObject({
  endpoints: z.array(endpoint).default([]).describe("What is dialled, in any number."),
  vision: z
    .strictObject({
      url: webAddress("token").describe("Where a picture and a question about it are sent."),
      token: word("a token").describe("Sent there as Authorization: Bearer."),
    })
    .optional()
    .describe("Who looks at the pictures of this machine's camera and screen."),
});

/** An endpoint as written, checked and with its defaults. */
export type EndpointEntry = Of<typeof endpoint>;
type XiaozhiEntry = Of<typeof xiaozhiSchema>;

/** Two connections with one token, or of one device, would each end the other. */
export function endpointClashes({ endpoints }: XiaozhiEntry): readonly Problem[] {
  const problem = (place: number, key: string, text: string): Problem => ({
    path: formatPath(["xiaozhi", "endpoints", place, key]),
    text,
  });
  return endpoints.flatMap((entry, place) => {
    const before = endpoints.slice(0, place);
    const hasName = entry.name !== undefined && before.some(({ name }) => name === entry.name);
    const isThere = !entry.disabled && before.some((other) => !other.disabled && placeOf(other) === placeOf(entry));
    return [
      ...(hasName ? [problem(place, "name", "another endpoint has this name")] : []),
      ...(isThere ? [problem(place, "url", isThereAlready(entry))] : []),
    ];
  });
}

export function toXiaozhi({ endpoints, vision }: XiaozhiEntry): XiaozhiConfig {
  const taken = new Set(endpoints.flatMap(({ name }) => name ?? []));
  return {
    endpoints: endpoints.map((entry) => toEndpoint(entry, taken)),
    ...(vision && { vision: { token: "", ...vision } }),
  };
}

function toEndpoint(entry: EndpointEntry, taken: Set<string>): XiaozhiEndpointConfig {
  const name = entry.name ?? freeName(new URL(entry.url).host, taken);
  taken.add(name);
  return { ...entry, name };
}

function freeName(host: string, taken: ReadonlySet<string>): string {
  let name = host;
  for (let number = 2; taken.has(name); number++) name = `${host}-${number}`;
  return name;
}

/** Whom the far end takes us for: the holder of the token in the URL, or a device. */
function placeOf({ as, url, deviceId = "" }: EndpointEntry): string {
  const { origin, pathname, href } = new URL(url);
  return as === "device" ? `${origin}${pathname} ${deviceId}` : href;
}

function isThereAlready({ as }: EndpointEntry): string {
  if (as === "endpoint") return "another endpoint has this URL, and each would end the other's connection";
  return 'another device dials the same server; give each a "deviceId" of its own';
}

function word(what: string): z.ZodOptional<z.ZodString> {
  const error = `expected ${what}, which is one word`;
  return z
    .string()
    .regex(/^[\x21-\x7e]{1,4096}$/, { error })
    .optional();
}

function isSocketUrl(text: string): boolean {
  const url = /^wss?:\/\//i.test(text) ? URL.parse(text) : null;
  return url !== null && [url.username, url.password, url.hash].every((part) => part === "");
}
