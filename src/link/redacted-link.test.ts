/** A link whose other end repeats what it was given. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ZaguanError } from "../errors.ts";
import { type Ending, sayEnding } from "./ending.ts";
import { HttpStatus, statusOf } from "./http-failures.ts";
import { type Link, type LinkHandlers, TAKEN } from "./link.ts";
import { openRedacted } from "./redacted-link.ts";

const HUSH = "hUsh-9x8y7z6w";

function openedWith(heard: string[]): { handlers: LinkHandlers; said: LinkHandlers[]; link: Link } {
  const handlers: LinkHandlers = {
    onMessage: (message) => heard.push(message),
    onLog: (line) => heard.push(line),
    onNoise: (line) => heard.push(line),
    onTooLarge: ({ head, tail }) => heard.push(head, tail),
  };
  const ending: Ending = { kind: "exited", reason: `it said ${HUSH}`, words: `so ${HUSH}` };
  const link: Link = { send: () => TAKEN, closed: Promise.resolve(ending), close: async () => {} };
  return { handlers, said: [], link };
}

describe("a link to somebody who was given a secret", () => {
  it("brings it back in nothing that is heard, nor in the reason of its end", async () => {
    const heard: string[] = [];
    const { handlers, said, link } = openedWith(heard);
    const opened = await openRedacted([HUSH], handlers, async (clean) => {
      said.push(clean);
      return link;
    });
    const [far] = said;
    far?.onMessage(`{"id":1,"result":"${HUSH}"}`);
    far?.onLog?.(`log ${HUSH}`);
    far?.onNoise?.(`noise ${HUSH.slice(0, 9)}`);
    far?.onTooLarge?.({ bytes: 9, limit: 1, head: `{"a":"${HUSH}`, tail: `${HUSH}"}` });
    assert.deepEqual(heard, [
      '{"id":1,"result":"[redacted]"}',
      "log [redacted]",
      "noise [redacted]",
      '{"a":"[redacted]',
      '[redacted]"}',
    ]);
    assert.equal(sayEnding(await opened.closed), "it said [redacted]: so [redacted]");
    assert.equal(opened.send("x"), TAKEN, "who need not wait is told so");
  });

  it("brings it back in no failure, and the failure stays what it was", async () => {
    const params = { source: "s", reason: `it redirects to ${HUSH}` };
    const relayed = { code: -32000, message: HUSH, data: { seen: [HUSH] } };
    const error = new ZaguanError("SOURCE_ERROR", {
      params,
      relayed,
      delivery: "unknown",
      cause: new HttpStatus(500, HUSH),
    });
    const { handlers, link } = openedWith([]);
    const failing: Link = { ...link, send: () => Promise.reject(error) };
    const opened = await openRedacted([HUSH], handlers, async () => failing);
    const told = (await opened.send("x").catch((cause) => cause)) as ZaguanError;
    assert.deepEqual([told.code, told.delivery, statusOf(told)], ["SOURCE_ERROR", "unknown", 500]);
    assert.doesNotMatch(`${JSON.stringify(told.details)} ${told.message} ${(told.cause as Error).stack}`, /hUsh/);
    await assert.rejects(
      openRedacted([HUSH], handlers, () => Promise.reject(new Error(HUSH))),
      /^Error: \[redacted\]$/,
    );
  });

  it("is the very link, with the very handlers, where there is no secret", async () => {
    const { handlers, said, link } = openedWith([]);
    const opened = await openRedacted([], handlers, async (given) => {
      said.push(given);
      return link;
    });
    assert.ok(opened === link && said[0] === handlers);
  });
});
