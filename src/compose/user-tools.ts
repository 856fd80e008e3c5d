/** What runs in this very process, as sources: the abilities of this machine, and the folder of the user's own tools. */
import type { AbilityContext } from "../abilities/ability.ts";
import { ABILITIES } from "../abilities/index.ts";
import type { PreparedSource } from "../sources/index.ts";
import type { ConnectContext, Connection, SourceKind } from "../sources/source.ts";
import { makeUserToolsKind } from "../sources/user-tools/source.ts";
import type { ModuleReport } from "../user-tools/folder.ts";
import type { UserTools } from "../user-tools/tools.ts";

/** Tools that are open, and how they are closed. */
interface Opened {
  readonly tools: UserTools;
  close(): Promise<void>;
}

/** Timers have to run though nobody asks for them. */
const EAGER: ReadonlySet<string> = new Set(["timers"]);

/** What `surroundings.log` is told stands in the log of the hub, and in the source's own. */
export function prepareAbility(name: string, settings: object, surroundings: AbilityContext): PreparedSource {
  const open = async (context: ConnectContext): Promise<Opened> => {
    const [ability, { fixedTools }] = await Promise.all([ABILITIES[name]?.(), import("../user-tools/tools.ts")]);
    if (!ability) throw new TypeError(`there is no ability ${name}`);
    const log = (line: string): void => {
      context.onLog(line);
      surroundings.log(line);
    };
    const opened = await ability.open(settings, { ...surroundings, log });
    return { tools: fixedTools(opened.tools), close: () => opened.close() };
  };
  return prepared(open, EAGER.has(name));
}

/** `report` is told of every module that is broken, in a line for people. */
export function prepareToolsFolder(folder: string, report: (line: string) => void): PreparedSource {
  return prepared(async (context) => {
    const { ToolsFolder, sayReport } = await import("../user-tools/folder.ts");
    const onReport = (told: ModuleReport): void => {
      const line = sayReport(told);
      context.onLog(line);
      report(line);
    };
    const tools = new ToolsFolder({ folder, onReport });
    return { tools, close: async () => tools.close() };
  }, false);
}

/** Opened with each life of the source, and closed with it. */
function prepared(open: (context: ConnectContext) => Promise<Opened>, isEager: boolean): PreparedSource {
  let current: SourceKind<undefined> | undefined;
  const { kind, look, concurrency, trusted } = makeUserToolsKind(NOTHING);
  const own: SourceKind<undefined> = {
    kind,
    look,
    concurrency,
    trusted,
    isEager,
    connect: async (_options, context, signal) => {
      const opened = await open(context);
      const made = makeUserToolsKind(opened.tools);
      current = made;
      try {
        return closing(await made.connect(undefined, context, signal), opened);
      } catch (cause) {
        await opened.close();
        throw cause;
      }
    },
    translate: (tool, language) => current?.translate?.(tool, language) ?? tool,
  };
  return { kind: own as PreparedSource["kind"], options: undefined };
}

function closing(connection: Connection, opened: Opened): Connection {
  return {
    listTools: (signal) => connection.listTools(signal),
    request: (request) => connection.request(request),
    closed: connection.closed,
    close: async () => {
      await connection.close().finally(() => opened.close());
    },
  };
}

const NOTHING: UserTools = { ready: Promise.resolve(), list: () => [], onChange: () => () => {} };
