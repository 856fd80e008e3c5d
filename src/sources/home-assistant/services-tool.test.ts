import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { briefly, line } from "./services-tool.ts";

describe("a service in brief", () => {
  const fields = {
    level: { required: true, selector: { number: { min: -5, max: 5, unit_of_measurement: "dB" } } },
    colour: { selector: { select: { options: Array.from({ length: 20 }, (_, i) => `c${i}`) } } },
    flash: { selector: { select: { options: [{ label: "Long", value: "long" }] } } },
    hs: { example: "[300, 70]", selector: { object: null } },
    more: { collapsed: true, fields: { quiet: { selector: { boolean: null }, description: "Whether it hushes." } } },
    odd: "no object",
  };
  const service = briefly({ description: "Does it.", target: { entity: [{ domain: ["light", "fan"] }] }, fields });

  it("says of each field what it may hold, also in sections", () => {
    assert.deepEqual(service, {
      description: "Does it.",
      target: ["light", "fan"],
      fields: {
        level: { required: true, values: "-5–5 dB" },
        colour: { values: "c0 | c1 | c2 | c3 | c4 | c5 | c6 | c7 | c8 | c9 | c10 | c11 | …" },
        flash: { values: "long" },
        hs: { example: "[300, 70]" },
        quiet: { description: "Whether it hushes.", values: "true | false" },
      },
    });
  });

  it("is two lines to read", () => {
    const { level, hs } = service.fields as { level: object; hs: object };
    assert.equal(
      line("x.y", { ...service, fields: { level, hs } }, "es"),
      "x.y (actúa sobre light, fan): Does it.\n  level (obligatorio; -5–5 dB), hs (p. ej. [300, 70])",
    );
    assert.equal(line("x.z", briefly({ name: "Z" }), "en"), "x.z: –");
    assert.equal(line("x.z", briefly({ target: { entity: [{}] } }), "en"), "x.z (acts on *): –");
  });
});
