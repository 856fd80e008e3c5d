/**
 * The simulated house as a source. Its state lives in the document table and is read and changed there on every call, so
 * that it survives a restart and two processes on one data folder see the same house. No copy is kept here.
 */

import type { HouseConfig } from "../../config/types.ts";
import type { ToolDefinition } from "../../core/call.ts";
import { toZaguanError, ZaguanError } from "../../errors.ts";
import { CLOSED, type Ending } from "../../link/ending.ts";
import { type Language, say, sayType } from "../../messages/catalogue.ts";
import { Payload } from "../../protocol/json/payload.ts";
import type { DocumentTable } from "../../store/store.ts";
import type { Connection, SourceKind, SourceRequest } from "../source.ts";
import { HouseDocument } from "./document.ts";
import { type HouseState, hasLight, initialHouse, lightsOn, setAlarm, setLight } from "./state.ts";
import { toolsIn } from "./tools.ts";

export function makeHouseKind(documents: DocumentTable): SourceKind<HouseConfig> {
  return {
    kind: "house",
    look: {
      title: { en: "simulated house", es: "casa simulada", fr: "maison simulée", zh: "模拟家居" },
      icon: "M3 11 12 3l9 8v9a1 1 0 0 1-1 1h-5v-6H9v6H4a1 1 0 0 1-1-1z",
    },
    concurrency: 64,
    trusted: true,
    connect: async (config, context) => new HouseConnection(context.name, config, documents),
    translate: (tool, language) => toolsIn(language).find((each) => each.name === tool.name) ?? tool,
  };
}

class HouseConnection implements Connection {
  readonly closed: Promise<Ending>;
  readonly #name: string;
  readonly #config: HouseConfig;
  readonly #document: HouseDocument;
  readonly #end: (ending: Ending) => void;
  #open = true;

  constructor(name: string, config: HouseConfig, documents: DocumentTable) {
    const { promise, resolve } = Promise.withResolvers<Ending>();
    this.closed = promise;
    this.#end = resolve;
    this.#name = name;
    this.#config = config;
    this.#document = new HouseDocument(documents, config);
  }

  async listTools(): Promise<readonly ToolDefinition[]> {
    return toolsIn("en");
  }

  async request(request: SourceRequest): Promise<Payload> {
    if (!this.#open)
      throw new ZaguanError("SOURCE_UNAVAILABLE", {
        params: { source: this.#name, reason: "closed" },
        delivery: "not_sent",
      });
    if (request.method !== "tools/call")
      throw new ZaguanError("UNKNOWN_METHOD", { params: { method: request.method }, delivery: "not_sent" });
    if (request.signal.aborted) throw toZaguanError(request.signal.reason);
    try {
      return await this.#run(request);
    } catch (cause) {
      throw toZaguanError(cause);
    }
  }

  async close(): Promise<void> {
    this.#open = false;
    this.#end(CLOSED);
  }

  async #run({ name, args, language }: SourceRequest): Promise<Payload> {
    switch (name) {
      case "get_presence":
        return success((await this.#document.read()).presence);
      case "get_alarm_status":
        return success({ armed: (await this.#document.read()).alarm });
      case "list_lights_on":
        return success({ on: lightsOn(await this.#document.read()) });
      case "set_light_state":
        return this.#setLight(textIn(args, "name", language), flagIn(args, "on", language), language);
      case "set_alarm_state": {
        const armed = flagIn(args, "armed", language);
        return this.#change((state) => setAlarm(state, armed));
      }
      case "get_all_states":
        return success(await this.#document.read());
      default:
        throw new ZaguanError("UNKNOWN_TOOL", { params: { tool: name }, delivery: "not_sent" });
    }
  }

  async #setLight(light: string, on: boolean, language: Language): Promise<Payload> {
    // The configuration alone decides which lights there are: no need to read, or to write, for one that is not.
    if (!hasLight(initialHouse(this.#config), light)) {
      return failure(say(language, "house.unknownLight", { name: light }));
    }
    return this.#change((state) => setLight(state, light, on));
  }

  async #change(change: (state: HouseState) => HouseState): Promise<Payload> {
    await this.#document.change(change);
    return success({ ok: true });
  }
}

function success(value: object): Payload {
  const text = JSON.stringify(value);
  return Payload.ofText(`{"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}}`);
}

function failure(text: string): Payload {
  return Payload.ofValue({ content: [{ type: "text", text }], isError: true });
}

function textIn(args: Payload, path: string, language: Language): string {
  const value = argumentIn(args, path);
  if (typeof value !== "string") throw wrongArgument(path, "string", language);
  return value;
}

function flagIn(args: Payload, path: string, language: Language): boolean {
  const value = argumentIn(args, path);
  if (typeof value !== "boolean") throw wrongArgument(path, "boolean", language);
  return value;
}

function argumentIn(args: Payload, path: string): unknown {
  return (args.value as Readonly<Record<string, unknown>> | null)?.[path];
}

/** The hub checks arguments before; this holds where a source is used without a hub. */
function wrongArgument(path: string, type: string, language: Language): ZaguanError {
  const rule = sayType(language, [type]);
  return new ZaguanError("INVALID_ARGUMENT", {
    params: { reason: say(language, "argument.wrong", { path, rule }) },
    delivery: "not_sent",
  });
}
