/**
 * The fixture as revision 2026-07-28 speaks it, and nothing older: no handshake, every request stands for itself and says
 * what its client can do, questions are results, changes go to those who listen.
 */
import { FixtureConnection, isRefusal, refuse } from "./fixture-connection.mjs";
import { LEVELS, NEEDED } from "./fixture-content.mjs";
import {
  changeList,
  tools as commonTools,
  complete,
  getPrompt,
  instructions,
  prompts,
  readResource,
  resources,
  resourceTemplates,
  shown,
} from "./fixture-definitions.mjs";
import {
  CLIENT_CAPABILITIES,
  checkVersion,
  envelopeOf,
  LOG_LEVEL,
  REVISION,
  requireCapabilities,
  stamped,
  TASKS,
} from "./fixture-envelope.mjs";
import { announceChange, listen } from "./fixture-listening.mjs";
import { InputRequired, Round } from "./fixture-rounds.mjs";
import { taskTools } from "./fixture-task-tools.mjs";
import { knowsTask, startTask, taskMethods } from "./fixture-tasks.mjs";

export const tools = [...commonTools, ...taskTools];

const DISCOVERY = {
  supportedVersions: [REVISION],
  capabilities: {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    completions: {},
    logging: {},
    extensions: { [TASKS]: {} },
  },
  instructions,
};

export class Fixture2026 extends FixtureConnection {
  #methods = {
    "server/discover": () => DISCOVERY,
    "tools/list": () => ({ tools: tools.map(shown) }),
    "tools/call": (request, signal) => callTool(request.params, this.#callOf(request, signal)),
    "resources/list": () => ({ resources: resources.map(shown) }),
    "resources/templates/list": () => ({ resourceTemplates }),
    "resources/read": ({ params: { uri } }) => ({
      contents: readResource(uri) ?? refuse(-32602, "Resource not found", { uri }),
    }),
    "prompts/list": () => ({ prompts: prompts.map(shown) }),
    "prompts/get": (request, signal) => getPrompt(request.params, this.#callOf(request, signal)),
    "completion/complete": ({ params: { argument } }) => ({ completion: complete(argument) }),
    "subscriptions/listen": (request, signal) =>
      listen(request, signal, (method, params) => this.notify(method, params), knowsTask),
    "tasks/get": taskMethod,
    "tasks/update": taskMethod,
    "tasks/cancel": taskMethod,
  };

  async run(request, signal) {
    const { method } = request;
    checkVersion(envelopeOf(request));
    const run = this.#methods[method] ?? refuse(-32601, `Method not found: ${method}`);
    try {
      return stamped(method, await run(request, signal));
    } catch (failure) {
      if (failure instanceof InputRequired) return stamped(method, failure.result);
      throw failure;
    }
  }

  #callOf(request, signal) {
    const { _meta: meta } = request.params;
    const round = new Round(request);
    const lowest = LEVELS.indexOf(meta[LOG_LEVEL]);
    return {
      signal,
      log: (level, data) => {
        if (lowest < 0 || LEVELS.indexOf(level) < lowest) return;
        this.notify("notifications/message", { level, logger: "conformance-fixture", data });
      },
      progress: (progress, total) => {
        const { progressToken } = meta;
        if (progressToken !== undefined) this.notify("notifications/progress", { progressToken, progress, total });
      },
      ask: (questions, options) => {
        const missing = Object.values(questions)
          .map(neededFor)
          .filter((name) => !canDo(meta, name));
        if (missing.length > 0) requireCapabilities(Object.fromEntries(missing.map((name) => [name, {}])));
        return round.ask(questions, options);
      },
      askWhatItCan(questions) {
        const possible = Object.entries(questions).filter(([, question]) => canDo(meta, neededFor(question)));
        return this.ask(possible.length > 0 ? Object.fromEntries(possible) : questions);
      },
      change: (list) => {
        changeList(list);
        announceChange(list);
      },
      later(work, { required = false } = {}) {
        if (knowsTasks(meta)) return startTask(work);
        return required ? requireCapabilities({ extensions: { [TASKS]: {} } }) : work(this);
      },
    };
  }
}

async function callTool({ name, arguments: args = {} }, call) {
  const tool = tools.find((known) => known.name === name) ?? refuse(-32602, `Unknown tool: ${name}`);
  try {
    const outcome = await tool.run(args, call);
    return Array.isArray(outcome) ? { content: outcome } : outcome;
  } catch (failure) {
    if (isRefusal(failure) || failure instanceof InputRequired) throw failure;
    return { content: [{ type: "text", text: failure.message }], isError: true };
  }
}

function taskMethod({ method, params }) {
  if (!knowsTasks(params._meta)) requireCapabilities({ extensions: { [TASKS]: {} } });
  return taskMethods[method](params);
}

function neededFor({ method }) {
  return NEEDED[method];
}

function canDo(meta, capability) {
  return meta[CLIENT_CAPABILITIES]?.[capability] !== undefined;
}

function knowsTasks(meta) {
  return meta[CLIENT_CAPABILITIES]?.extensions?.[TASKS] !== undefined;
}
