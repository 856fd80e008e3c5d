import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ADMIN, LIMITED, LOCAL, PLAIN } from "../../test/support/registry-ports.ts";
import { RIGHTS, type Right } from "../contract/operation.ts";
import type { Principal } from "../core/call.ts";
import { refuseUnless } from "./rights.ts";

const AGENT: Principal = { id: "agent:1", kind: "agent", name: "guest", links: { find: () => undefined } };
const EVERYBODY: readonly Principal[] = [LOCAL, ADMIN, PLAIN, LIMITED, AGENT];

describe("a right", () => {
  const HOLDERS: Readonly<Record<Right, readonly Principal[]>> = {
    nobody: EVERYBODY,
    see: EVERYBODY,
    call: EVERYBODY,
    unlimited: [LOCAL, ADMIN, PLAIN],
    admin: [LOCAL, ADMIN],
  };
  for (const right of Object.keys(RIGHTS) as Right[]) {
    it(`to ${right} has who holds it, and nobody else`, () => {
      for (const principal of EVERYBODY) {
        if (HOLDERS[right].includes(principal)) refuseUnless(right, principal);
        else assert.throws(() => refuseUnless(right, principal), { code: "FORBIDDEN" }, principal.name);
      }
    });
  }

  it("to admin is none of a key that is limited, whatever else it says", () => {
    assert.throws(() => refuseUnless("admin", { ...ADMIN, allow: ["*"] }), { code: "FORBIDDEN" });
  });
});
