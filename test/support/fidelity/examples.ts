/** Results that go through every pair in every run, beside the random ones. */
import { METHODS, PLAIN, type Scene, type Spoken } from "./scenes.ts";
import { eraOf, type SourceForm } from "./sources.ts";

const MEMBERS = [
  '"content":[{"type":"hologram","x":12345678901234567890}],"n":[1.0,1e3,-0,0.1e-7,1E400]',
  '"__proto__":{"a":1},"constructor":{},"jsonrpc":"1.0","id":7,"result":{},"error":null,"method":"x","params":[]',
  '"s":"\\u0000\\ud800\\uD83D\\uDE00\\/ \u2028\u2029\u0085\ufeff😀","":"","nested":{"resultType":"input_required"}',
  // Wherever a pipe or a socket cuts it into pieces, some cut goes through a character: 64 KiB is no multiple of three.
  `"long":"${"漢".repeat(70_000)}"`,
  '\n  "pretty" : [ 1,\r\n 2 ],\t"printed"\n:{\n}\n',
];

const SPOKEN: Spoken = {
  extras: [{ key: "\\u0069d", value: '{"jsonrpc":"2.0" , "n":-0}' }],
  args: [{ key: "n", value: "[1.0,12345678901234567890,1e3]" }],
  meta: [{ key: "x-\\u006eew", value: "1.50" }],
  token: '"\\u0074"',
  uriTail: "/é",
  space: " ",
  turn: 2,
};

export function examplesFor(source: SourceForm): [Scene][] {
  const head = eraOf(source) === "stateless" ? '"resultType":"complete","ttlMs":0,"cacheScope":"private",' : "";
  return MEMBERS.map((members, index) => {
    const method = METHODS[index % METHODS.length] ?? "tools/call";
    return [{ id: '"\\u0061"', method, result: `{${head}${members}}`, spoken: index === 0 ? PLAIN : SPOKEN }];
  });
}
