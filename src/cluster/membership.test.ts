import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Membership, type MembershipEffect } from "./membership.ts";

const A1 = { node: "a", boot: "001" };
const A2 = { node: "a", boot: "002" };

function open() {
  const effects: MembershipEffect[] = [];
  const membership = new Membership({ node: "self", boot: "009" }, (effect) => effects.push(effect));
  let now = 0;
  const told = () => effects.splice(0).flatMap((effect) => (effect.do === "cast" ? [] : describeEffect(effect)));
  return {
    membership,
    told,
    beats: () => effects.splice(0).filter((effect) => effect.do === "cast").length,
    hear: (from: typeof A1, count: number, weight = 1, nextMs = 250) =>
      membership.heard(from, { kind: "beat", count, weight, load: 0, nextMs }, now),
    pass: (ms: number, step = 50) => {
      for (const end = now + ms; now < end; ) {
        now += step;
        membership.tick(now, 1, 0);
      }
    },
  };
}

function describeEffect(effect: Exclude<MembershipEffect, { do: "cast" }>): string {
  if (effect.do === "replaced") return `replaced by ${effect.by.boot}`;
  return `${effect.do} ${effect.peer.boot}${effect.do === "gone" ? ` ${effect.why}` : ""}`;
}

describe("membership", () => {
  it("beats four times a second", () => {
    const { pass, beats } = open();
    pass(1_000);
    assert.equal(beats(), 4);
  });

  it("takes a node for gone after a second of silence, and for alive again when it beats again", () => {
    const { membership, hear, pass, told } = open();
    hear(A1, 1);
    pass(950);
    assert.deepEqual(told(), ["came 001"]);
    pass(100);
    assert.deepEqual(told(), ["gone 001 silent"]);
    assert.ok(!membership.isAlive(A1));
    hear(A1, 2);
    assert.deepEqual(told(), ["came 001"]);
    assert.ok(membership.isAlive(A1));
  });

  it("beats more rarely where there are many nodes, and again as often when they are gone", () => {
    const { membership, hear, pass, told } = open();
    for (let number = 0; number < 400; number++) hear({ node: `n${number}`, boot: "001" }, 1);
    assert.equal(membership.beatMs, 1_000);
    pass(1_050);
    told();
    assert.equal(membership.beatMs, 250);
  });

  it("waits for a node that beats rarely as many beats as for any other", () => {
    const { hear, pass, told } = open();
    hear(A1, 1, 1, 1_000);
    pass(3_950);
    assert.deepEqual(told(), ["came 001"]);
    pass(100);
    assert.deepEqual(told(), ["gone 001 silent"]);
  });

  it("takes a boot for gone when a newer one of its node is heard", () => {
    const { membership, hear, told } = open();
    hear(A1, 7);
    hear(A2, 1);
    assert.deepEqual(told(), ["came 001", "gone 001 replaced", "came 002"]);
    assert.ok(!membership.isAlive(A1) && membership.isAlive(A2));
  });

  it("ignores a late beat of an earlier boot, and one that was overtaken", () => {
    const { hear, pass, told } = open();
    hear(A2, 5);
    hear(A1, 9);
    pass(900);
    hear(A2, 4);
    assert.deepEqual(told(), ["came 002"]);
    pass(150);
    assert.deepEqual(told(), ["gone 002 silent"]);
  });

  it("believes a goodbye at once, and no beat that comes after it", () => {
    const { membership, hear, told } = open();
    hear(A1, 1);
    membership.left(A1, 0);
    hear(A1, 2);
    assert.deepEqual(told(), ["came 001", "gone 001 left"]);
  });

  it("blames nobody for its own pause", () => {
    const { hear, pass, told } = open();
    pass(50);
    hear(A1, 1);
    pass(20_000, 20_000);
    assert.deepEqual(told(), ["came 001"]);
    pass(1_050);
    assert.deepEqual(told(), ["gone 001 silent"]);
  });

  it("knows itself, and only its own boot", () => {
    const { membership } = open();
    assert.ok(membership.isAlive({ node: "self", boot: "009" }));
    assert.ok(!membership.isAlive({ node: "self", boot: "008" }));
  });

  it("tells when a newer process runs under its own name, and ignores an older one", () => {
    const { hear, told } = open();
    hear({ node: "self", boot: "008" }, 1);
    hear({ node: "self", boot: "010" }, 1);
    assert.deepEqual(told(), ["replaced by 010"]);
  });

  it("has another version whenever placement could change", () => {
    const { membership, hear } = open();
    const versions = [membership.version];
    for (const weight of [1, 1, 0.5]) {
      hear(A1, versions.length, weight);
      versions.push(membership.version);
    }
    assert.deepEqual(versions, [0, 1, 1, 2]);
    assert.deepEqual(
      membership.members().map(({ node, weight }) => [node, weight]),
      [["a", 0.5]],
    );
  });
});
