/**
 * Every command as one table: parsing, help and completion read it. A command's own file is loaded only when it runs, so
 * that `zaguan serve` starts without the others.
 */
import type { Command, Grammar } from "../command.ts";
import { ALLOW_PRIVATE, COMMON, CONFIG, DATA, HOST, HUB, HUB_URL, JSON_OUTPUT, KEY, PORT } from "../options.ts";
import { AGENT_COMMANDS, EXCHANGE_COMMANDS, SERVER_COMMANDS } from "./registry-commands.ts";

/** What `zaguan` alone does. */
export const DEFAULT_COMMAND = "serve";

const ON_OFF: Readonly<Record<string, Grammar>> = { on: {}, off: {} };
const LAMP: Grammar = { operands: [{ name: "NAME" }] };

export const COMMANDS: readonly Command[] = [
  {
    name: "serve",
    summary: "cli.serve.summary",
    usage: ["[serve] [--host HOST] [--port PORT] [--config FILE] [--data DIR]"],
    examples: ["zaguan", "zaguan serve --port 8080 --data /var/lib/zaguan"],
    options: [HOST, PORT, CONFIG, DATA, ALLOW_PRIVATE, ...COMMON],
    lasting: true,
    load: () => import("./serve.ts"),
  },
  {
    name: "stdio",
    summary: "cli.stdio.summary",
    about: "cli.stdio.about",
    usage: ["stdio [--server NAME | --agent NAME] [--line]"],
    examples: ['{"mcpServers":{"zaguan":{"command":"zaguan","args":["stdio"]}}}', "zaguan stdio --agent butler"],
    options: [
      { name: "server", value: "NAME", env: "ZAGUAN_SERVER", summary: "cli.option.server" },
      { name: "agent", value: "NAME", env: "ZAGUAN_AGENT", summary: "cli.option.agent" },
      { name: "line", env: "ZAGUAN_LINE", summary: "cli.option.lineDoor" },
      CONFIG,
      DATA,
      ALLOW_PRIVATE,
      ...COMMON,
    ],
    lasting: true,
    load: () => import("./stdio.ts"),
  },
  {
    name: "simulate",
    summary: "cli.simulate.summary",
    about: "cli.simulate.about",
    usage: [
      "simulate --mcp [--config FILE] [--data DIR]",
      "simulate status",
      "simulate lights list",
      "simulate lights on NAME",
      "simulate lights off NAME",
      "simulate alarm on|off",
      "simulate presence show",
      "simulate presence set NAME…",
      "simulate presence clear",
    ],
    examples: ["zaguan simulate --mcp --config config.yaml", "zaguan simulate lights on salon"],
    options: [
      { name: "mcp", tolerates: ["stdio"], summary: "cli.option.mcp" },
      {
        name: "config",
        value: "FILE",
        env: "ZAGUAN_SIMULATE_CONFIG",
        path: "file",
        summary: "cli.option.houseFile",
      },
      DATA,
      ...COMMON,
    ],
    words: {
      status: {},
      lights: { words: { list: {}, on: LAMP, off: LAMP } },
      alarm: { words: ON_OFF },
      presence: { words: { show: {}, set: { operands: [{ name: "NAME", many: true }] }, clear: {} } },
    },
    wordless: "mcp",
    language: "es",
    lasting: true,
    load: () => import("./simulate.ts"),
  },
  {
    name: "add",
    summary: "cli.add.summary",
    about: "cli.add.about",
    usage: ["add NAME (URL | -- COMMAND ARGS…)"],
    examples: [
      "zaguan add files -- npx -y @modelcontextprotocol/server-filesystem /home/me",
      `zaguan add shop https://example.org/mcp --header 'Authorization: Bearer \${TOKEN}'`,
    ],
    options: [
      { name: "env", value: "K=V", many: true, summary: "cli.option.env" },
      { name: "header", value: "'K: V'", many: true, summary: "cli.option.header" },
      { name: "line", summary: "cli.option.lineSource" },
      { name: "allow-private", summary: "cli.option.allowPrivateOne" },
      { name: "replace", summary: "cli.option.replace" },
      { name: "no-wait", summary: "cli.option.noWait" },
      CONFIG,
      DATA,
      KEY,
      ...COMMON,
    ],
    operands: [{ name: "NAME" }, { name: "URL", optional: true }],
    program: true,
    load: () => import("./add.ts"),
  },
  {
    name: "remove",
    summary: "cli.remove.summary",
    usage: ["remove NAME"],
    options: [CONFIG, DATA, ...COMMON],
    operands: [{ name: "NAME" }],
    load: () => import("./remove.ts"),
  },
  ...SERVER_COMMANDS,
  {
    name: "call",
    summary: "cli.call.summary",
    about: "cli.call.about",
    usage: ["call TOOL [--arg K=V]… [--json '{…}']"],
    examples: ["zaguan call set_light_state --arg name=salon --arg on=true"],
    options: [
      { name: "arg", value: "K=V", many: true, summary: "cli.option.arg" },
      { name: "json", value: "'{…}'", summary: "cli.option.jsonArguments" },
      { name: "timeout", value: "SECONDS", env: "ZAGUAN_TIMEOUT", summary: "cli.option.timeout" },
      ...HUB,
      HUB_URL,
      ...COMMON,
    ],
    operands: [{ name: "TOOL" }],
    load: () => import("./call.ts"),
  },
  ...AGENT_COMMANDS,
  ...EXCHANGE_COMMANDS,
  {
    name: "key",
    summary: "cli.key.summary",
    about: "cli.key.about",
    usage: ["key create NAME [--tools PATTERN]…", "key create NAME --admin", "key list [--json]", "key revoke NAME"],
    examples: ["zaguan key create phone --tools 'get_*' --tools list_lights_on"],
    options: [
      { name: "tools", value: "PATTERN", many: true, with: ["create"], summary: "cli.option.keyTools" },
      { name: "admin", with: ["create"], summary: "cli.option.admin" },
      { ...JSON_OUTPUT, with: ["list"] },
      DATA,
      ...COMMON,
    ],
    words: {
      create: { operands: [{ name: "NAME" }] },
      list: {},
      revoke: { operands: [{ name: "NAME" }] },
    },
    load: () => import("./key.ts"),
  },
  {
    name: "doctor",
    summary: "cli.doctor.summary",
    usage: ["doctor"],
    options: [HOST, PORT, CONFIG, DATA, ALLOW_PRIVATE, KEY, ...COMMON],
    load: () => import("./doctor.ts"),
  },
  {
    name: "completion",
    summary: "cli.completion.summary",
    about: "cli.completion.about",
    usage: ["completion bash|zsh|fish"],
    examples: ['eval "$(zaguan completion bash)"', "zaguan completion fish | source"],
    options: COMMON,
    operands: [{ name: "bash|zsh|fish", choices: ["bash", "zsh", "fish"] }],
    load: () => import("./completion.ts"),
  },
];
