/**
 * Tools of one's own as a source: a folder of modules, or the abilities of this machine. They run in this process, so that
 * there is nothing to connect to; what ends with a connection is the waiting for those that still run.
 */
import type { ToolDefinition } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import { LightAbort } from "../../light-abort.ts";
import { CLOSED, type Ending } from "../../link/ending.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import { definitionOf } from "../../user-tools/arguments.ts";
import { runTool } from "../../user-tools/run.ts";
import type { AnyUserTool } from "../../user-tools/tool.ts";
import type { UserTools } from "../../user-tools/tools.ts";
import type { ConnectContext, Connection, SourceKind, SourceRequest } from "../source.ts";

const CONCURRENCY = 16;

export function makeUserToolsKind(tools: UserTools): SourceKind<undefined> {
  return {
    kind: "own",
    look: {
      title: {
        en: "tools of this machine",
        es: "herramientas de este equipo",
        fr: "outils de cette machine",
        zh: "本机工具",
      },
      icon: "M3 5h18v11H3zM8 20h8M12 16v4",
    },
    concurrency: CONCURRENCY,
    trusted: true,
    connect: async (_options, context) => {
      await tools.ready;
      return new UserToolsConnection(tools, context);
    },
    translate: (tool, language) => {
      const own = find(tools, tool.name);
      return own?.descriptions?.[language] === undefined ? tool : definitionOf(own, language);
    },
  };
}

class UserToolsConnection implements Connection {
  readonly closed: Promise<Ending>;
  readonly #tools: UserTools;
  readonly #name: string;
  readonly #end: (ending: Ending) => void;
  readonly #forget: () => void;
  readonly #running = new Set<LightAbort>();
  #isOpen = true;

  constructor(tools: UserTools, context: ConnectContext) {
    const { promise, resolve } = Promise.withResolvers<Ending>();
    this.closed = promise;
    this.#end = resolve;
    this.#tools = tools;
    this.#name = context.name;
    this.#forget = tools.onChange(() => context.onToolsChanged());
  }

  async listTools(): Promise<readonly ToolDefinition[]> {
    return this.#tools.list().map((tool) => definitionOf(tool));
  }

  async request(request: SourceRequest): Promise<Payload> {
    const { method, name } = request;
    if (!this.#isOpen)
      throw new ZaguanError("SOURCE_UNAVAILABLE", {
        params: { source: this.#name, reason: "closed" },
        delivery: "not_sent",
      });
    if (method !== "tools/call") throw new ZaguanError("UNKNOWN_METHOD", { params: { method }, delivery: "not_sent" });
    const tool = find(this.#tools, name);
    if (!tool) throw new ZaguanError("UNKNOWN_TOOL", { params: { tool: name }, delivery: "not_sent" });
    return await this.#run(tool, request);
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#forget();
    const lost = new ZaguanError("OUTCOME_UNKNOWN", { params: { source: this.#name }, delivery: "unknown" });
    for (const stop of this.#running) stop.abort(lost);
    this.#end(CLOSED);
  }

  async #run(tool: AnyUserTool, { args, language, signal, principal }: SourceRequest): Promise<Payload> {
    const stop = new LightAbort();
    const onAbort = (): void => stop.abort(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    this.#running.add(stop);
    try {
      return await runTool(tool, args.value, { language, signal: stop, principal });
    } finally {
      this.#running.delete(stop);
      signal.removeEventListener("abort", onAbort);
    }
  }
}

function find(tools: UserTools, name: string): AnyUserTool | undefined {
  return tools.list().find((tool) => tool.name === name);
}
