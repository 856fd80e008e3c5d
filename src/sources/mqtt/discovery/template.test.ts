import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { IncomingMessage } from "../payload.ts";
import { readerOf, writerOf } from "./template.ts";

const JSON_TEXT = '{"a":{"b c":[{"d":"21.456"}]},"state":"ON","on":true,"zero":0,"none":null,"__proto__":{"x":1}}';

describe("templates that read", () => {
  const cases: readonly (readonly [template: string | undefined, value: unknown])[] = [
    [undefined, JSON_TEXT],
    ["", JSON_TEXT],
    ["{{ value }}", JSON_TEXT],
    ["{{value_json.state}}", "ON"],
    ["{{ value_json['state'] | lower }}", "on"],
    ['{{ value_json["a"]["b c"][0].d | float }}', 21.456],
    ["{{ value_json.a['b c'][0].d | float | round(1) }}", 21.5],
    ["{{ value_json.a['b c'][0].d|float|int }}", 21],
    ["{{ value_json.on }}", true],
    ["{{ value_json.zero }}", 0],
    ["{{ value_json.missing }}", undefined],
    ["{{ value_json.missing.more }}", undefined],
    ["{{ value_json.missing | default('OFF') }}", "OFF"],
    ["{{ value_json.missing | default(0) | int }}", 0],
    ["{{ value_json.constructor }}", undefined],
    ["{{- value_json.state | is_defined -}}", "ON"],
  ];
  for (const [template, value] of cases) {
    it(`${template ?? "none"} gives ${JSON.stringify(value)}`, () => {
      assert.deepEqual(readerOf(template)?.(new IncomingMessage(Buffer.from(JSON_TEXT))), value);
    });
  }

  const unknown = [
    "{{ value_json.power / 10 }}",
    "{% if value_json.x %}ON{% else %}OFF{% endif %}",
    "{{ 'ON' if value_json.x else 'OFF' }}",
    "{{ states('sensor.x') }}",
    "{{ value_json.x | regex_replace('a', 'b') }}",
    "{{ value.split(',')[0] }}",
    "{{ value_json.a }} and {{ value_json.b }}",
    `{{ value_json${".x".repeat(1_000)} }}`,
  ];
  for (const template of unknown) {
    it(`are not understood and not guessed: ${template.slice(0, 50)}`, () =>
      assert.equal(readerOf(template), undefined));
  }

  it("find nothing in what is no JSON", () => {
    assert.equal(readerOf("{{ value_json.a }}")?.(new IncomingMessage(Buffer.from("21"))), undefined);
    assert.equal(readerOf("{{ value | float }}")?.(new IncomingMessage(Buffer.from("21.5"))), 21.5);
    assert.equal(readerOf("{{ value }}")?.(new IncomingMessage(Buffer.from([0xff, 0xfe]))), undefined);
  });
});

describe("templates that write", () => {
  it("put a value where it belongs", () => {
    assert.equal(writerOf(undefined)?.(50), "50");
    assert.equal(writerOf('{"level": {{ value }}}')?.(50), '{"level": 50}');
    assert.equal(writerOf('{"a":{"b":{{ value | int }}}}')?.(5), '{"a":{"b":5}}');
    assert.equal(writerOf('{"pos": {{ position }}}', ["position"])?.(20), '{"pos": 20}');
  });

  it("are not guessed where they are more than that", () => {
    for (const template of [
      "{{ value / 2 }}",
      "{{ position }}",
      "{% if value %}1{% endif %}",
      "static",
      '{{ {"a": value} | tojson }}',
    ]) {
      assert.equal(writerOf(template), undefined, template);
    }
  });
});
