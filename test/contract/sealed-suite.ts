/** What every store promises of what is kept under seal. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { SealedText } from "../../src/store/sealed.ts";
import type { Store } from "../../src/store/store.ts";
import { newServer } from "./registry-fixtures.ts";
import type { StoreUnderTest } from "./store-suite.ts";

const ODD = "salón 客厅 🏠 \u0000 \u{F8E0} ' \" \\ %";

export function describeSealed(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`what is under seal in ${name}`, () => {
    let subject: StoreUnderTest;
    let store: Store;
    beforeEach(async () => {
      subject = await open();
      ({ store } = subject);
    });
    afterEach(() => subject.dispose());

    const read = async (place: SealedText["place"]): Promise<SealedText> =>
      (await store.sealed.list()).find((one) => one.place === place) ?? assert.fail(place);
    const server = (): ReturnType<Store["registry"]["servers"]["create"]> =>
      store.registry.servers.create(newServer("Letras", { baseUrl: "https://example.org", sealed: ODD }));
    const api = async (): Promise<string> => {
      const id = randomUUID();
      const usual = { kind: "tool", baseUrl: "https://api.example.org", enabled: true, allowPrivate: false } as const;
      const tools = [{ code: "clima", enabled: true, described: `${ODD} of the tool` }];
      await store.apis.save([{ api: { id, name: "weather", ...usual, described: ODD, sealed: "v1.x" }, tools }]);
      return id;
    };

    it("is found wherever it stands, with what it was sealed for", async () => {
      await store.registry.servers.create(newServer("open", { baseUrl: "https://example.org" }));
      const { id } = await server();
      const apiId = await api();
      const [tool] = await store.apis.tools();
      const told = (await store.sealed.list()).map(({ place, owner, ...rest }) => [place, owner, rest.id, rest.text]);
      assert.deepEqual(told, [
        ["server", "Letras", id, ODD],
        ["api", apiId, apiId, "v1.x"],
        ["api-description", apiId, apiId, ODD],
        ["tool-description", apiId, tool?.id, `${ODD} of the tool`],
      ]);
    });

    it("is replaced without any other change", async () => {
      const before = await server();
      await api();
      for (const one of await store.sealed.list()) assert.ok(await store.sealed.replace(one, `${one.text} anew`));
      assert.deepEqual(await store.registry.servers.get(before.id), { ...before, sealed: `${ODD} anew` });
      const [kept] = await store.apis.list();
      assert.deepEqual([kept?.sealed, kept?.described], ["v1.x anew", `${ODD} anew`]);
      assert.equal((await store.apis.tools())[0]?.described, `${ODD} of the tool anew`);
    });

    it("is not replaced once somebody has changed or removed it", async () => {
      const { id } = await server();
      const old = await read("server");
      await store.registry.servers.change(id, { sealed: "given anew" });
      assert.equal(await store.sealed.replace(old, "too late"), false);
      assert.equal((await store.registry.servers.get(id))?.sealed, "given anew");
      const current = await read("server");
      await store.registry.servers.delete(id);
      assert.equal(await store.sealed.replace(current, "too late"), false);
      assert.deepEqual(await store.sealed.list(), []);
    });
  });
}
