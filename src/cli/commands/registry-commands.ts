/** The rows of the commands that speak with the registry of the running hub; a part of the table in `index.ts`. */
import type { Command, OptionSpec } from "../command.ts";
import { COMMON, CONFIG, HUB, HUB_URL, JSON_OUTPUT } from "../options.ts";

const NAMED = { operands: [{ name: "NAME" }] } as const;
const LINKED = { operands: [{ name: "NAME" }, { name: "TOOL" }] } as const;
const SAID = ["register", "change"];
const DESCRIBED = ["create", "change"];

const SERVER_OPTIONS: readonly OptionSpec[] = [
  { name: "url", value: "URL", with: ["change"], summary: "cli.option.newUrl" },
  { name: "name", value: "NAME", with: ["change"], summary: "cli.option.newName" },
  {
    name: "auth",
    value: "none|apikey|oauth",
    choices: ["none", "apikey", "oauth"],
    with: SAID,
    summary: "cli.option.auth",
  },
  { name: "credentials-file", value: "FILE", path: "file", with: SAID, summary: "cli.option.credentialsFile" },
  { name: "credentials", value: "TEXT", with: SAID, summary: "cli.option.credentials" },
  { name: "header", value: "'K: V'|@FILE", many: true, with: SAID, summary: "cli.option.headers" },
];

const AGENT_OPTIONS: readonly OptionSpec[] = [
  { name: "name", value: "NAME", with: ["change"], summary: "cli.option.newName" },
  { name: "description", value: "TEXT", with: DESCRIBED, summary: "cli.option.description" },
  { name: "prompt", value: "TEXT", with: DESCRIBED, summary: "cli.option.prompt" },
  { name: "prompt-file", value: "FILE", path: "file", with: DESCRIBED, summary: "cli.option.promptFile" },
  {
    name: "autonomy",
    value: "Manual|Supervised|Auto",
    choices: ["Manual", "Supervised", "Auto"],
    with: DESCRIBED,
    summary: "cli.option.autonomy",
  },
  { name: "fixed", value: "K=V", many: true, with: ["link"], summary: "cli.option.fixed" },
  { name: "allow-args", value: "A,B", with: ["link"], summary: "cli.option.allowArgs" },
  { name: "disabled", with: ["link"], summary: "cli.option.disabled" },
];

const IMPORT_OPTIONS: readonly OptionSpec[] = [
  { name: "preview", summary: "cli.option.preview" },
  { name: "yes", summary: "cli.option.yes" },
  { name: "refresh", summary: "cli.option.refreshApi" },
  { name: "name", value: "NAME", summary: "cli.option.apiName" },
  { name: "base-url", value: "URL", summary: "cli.option.baseUrl" },
  { name: "tag", value: "TAG", many: true, summary: "cli.option.tag" },
  { name: "path", value: "PATH", many: true, summary: "cli.option.path" },
  { name: "header", value: "'K: V'|@FILE", many: true, summary: "cli.option.headers" },
  { name: "bearer", value: "TOKEN|@FILE", summary: "cli.option.bearer" },
  { name: "api-key", value: "'PLACE:NAME=KEY|@FILE'", summary: "cli.option.apiKey" },
  { name: "basic", value: "'USER:PASSWORD|@FILE'", summary: "cli.option.basic" },
];

export const SERVER_COMMANDS: readonly Command[] = [
  {
    name: "servers",
    summary: "cli.servers.summary",
    usage: ["servers [TEXT…] [--json]"],
    options: [JSON_OUTPUT, ...HUB, HUB_URL, ...COMMON],
    operands: [{ name: "TEXT", optional: true, many: true }],
    load: () => import("./servers.ts"),
  },
  {
    name: "server",
    summary: "cli.server.summary",
    about: "cli.server.about",
    usage: [
      "server register NAME URL [--auth none|apikey|oauth] [--credentials-file FILE] [--header 'K: V']…",
      "server show NAME",
      "server change NAME [--url URL] [--name NAME] [--auth …] [--credentials-file FILE] [--header 'K: V']…",
      "server remove NAME",
      "server discover NAME",
      "server refresh NAME",
      "server log NAME",
    ],
    examples: [
      "zaguan server register shop https://example.org/mcp --auth apikey --credentials-file key.txt",
      "pass show shop | zaguan server register shop https://example.org/mcp --auth oauth --credentials-file -",
      "zaguan server discover shop",
    ],
    options: [...SERVER_OPTIONS, JSON_OUTPUT, ...HUB, ...COMMON],
    words: {
      register: { operands: [{ name: "NAME" }, { name: "URL" }] },
      show: NAMED,
      change: NAMED,
      remove: NAMED,
      discover: NAMED,
      refresh: NAMED,
      log: NAMED,
    },
    load: () => import("./server.ts"),
  },
  {
    name: "tools",
    summary: "cli.tools.summary",
    about: "cli.tools.about",
    usage: ["tools [TEXT…] [--server NAME] [--all] [--json]"],
    examples: ["zaguan tools light", "zaguan tools --server shop --json"],
    options: [
      { name: "server", value: "NAME", summary: "cli.option.toolsOf" },
      { name: "all", summary: "cli.option.allTools" },
      JSON_OUTPUT,
      ...HUB,
      HUB_URL,
      ...COMMON,
    ],
    operands: [{ name: "TEXT", optional: true, many: true }],
    load: () => import("./tools.ts"),
  },
];

export const AGENT_COMMANDS: readonly Command[] = [
  {
    name: "agents",
    summary: "cli.agents.summary",
    usage: ["agents [TEXT…] [--json]"],
    options: [JSON_OUTPUT, ...HUB, HUB_URL, ...COMMON],
    operands: [{ name: "TEXT", optional: true, many: true }],
    load: () => import("./agents.ts"),
  },
  {
    name: "agent",
    summary: "cli.agent.summary",
    about: "cli.agent.about",
    usage: [
      "agent create NAME [--description TEXT] [--prompt TEXT | --prompt-file FILE] [--autonomy …]",
      "agent show NAME",
      "agent change NAME [--name NAME] [--description TEXT] [--prompt TEXT | --prompt-file FILE] [--autonomy …]",
      "agent remove NAME",
      "agent link NAME TOOL [--fixed K=V]… [--allow-args A,B] [--disabled]",
      "agent unlink NAME TOOL",
      "agent links NAME",
      "agent key NAME",
      "agent revoke NAME",
    ],
    examples: [
      "zaguan agent create butler --autonomy Auto",
      "zaguan agent link butler set_light_state --fixed name=salon --allow-args on",
      "zaguan agent key butler > butler.key",
    ],
    options: [...AGENT_OPTIONS, JSON_OUTPUT, ...HUB, HUB_URL, ...COMMON],
    words: {
      create: NAMED,
      show: NAMED,
      change: NAMED,
      remove: NAMED,
      link: LINKED,
      unlink: LINKED,
      links: NAMED,
      key: NAMED,
      revoke: NAMED,
    },
    load: () => import("./agent.ts"),
  },
];

export const EXCHANGE_COMMANDS: readonly Command[] = [
  {
    name: "import",
    summary: "cli.import.summary",
    about: "cli.import.about",
    usage: [
      "import FILE [--preview | --yes] [--json]",
      "import FILE|URL [--preview] [--name NAME] [--base-url URL] [--tag TAG]… [--path PATH]… [--bearer TOKEN] …",
      "import FILE|URL --refresh [--name NAME] [--preview]",
    ],
    examples: [
      "zaguan import ~/.cursor/mcp.json",
      "zaguan import petstore.yaml --preview",
      "zaguan import https://example.org/openapi.json --name shop --tag orders --bearer @token.txt",
      "zaguan import handsai-export.json",
    ],
    options: [...IMPORT_OPTIONS, JSON_OUTPUT, CONFIG, ...HUB, ...COMMON],
    operands: [{ name: "FILE|URL", path: "file" }],
    load: () => import("./import.ts"),
  },
  {
    name: "export",
    summary: "cli.export.summary",
    about: "cli.export.about",
    usage: [
      "export [--form mcpServers|vscode] [--output FILE] [--replace]",
      "export --client claude-desktop|claude-code|cursor|vscode|lm-studio",
    ],
    examples: ["zaguan export --form vscode --output .vscode/mcp.json", "zaguan export --client cursor"],
    options: [
      { name: "form", value: "mcpServers|vscode", choices: ["mcpServers", "vscode"], summary: "cli.option.form" },
      {
        name: "client",
        value: "CLIENT",
        summary: "cli.option.client",
        choices: ["claude-desktop", "claude-code", "cursor", "vscode", "lm-studio"],
      },
      { name: "output", value: "FILE", path: "file", summary: "cli.option.output" },
      { name: "replace", summary: "cli.option.replaceFile" },
      CONFIG,
      ...HUB,
      ...COMMON,
    ],
    load: () => import("./export.ts"),
  },
];
