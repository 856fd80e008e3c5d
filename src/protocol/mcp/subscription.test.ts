import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Payload } from "../json/payload.ts";
import { filterFor, readAcknowledgement, subscriptionIdIn, withoutSubscriptionId } from "./subscription.ts";

const ID = "io.modelcontextprotocol/subscriptionId";

describe("what is listened for", () => {
  it("is what the server declares that it tells of, and the resources wanted", () => {
    const capabilities = {
      tools: { listChanged: true },
      prompts: { listChanged: false },
      resources: { listChanged: true },
    };
    assert.deepEqual(filterFor(capabilities, ["a"]), {
      toolsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ["a"],
    });
  });

  it("is nothing where nothing is told", () => {
    for (const capabilities of [{}, { tools: {} }, { tools: null }, { tools: { listChanged: "yes" } }]) {
      assert.equal(filterFor(capabilities, []), undefined);
    }
  });
});

describe("an acknowledgement", () => {
  it("says what is granted", () => {
    const granted = (notifications: unknown) => readAcknowledgement(Payload.ofValue({ notifications }));
    assert.deepEqual(granted({ resourceSubscriptions: ["a"] }), { isNothing: false, uris: ["a"] });
    assert.deepEqual(granted({ toolsListChanged: true }), { isNothing: false, uris: undefined });
    for (const nothing of [{}, null, "x", undefined]) {
      assert.deepEqual(granted(nothing), { isNothing: true, uris: undefined });
    }
  });
});

describe("the id of a subscription", () => {
  it("is found where it stands, as a number or as text", () => {
    assert.equal(subscriptionIdIn(Payload.ofText(`{"_meta":{"${ID}":7}}`)), 7);
    assert.equal(subscriptionIdIn(Payload.ofText(`{"_meta":{"${ID}":"7"}}`)), 7);
    for (const none of ["{}", '{"_meta":{}}', '{"_meta":null}', "[]", `{"${ID}":7}`]) {
      assert.equal(subscriptionIdIn(Payload.ofText(none)), undefined, none);
    }
  });

  it("is dropped, and _meta with it if there is nothing else in it", () => {
    const dropped = (text: string): string => withoutSubscriptionId(Payload.ofText(text)).text;
    assert.equal(dropped(`{"uri":"a","_meta":{"${ID}":7}}`), '{"uri":"a"}');
    assert.equal(dropped(`{"uri":"a","_meta":{"${ID}":7,"x":1.0}}`), '{"uri":"a","_meta":{"x":1.0}}');
    assert.equal(dropped('{ "uri":"a" }'), '{ "uri":"a" }');
  });
});
