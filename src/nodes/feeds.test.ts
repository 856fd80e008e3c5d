import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { MemoryChannels } from "../../test/support/memory-channel.ts";
import { Feeds } from "./feeds.ts";

/** A node that records each poll of a topic, and publishes the value that the test sets. */
class CountingNode {
  readonly feeds: Feeds<string, number>;
  readonly polls: string[] = [];
  /** The topics that somebody watches. */
  readonly open = new Set<string>();
  value = 0;

  constructor(channels: MemoryChannels, name: string) {
    this.feeds = new Feeds<string, number>({
      open: channels.open(name),
      openPoller: (topic) => {
        let sent = -1;
        const poll = (): number | undefined => {
          this.polls.push(topic);
          if (sent === this.value) return undefined;
          sent = this.value;
          return sent;
        };
        this.open.add(topic);
        return { poll, close: () => this.open.delete(topic) };
      },
    });
  }
}

let channels: MemoryChannels;
beforeEach(() => {
  mock.timers.enable({ apis: ["setInterval"] });
  channels = new MemoryChannels();
});
afterEach(() => mock.timers.reset());

async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 250) {
    mock.timers.tick(250);
    await turn();
  }
}

describe("what happens at another node", () => {
  it("is told at first as it stands, and then when it changes", async () => {
    const [uno, dos] = ["uno", "dos"].map((name) => new CountingNode(channels, name)) as [CountingNode, CountingNode];
    dos.value = 7;
    const heard: unknown[] = [];
    uno.feeds.watch("k", "calls", ({ node }, batch) => heard.push([node, batch]));
    await turn();
    assert.deepEqual(heard, [["dos", 7]]);
    await pass(1_000);
    assert.equal(heard.length, 1);
    dos.value = 8;
    await pass(250);
    assert.deepEqual(heard.at(-1), ["dos", 8]);
    assert.deepEqual(uno.polls, [], "nobody watches there");
  });

  it("is neither looked at nor told while nobody watches", async () => {
    const [uno, dos] = ["uno", "dos"].map((name) => new CountingNode(channels, name)) as [CountingNode, CountingNode];
    await pass(10_000);
    assert.deepEqual([dos.polls, channels.sent], [[], []]);
    const stop = uno.feeds.watch("k", "calls", () => {});
    await pass(500);
    stop();
    await turn();
    const [looked, sent] = [dos.polls.length, channels.sent.length];
    assert.ok(looked > 0);
    assert.equal(dos.open.size, 0);
    dos.value = 9;
    await pass(10_000);
    assert.deepEqual([dos.polls.length, channels.sent.length], [looked, sent]);
  });

  it("is told on for as long as the wish is renewed, and no longer", async () => {
    const [uno, dos] = ["uno", "dos"].map((name) => new CountingNode(channels, name)) as [CountingNode, CountingNode];
    uno.feeds.watch("k", "calls", () => {});
    await pass(60_000);
    const looked = dos.polls.length;
    assert.ok(looked > 200, `${looked} polls`);
    // From here on its wishes do not arrive.
    channels.deaf.add("dos");
    await pass(20_000);
    const last = dos.polls.length;
    await pass(5_000);
    assert.deepEqual([dos.polls.length, dos.open.size], [last, 0]);
    channels.deaf.delete("dos");
    await pass(5_000);
    assert.ok(dos.polls.length > last, "and begins again with the next wish");
  });

  it("is told of each topic by itself, and no more of one that is watched no longer", async () => {
    const [uno, dos] = ["uno", "dos"].map((name) => new CountingNode(channels, name)) as [CountingNode, CountingNode];
    const stop = uno.feeds.watch("a", "alice", () => {});
    uno.feeds.watch("b", "bob", () => {});
    await pass(250);
    assert.deepEqual(new Set(dos.polls), new Set(["alice", "bob"]));
    stop();
    await turn();
    dos.polls.length = 0;
    await pass(500);
    assert.deepEqual([new Set(dos.polls), dos.open], [new Set(["bob"]), new Set(["bob"])]);
  });

  it("is wanted of a node that comes, and not told to one that is gone", async () => {
    const uno = new CountingNode(channels, "uno");
    const heard: string[] = [];
    uno.feeds.watch("k", "calls", ({ node }) => heard.push(node));
    const dos = new CountingNode(channels, "dos");
    channels.changed();
    await turn();
    assert.deepEqual(heard, ["dos"]);
    channels.leave("uno");
    dos.polls.length = 0;
    await pass(1_000);
    assert.deepEqual([dos.polls, dos.open.size], [[], 0]);
  });
});
