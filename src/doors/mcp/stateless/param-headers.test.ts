import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeTool } from "../../../../test/support/make-call.ts";
import type { ZaguanError } from "../../../errors.ts";
import { Payload } from "../../../protocol/json/payload.ts";
import { checkParamHeaders } from "./param-headers.ts";

const LEVEL = { type: "integer", "x-mcp-header": "Level" };
const TOOL = makeTool("lamp", { inputSchema: { type: "object", properties: { level: LEVEL } } });
const ARGS = Payload.ofText('{"level":3}');

describe("headers that a tool wants for its arguments", () => {
  it("must be there and say what the arguments say", () => {
    checkParamHeaders(TOOL, ARGS, headers({ "mcp-param-level": "3" }));
    for (const wrong of [undefined, "4", ""]) {
      assert.throws(() => checkParamHeaders(TOOL, ARGS, headers({ "mcp-param-level": wrong })), isMismatch);
    }
  });

  it("are not asked for where the argument is absent", () => {
    checkParamHeaders(TOOL, Payload.ofText("{}"), headers({}));
  });

  it("are not asked for on a carrier without headers, of a tool that nobody knows, nor of one that wants none", () => {
    checkParamHeaders(TOOL, ARGS, undefined);
    checkParamHeaders(undefined, ARGS, headers({}));
    checkParamHeaders(makeTool("door"), ARGS, headers({}));
  });

  it("are those of the tool as it is now, not as it was", () => {
    const changed = makeTool("lamp", { inputSchema: { type: "object", properties: { level: { type: "integer" } } } });
    for (let n = 0; n < 2; n++) {
      assert.throws(() => checkParamHeaders(TOOL, ARGS, headers({})), isMismatch);
      checkParamHeaders(changed, ARGS, headers({}));
    }
  });

  it("are found without reading the arguments of a tool that wants none", () => {
    checkParamHeaders(makeTool("door"), Payload.ofText("this is never parsed"), headers({}));
  });
});

function headers(given: Readonly<Record<string, string | undefined>>): (name: string) => string | undefined {
  return (name) => given[name];
}

function isMismatch(error: ZaguanError): boolean {
  return error.code === "HEADER_MISMATCH" && error.details.data?.["header"] === "mcp-param-level";
}
