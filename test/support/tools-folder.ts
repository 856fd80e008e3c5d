/** A folder of tools in a temporary place, written to and watched as a user's editor and hub do. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ModuleReport, sayReport, ToolsFolder } from "../../src/user-tools/folder.ts";
import { runTool } from "../../src/user-tools/run.ts";

export class FolderUnderTest {
  readonly path: string = join(realpathSync(mkdtempSync(join(tmpdir(), "zaguan-tools-"))), "tools");
  readonly reports: ModuleReport[] = [];
  #opened: ToolsFolder | undefined;

  get tools(): ToolsFolder {
    assert.ok(this.#opened, "open it first");
    return this.#opened;
  }

  /** What was reported, one line each, in the order of the lines: modules are loaded side by side. */
  get lines(): string[] {
    return this.reports.map(sayReport).sort();
  }

  get names(): string[] {
    return this.tools.list().map(({ name }) => name);
  }

  write(file: string, text: string): void {
    const path = join(this.path, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  async open(loadMs?: number): Promise<void> {
    this.#opened = new ToolsFolder({ folder: this.path, loadMs, onReport: (report) => this.reports.push(report) });
    await this.#opened.ready;
  }

  /** The text that a tool answers. */
  async call(name: string, args: object = {}): Promise<string> {
    const tool = this.tools.list().find((each) => each.name === name);
    assert.ok(tool, `no ${name} among ${this.names.join(", ")}`);
    const result = await runTool(tool, args, { language: "en", signal: new AbortController().signal });
    return (result.value as { content: [{ text: string }] }).content[0].text;
  }

  remove(): void {
    this.#opened?.close();
    rmSync(dirname(this.path), { recursive: true, force: true });
  }
}

/** A module that adds one tool which answers with a text. */
export function moduleOf(name: string, answer: string): string {
  return `import { addTool } from "zaguan/tools";
addTool({ name: ${JSON.stringify(name)}, description: "Answers", handler: () => ${JSON.stringify(answer)} });
`;
}

export async function until(condition: () => boolean | Promise<boolean>, what: () => unknown): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, `waited in vain: ${JSON.stringify(what())}`);
    await sleep(20);
  }
}
