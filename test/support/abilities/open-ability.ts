/** An ability as a hub opens it, and a hand to call its tools with; stand-in programs for what a machine does not have. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AbilityContext, OpenAbility } from "../../../src/abilities/ability.ts";
import type { Language } from "../../../src/messages/catalogue.ts";
import { memoryDocuments } from "../../../src/store/memory-documents.ts";
import type { Content, HandlerContext, ToolAnswer } from "../../../src/user-tools/tool.ts";
import { FakeClock } from "../fake-clock.ts";

export interface TestContext extends AbilityContext {
  readonly clock: FakeClock;
  readonly lines: string[];
}

/** Only what is in `env` is there: an empty PATH is a machine without programs. */
export function abilityContext(env: Readonly<Record<string, string | undefined>>): TestContext {
  const lines: string[] = [];
  return {
    clock: new FakeClock(),
    documents: memoryDocuments(),
    env,
    lines,
    call: () => Promise.reject(new Error("there is no hub")),
    attached: Promise.resolve(),
    principalOf: async () => undefined,
    check: async () => {},
    log: (line) => void lines.push(line),
  };
}

export async function callTool(
  ability: OpenAbility,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  context: Partial<HandlerContext> = {},
): Promise<ToolAnswer> {
  const tool = ability.tools.find((known) => known.name === name);
  if (!tool) throw new Error(`no tool ${name} among ${ability.tools.map((known) => known.name).join(" ")}`);
  const properties = Object.entries((tool.properties ?? {}) as Record<string, { default?: unknown }>);
  const given = Object.fromEntries(properties.map(([key, property]) => [key, args[key] ?? property.default]));
  return await tool.handler(given as never, { language: "en", signal: new AbortController().signal, ...context });
}

/** The message that the tool fails with. */
export async function failureIn(
  ability: OpenAbility,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  language: Language = "en",
): Promise<string> {
  try {
    await callTool(ability, name, args, { language });
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error(`${name} did not fail`);
}

export function contentsOf(answer: ToolAnswer): readonly Content[] {
  if (Array.isArray(answer)) return answer as readonly Content[];
  throw new Error(`no list of contents: ${JSON.stringify(answer).slice(0, 200)}`);
}

/** A shell script that is found under this name in `<folder>/bin`, which is returned. */
export function standIn(folder: string, name: string, script: string): string {
  const bin = join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
  return bin;
}

/** Files by their paths in the folder. */
export function writeFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}
