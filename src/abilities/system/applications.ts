/** The tools about applications: which there are, which run, and, where the owner allowed it, starting and ending them. */
import { homedir } from "node:os";
import { launchProgram, type ProgramError } from "../../link/run-program.ts";
import { type Language, say } from "../../messages/catalogue.ts";
import { defineTool } from "../../user-tools/define.ts";
import type { AnyUserTool, HandlerContext } from "../../user-tools/tool.ts";
import type { AbilityContext } from "../ability.ts";
import { desktopEnvironment, failureOf, onlyLinux } from "../shared/programs.ts";
import { described } from "../shared/tools.ts";
import type { SystemSettings } from "./index.ts";
import {
  type Application,
  applicationCalled,
  displayName,
  findApplications,
  Installed,
  programNames,
} from "./installed.ts";
import { closePrograms, readPrograms } from "./processes.ts";

/** More than this is no answer that anybody reads; the filter is for that. */
const MOST_LISTED = 500;

export function applicationTools(settings: SystemSettings, context: AbilityContext, proc: string): AnyUserTool[] {
  const applications = new Applications(settings, context, proc);
  return [
    scanTool(applications),
    listTool(applications),
    ...(settings.allowLaunch === true ? [launchTool(applications)] : []),
    ...(settings.allowKill === true ? [killTool(applications)] : []),
  ];
}

class Applications {
  readonly #context: AbilityContext;
  readonly #proc: string;
  readonly #installed: Installed;
  readonly #configured: readonly Application[];

  constructor(settings: SystemSettings, context: AbilityContext, proc: string) {
    this.#context = context;
    this.#proc = proc;
    this.#installed = new Installed(context.env, context.clock);
    this.#configured = Object.entries(settings.applications ?? {}).flatMap(([name, [command, ...args]]) =>
      command ? [{ id: name, name, names: {}, command, args }] : [],
    );
  }

  async all(refresh = false): Promise<readonly Application[]> {
    return [...this.#configured, ...(await this.#installed.list(refresh))];
  }

  async launch(wanted: string, language: Language): Promise<string> {
    const application = await this.#find(wanted, language);
    const options = { env: desktopEnvironment(this.#context.env), cwd: application.folder ?? homedir() };
    await launchProgram(application.command, application.args, options).catch((error: ProgramError) => {
      throw failureOf(language, error);
    });
    this.#context.log(`started ${application.id}`);
    return say(language, "system.launched", { name: displayName(application, language) });
  }

  async kill(wanted: string, force: boolean, language: Language): Promise<string> {
    const name = wanted.trim();
    const closed = await closePrograms(this.#proc, processNames(name, await this.all()), force);
    if (closed.ended + closed.stillRunning === 0) {
      throw new Error(say(language, closed.isProtected ? "system.protected" : "system.notRunning", { name }));
    }
    this.#context.log(`ended ${name}: ${closed.ended}, still running: ${closed.stillRunning}`);
    if (closed.stillRunning > 0)
      throw new Error(say(language, "system.stillRunning", { name, count: closed.stillRunning }));
    return say(language, "system.killed", { name, count: closed.ended });
  }

  /** Names only: command lines hold what people thought nobody would see. */
  async running(filter: string): Promise<Record<string, unknown>> {
    const uid = process.getuid?.();
    const part = filter.trim().toLowerCase();
    const found = (await readPrograms(this.#proc)).filter(
      (program) => program.uid === uid && program.name.toLowerCase().includes(part),
    );
    return {
      total_count: found.length,
      applications: found.slice(0, MOST_LISTED).map(({ pid, name }) => ({ pid, name })),
    };
  }

  async #find(wanted: string, language: Language): Promise<Application> {
    const found = findApplications(await this.all(), wanted);
    const [only] = found;
    if (only && found.length === 1) return only;
    const names = found.slice(0, 10).map((application) => displayName(application, language));
    const key = only ? "system.ambiguousApplication" : "system.unknownApplication";
    throw new Error(say(language, key, { name: wanted, names: names.join(", ") }));
  }
}

/** A part of a name is enough to find what to start, but never to find what to end. */
function processNames(name: string, all: readonly Application[]): ReadonlySet<string> {
  const application = applicationCalled(all, name);
  return new Set([name.toLowerCase(), ...(application ? programNames(application) : [])]);
}

function scanTool(applications: Applications): AnyUserTool {
  return defineTool({
    name: "self.application.scan_installed",
    ...described("system.scan_installed"),
    properties: { force_refresh: { type: "boolean", default: false } },
    readOnly: true,
    handler: async ({ force_refresh }, context) => {
      const all = await onLinux(context, () => applications.all(force_refresh));
      const named = all.map((application) => ({
        name: application.name,
        display_name: displayName(application, context.language),
      }));
      return { total_count: all.length, applications: named.slice(0, MOST_LISTED) };
    },
  });
}

function listTool(applications: Applications): AnyUserTool {
  return defineTool({
    name: "self.application.list_running",
    ...described("system.list_running"),
    properties: { filter_name: { type: "string", default: "" } },
    readOnly: true,
    handler: ({ filter_name }, context) => onLinux(context, () => applications.running(filter_name)),
  });
}

function launchTool(applications: Applications): AnyUserTool {
  return defineTool({
    name: "self.application.launch",
    ...described("system.launch"),
    properties: { app_name: { type: "string" } },
    handler: ({ app_name }, context) => onLinux(context, () => applications.launch(app_name, context.language)),
  });
}

function killTool(applications: Applications): AnyUserTool {
  return defineTool({
    name: "self.application.kill",
    ...described("system.kill"),
    properties: { app_name: { type: "string" }, force: { type: "boolean", default: false } },
    handler: ({ app_name, force }, context) =>
      onLinux(context, () => applications.kill(app_name, force, context.language)),
  });
}

function onLinux<T>({ language }: HandlerContext, work: () => Promise<T>): Promise<T> {
  return process.platform === "linux" ? work() : Promise.reject(onlyLinux(language));
}
