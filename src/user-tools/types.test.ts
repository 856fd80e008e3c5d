/** What the compiler knows of a tool, held by the compiler: `npm run check` fails if one of these expectations does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type AnyUserTool, boolean, defineTool, integer, type Manager, string } from "./index.ts";
import type { AddTool } from "./tool.ts";

/** Compiles only if both are the very same type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

function holds<_T extends true>(): void {}

test("a handler's arguments are inferred from plain properties", () => {
  const lamp = defineTool({
    name: "lamp",
    description: "Sets a lamp",
    properties: { on: { type: "boolean" }, level: { type: "integer", default: 3 }, room: { type: "string" } },
    handler(args) {
      holds<Same<typeof args, { readonly on: boolean; readonly level: number; readonly room: string }>>();
      // @ts-expect-error: there is no such property
      return args.colour ?? args.on;
    },
  });
  assert.equal(lamp.handler({ on: true, level: 1, room: "hall" }, NO_CONTEXT), true);
});

test("and from the helpers", () => {
  defineTool({
    name: "lamp",
    description: "Sets a lamp",
    properties: { on: boolean({ default: true }), level: integer({ min: 0, max: 9 }), room: string() },
    handler: async ({ on, level, room }, { language, signal }) => {
      holds<Same<[typeof on, typeof level, typeof room], [boolean, number, string]>>();
      return `${language} ${signal.aborted}`;
    },
  });
});

test("what does not fit does not compile", () => {
  const refuse = (run: () => unknown): void => assert.throws(run, TypeError);
  const rest = { name: "a", description: "b", handler: () => true };
  // @ts-expect-error: numbers are integers here
  refuse(() => defineTool({ ...rest, properties: { n: { type: "number" } } }));
  // @ts-expect-error: a default is of the property's kind
  refuse(() => defineTool({ ...rest, properties: { n: { type: "integer", default: "1" } } }));
  // @ts-expect-error: a tool says what it is for
  refuse(() => defineTool({ name: "a", handler: () => true }));
  // @ts-expect-error: the helper of texts knows no range
  refuse(() => defineTool({ ...rest, properties: { n: string({ min: 1 }) } }));
  // @ts-expect-error: a function is no answer
  defineTool({ ...rest, handler: () => () => 1 });
});

test("answers of every kind compile, at once or later, and tools of any properties go into one list", () => {
  const shared = { name: "a", description: "b" };
  const picture = { type: "image", data: "aGk=", mimeType: "image/png" } as const;
  const tools: AnyUserTool[] = [
    defineTool({ ...shared, handler: () => true }),
    defineTool({ ...shared, handler: async () => 7 }),
    defineTool({ ...shared, handler: () => "text" }),
    defineTool({ ...shared, handler: () => picture }),
    defineTool({ ...shared, handler: () => [picture, { type: "text", text: "a picture" }] }),
    defineTool({ ...shared, handler: () => ({ temperature: 21.5 }) }),
    defineTool({ ...shared, properties: { n: integer() }, handler: ({ n }) => n }),
  ];
  assert.equal(tools.length, 7);
});

test("a manager registers a group, at once or later", async () => {
  const managers: Manager[] = [
    (addTool) => addTool({ name: "a", description: "b", properties: { n: integer() }, handler: ({ n }) => n + 1 }),
    async (addTool) => addTool({ name: "c", description: "d", handler: () => true }),
  ];
  const names: string[] = [];
  const addTool: AddTool = (tool) => void names.push(tool.name);
  for (const manager of managers) await manager(addTool);
  assert.deepEqual(names, ["a", "c"]);
});

const NO_CONTEXT = { language: "en", signal: new AbortController().signal } as const;
