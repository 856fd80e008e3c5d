/** Somebody ticks faster than the hub answers. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Binding, BoundTool } from "../../../contract/agent.ts";
import type { Tool } from "../../../contract/tool.ts";
import { LinkDesk, type LinkPorts } from "./link-desk.ts";

const toolOf = (id: string): Tool => ({
  id,
  name: id,
  description: "",
  scope: "",
  inputSchema: {},
  inputSchemaJson: "{}",
  serverId: "s",
  serverName: "house",
  serverSlug: "house",
});

/** A hub that keeps its links, refuses to make one twice, and answers when it is told to. */
class Hub implements LinkPorts {
  readonly links = new Map<string, Binding>();
  readonly log: string[] = [];
  atOnce = 0;
  mostAtOnce = 0;
  refuse: string | undefined;
  #made = 0;
  readonly #answers: (() => void)[] = [];

  async bind(toolId: string, enabled: boolean): Promise<Binding> {
    await this.#answer(`bind ${toolId}`);
    const isTaken = [...this.links.values()].some((link) => link.toolId === toolId);
    if (isTaken || this.refuse === toolId) throw new Error(`no link to ${toolId}`);
    return this.#keep({ id: `b${++this.#made}`, agentId: "a", toolId, config: null, enabled });
  }

  async change(id: string, enabled: boolean): Promise<Binding> {
    await this.#answer(`change ${id} ${enabled}`);
    return this.#keep({ ...(this.links.get(id) as Binding), enabled });
  }

  async unbind(id: string): Promise<void> {
    await this.#answer(`unbind ${id}`);
    assert.ok(this.links.delete(id), `${id} was taken away twice`);
  }

  bound(): BoundTool[] {
    return [...this.links.values()].map((link) => ({ ...link, tool: toolOf(link.toolId) }));
  }

  /** Answers everything, whatever comes of it included. */
  async answerAll(): Promise<void> {
    for (let idle = 0; idle < 20; idle++) {
      const answer = this.#answers.shift();
      if (answer) idle = 0;
      answer?.();
      await Promise.resolve();
    }
  }

  #keep(link: Binding): Binding {
    this.links.set(link.id, link);
    return link;
  }

  async #answer(what: string): Promise<void> {
    this.log.push(what);
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.atOnce);
    await new Promise<void>((resolve) => this.#answers.push(resolve));
    this.atOnce--;
  }
}

function open() {
  const hub = new Hub();
  const failures: string[] = [];
  let settled = 0;
  const desk = new LinkDesk(hub, {
    changed: () => {},
    failed: (_tool, cause) => failures.push(String(cause)),
    settled: () => settled++,
  });
  return { hub, desk, failures, settled: () => settled };
}

const namesOf = (desk: LinkDesk): string[] => desk.rows().map(({ tool }) => tool.id);

describe("ticks", () => {
  it("are shown before the hub has answered, and kept by it afterwards", async () => {
    const { hub, desk } = open();
    desk.link(toolOf("a"));
    assert.deepEqual(namesOf(desk), ["a"]);
    assert.ok(desk.isBusy("a"));
    await hub.answerAll();
    assert.deepEqual(desk.rows(), [{ tool: toolOf("a"), enabled: true, config: null, bindingId: "b1", busy: false }]);
    assert.deepEqual([...hub.links.keys()], ["b1"]);
  });

  it("on and off before the first answer come down to what was said last", async () => {
    const { hub, desk } = open();
    for (const linked of [true, false, true, false, true]) linked ? desk.link(toolOf("a")) : desk.unlink(toolOf("a"));
    await hub.answerAll();
    assert.deepEqual(hub.log, ["bind a"]);
    desk.unlink(toolOf("a"));
    desk.link(toolOf("a"));
    desk.unlink(toolOf("a"));
    await hub.answerAll();
    assert.deepEqual(hub.log, ["bind a", "unbind b1"]);
    assert.equal(hub.links.size, 0);
    assert.deepEqual(namesOf(desk), []);
  });

  it("that are taken back while the link is being made end without one", async () => {
    const { hub, desk } = open();
    desk.link(toolOf("a"));
    await Promise.resolve();
    assert.deepEqual(hub.log, ["bind a"]);
    desk.unlink(toolOf("a"));
    await hub.answerAll();
    assert.deepEqual(hub.log, ["bind a", "unbind b1"]);
    assert.equal(hub.links.size, 0);
  });

  it("of many tools are neither lost nor doubled, a few at once", async () => {
    const { hub, desk, failures, settled } = open();
    const ids = Array.from({ length: 200 }, (_, index) => `t${index}`);
    for (const id of ids) desk.link(toolOf(id));
    for (const id of ids.slice(0, 50)) desk.unlink(toolOf(id));
    for (const id of ids.slice(0, 25)) desk.link(toolOf(id));
    await hub.answerAll();
    const kept = [...hub.links.values()].map(({ toolId }) => toolId);
    assert.deepEqual(new Set(kept), new Set([...ids.slice(0, 25), ...ids.slice(50)]));
    assert.equal(kept.length, 175);
    assert.equal(hub.mostAtOnce, 4);
    assert.deepEqual(failures, []);
    assert.ok(desk.isSettled);
    assert.ok(settled() >= 1);
  });
});

describe("a link", () => {
  it("is switched off without being taken away", async () => {
    const { hub, desk } = open();
    desk.link(toolOf("a"));
    await hub.answerAll();
    desk.link(toolOf("a"), false);
    assert.equal(desk.rows()[0]?.enabled, false);
    await hub.answerAll();
    assert.deepEqual(hub.log, ["bind a", "change b1 false"]);
    assert.equal(hub.links.get("b1")?.enabled, false);
  });

  it("that the hub refuses is not shown any more, and said", async () => {
    const { hub, desk, failures } = open();
    hub.refuse = "a";
    desk.link(toolOf("a"));
    desk.link(toolOf("b"));
    await hub.answerAll();
    assert.deepEqual(namesOf(desk), ["b"]);
    assert.deepEqual(failures, ["Error: no link to a"]);
    assert.equal(desk.isBusy("a"), false);
  });
});

describe("the hub's list", () => {
  const bound: readonly BoundTool[] = [
    { id: "b9", agentId: "a", toolId: "z", tool: toolOf("z"), enabled: false, config: { allowedArguments: ["name"] } },
  ];

  it("is what is shown", () => {
    const { desk } = open();
    assert.ok(desk.load(bound, desk.wishes));
    assert.deepEqual(desk.rows(), [
      { tool: toolOf("z"), enabled: false, config: { allowedArguments: ["name"] }, bindingId: "b9", busy: false },
    ]);
  });

  it("is passed over if somebody ticked since it was asked for", async () => {
    const { hub, desk } = open();
    const before = desk.wishes;
    desk.link(toolOf("a"));
    assert.equal(desk.load(bound, before), false, "asked for before");
    assert.equal(desk.load(bound, desk.wishes), false, "asked for since, but the hub has not heard of it yet");
    await hub.answerAll();
    assert.equal(desk.load(bound, before), false, "done by now, but asked for before");
    assert.deepEqual(namesOf(desk), ["a"]);
    assert.ok(desk.load(hub.bound(), desk.wishes));
    assert.deepEqual(namesOf(desk), ["a"]);
  });
});
