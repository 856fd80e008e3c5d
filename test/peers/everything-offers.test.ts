/**
 * The resources and prompts of server-everything, over each of its transports, at its own address and in the whole
 * catalogue: lists, contents, completions, subscriptions and changes are what they are without us.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { until } from "../support/processes.ts";
import { CAN_BE_ASKED } from "./support/answers.ts";
import { forEverything, ONE_SERVER, timeless } from "./support/everything-settings.ts";
import type { PeerClient, PeerResource, RawClient } from "./support/official-clients.ts";

const DOCUMENT = "demo://resource/static/document/features.md";
const WATCHED = "demo://resource/dynamic/text/1";
const ALSO_WATCHED = "demo://resource/dynamic/blob/2";
const TOGGLE_UPDATES = "toggle-subscriber-updates";
const TEMPLATE = { type: "ref/resource", uri: "demo://resource/dynamic/text/{resourceId}" };
const PROMPT = { type: "ref/prompt", name: "completable-prompt" };

const RESOURCES_CHANGED = "notifications/resources/list_changed";

/** What a client declares must make no difference to what it hears. */
const KINDS = [
  ["a client that cannot be asked", {}],
  ["a client that can be asked", CAN_BE_ASKED],
] as const;

type Ask = (raw: RawClient) => Promise<unknown>;

const LISTS: Readonly<Record<string, Ask>> = {
  "resources/list": (raw) => raw.listResources(),
  "resources/templates/list": (raw) => raw.listResourceTemplates(),
  "prompts/list": (raw) => raw.listPrompts(),
};

const ASKED: Readonly<Record<string, Ask>> = {
  "a document": (raw) => raw.readResource({ uri: DOCUMENT }),
  "a text made from a template": (raw) => raw.readResource({ uri: WATCHED }),
  "a blob made from a template": (raw) => raw.readResource({ uri: ALSO_WATCHED }),
  "a prompt": (raw) => raw.getPrompt({ name: "simple-prompt" }),
  "a prompt with arguments": (raw) =>
    raw.getPrompt({ name: "args-prompt", arguments: { city: "Cádiz", state: "Andalucía" } }),
  "a prompt with a resource in it": (raw) =>
    raw.getPrompt({ name: "resource-prompt", arguments: { resourceType: "Text", resourceId: "7" } }),
  "the completion of a prompt's argument": (raw) =>
    raw.complete({ ref: PROMPT, argument: { name: "department", value: "S" } }),
  "a completion that depends on another argument": (raw) =>
    raw.complete({
      ref: PROMPT,
      argument: { name: "name", value: "" },
      context: { arguments: { department: "Engineering" } },
    }),
  "the completion of a template's variable": (raw) =>
    raw.complete({ ref: TEMPLATE, argument: { name: "resourceId", value: "12" } }),
};

const REFUSED: Readonly<Record<string, Ask>> = {
  "a resource that there is not": (raw) => raw.readResource({ uri: "demo://nowhere" }),
  "a prompt that there is not": (raw) => raw.getPrompt({ name: "no-such-prompt" }),
  "a prompt without what it needs": (raw) => raw.getPrompt({ name: "args-prompt", arguments: {} }),
};

forEverything((setting, place) => {
  for (const [name, ask] of Object.entries(LISTS)) {
    test(`${name} is the server's own`, async () => {
      const { through, direct } = setting();
      const expected = await direct.wire(ask);
      if (place !== ONE_SERVER) await whenAllJoined(through);
      assert.deepEqual(withoutMade(await through.wire(ask)), expected);
    });
  }

  for (const [name, ask] of Object.entries(ASKED)) {
    test(`${name} arrives unchanged`, async () => {
      const { through, direct } = setting();
      assert.deepEqual(timeless(await through.wire(ask)), timeless(await direct.wire(ask)));
    });
  }

  for (const [name, ask] of Object.entries(REFUSED)) {
    test(`${name} is refused as the server refuses it`, async () => {
      const { through, direct } = setting();
      const [ours, its] = [await refusal(through, ask), await refusal(direct, ask)];
      if (place === ONE_SERVER) assert.deepEqual(ours, its);
      else assert.equal(ours.code, its.code);
    });
  }

  for (const [kind, options] of KINDS) {
    test(`who subscribed to a resource hears of it until the subscription ends, and nobody else does: ${kind}`, async () => {
      const { another } = setting();
      const [client, bystander] = [await another(options), await another(options)];
      const both = [WATCHED, ALSO_WATCHED];
      for (const uri of both) await client.raw.subscribeResource({ uri });
      await client.call(TOGGLE_UPDATES);
      await until("both were told of", () => both.every((uri) => client.updatesOf(uri) > 0));
      await client.raw.unsubscribeResource({ uri: WATCHED });
      await client.call(TOGGLE_UPDATES);
      const [watched, alsoWatched] = both.map((uri) => client.updatesOf(uri));
      await client.call(TOGGLE_UPDATES);
      // The server goes through them in the order of subscription: had it told of the first, it would be here by now.
      await until("the other is told of again", () => client.updatesOf(ALSO_WATCHED) > (alsoWatched ?? 0));
      assert.equal(client.updatesOf(WATCHED), watched);
      assert.deepEqual(
        both.map((uri) => bystander.updatesOf(uri)),
        [0, 0],
      );
      await client.call(TOGGLE_UPDATES);
      await client.raw.unsubscribeResource({ uri: ALSO_WATCHED });
      await Promise.all([client.close(), bystander.close()]);
    });

    test(`a resource that a tool made is announced, listed and read: ${kind}`, async () => {
      const client = await setting().another(options);
      const name = `${place.length}-${kind.length}.gz`;
      const data = `data:text/plain,${encodeURIComponent("¡Hola, zaguán!")}`;
      const { content } = await client.call("gzip-file-as-resource", { name, data });
      const { uri } = content[0] as unknown as PeerResource;
      await until("it is announced", () => client.heard.some(({ method }) => method === RESOURCES_CHANGED));
      await listedWith(client, uri);
      const { contents } = await client.raw.readResource({ uri });
      assert.equal(gunzipSync(Buffer.from(contents[0]?.blob ?? "", "base64")).toString(), "¡Hola, zaguán!");
      await client.close();
    });
  }
});

/** A list without the resources that tools have made, which stay for all who come after them. */
function withoutMade(list: unknown): unknown {
  const { resources } = list as { resources?: readonly PeerResource[] };
  const kept = resources?.filter(({ uri }) => !uri.startsWith("demo://resource/session/"));
  return { ...(list as object), ...(kept && { resources: kept }) };
}

/** The hub asks a server for its list when it hears that this has changed. */
async function listedWith({ raw }: PeerClient, wanted: string): Promise<void> {
  let uris: readonly string[] = [];
  await until(`${wanted} is listed`, async () => {
    uris = (await raw.listResources()).resources.map(({ uri }) => uri);
    return uris.includes(wanted);
  }).catch((cause: Error) => assert.fail(`${cause.message}, only ${uris.join(" ")}`));
}

/** The hub lists what it knows; a server that has just started may not have told it yet. */
async function whenAllJoined({ raw }: PeerClient): Promise<void> {
  await until("the prompts are listed", async () => (await raw.listPrompts()).prompts.length > 0);
}

async function refusal({ raw }: PeerClient, ask: Ask): Promise<{ code: unknown; message: unknown }> {
  try {
    await ask(raw);
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    return { code, message };
  }
  throw new Error("it was not refused");
}
