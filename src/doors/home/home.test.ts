import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { LOCAL, type OpenDoors, openDoors } from "../../../test/support/open-doors.ts";
import { PLACES } from "../../contract/generated.ts";
import { mayUse } from "../../core/access.ts";
import type { Principal } from "../../core/call.ts";
import type { DoorContext } from "../door.ts";
import { openApi } from "../rest/openapi.ts";
import { describedOperations } from "../rest/route.ts";
import { home } from "./index.ts";

type HouseLive = NonNullable<DoorContext["houseLive"]>;

const HOMES = [{ name: "madrid", state: "ready", areas: [], more: 3 }] as const;
const EMPTY = { present: false, known_people: [] };

describe("GET /house", () => {
  it("shows the simulated house and every home", async () => {
    const { status, json } = await doors.ask("/house");
    assert.equal(status, 200);
    assert.deepEqual(json, { house: { ...STILL, presence: EMPTY }, homes: HOMES });
  });

  it("says null where there is no simulated house", async () => {
    isThere = false;
    assert.deepEqual((await doors.ask("/house")).json, { house: null, homes: HOMES });
  });

  it("shows an ordinary key everything, whatever tools are known", async () => {
    doors.gateway.findTool = () => undefined;
    principal = { id: "key:k", kind: "key", name: "k" };
    assert.deepEqual((await doors.ask("/house")).json, { house: { ...STILL, presence: EMPTY }, homes: HOMES });
  });

  it("shows who may use some tools only what these would tell it, and no homes", async () => {
    const seen = async (allow: readonly string[]): Promise<unknown> => {
      principal = { id: "key:k", kind: "key", name: "k", allow };
      return (await doors.ask("/house")).json;
    };
    const nothing = { house: null, homes: [] };
    assert.deepEqual(await seen(["house__get_presence"]), nothing);
    assert.deepEqual(await seen(["madrid__*"]), nothing);
    assert.deepEqual(await seen(["get_all_states"]), { house: { ...STILL, presence: EMPTY }, homes: [] });
    assert.deepEqual(await seen(["house__*"]), { house: { ...STILL, presence: EMPTY }, homes: [] });
  });
});

describe("PUT /house/presence", () => {
  it("says who is there, and shows the house as it is then", async () => {
    const { status, json } = await put({ people: ["Ana", " Luis "] });
    assert.equal(status, 200);
    assert.deepEqual(json["presence"], { present: true, known_people: ["Ana", "Luis"] });
    assert.deepEqual((await doors.ask("/house")).json["house"], json);
    assert.deepEqual((await put({ people: [] })).json["presence"], EMPTY);
  });

  it("is for administrators", async () => {
    principal = { id: "key:k", kind: "key", name: "k" };
    const { status, json } = await put({ people: ["Ana"] });
    assert.deepEqual([status, json["code"]], [403, "FORBIDDEN"]);
    assert.deepEqual(people, []);
  });

  it("has a limit for names and their length, and says what is wrong", async () => {
    const many = (length: number): string[] => Array.from({ length }, (_, n) => `p${n}`);
    assert.equal((await put({ people: [...many(49), "ñ".repeat(100)] })).status, 200);
    const wrong = [
      [{ people: many(51) }, "people"],
      [{ people: ["x".repeat(101)] }, "people[0]"],
      [{ people: ["Ana", " "] }, "people[1]"],
      [{ people: ["Ana\u001b[2J"] }, "people[0]"],
      [{ people: "Ana" }, "people"],
      [{}, "people"],
      [{ people: [], persons: [] }, "persons"],
    ] as const;
    for (const [body, field] of wrong) {
      const { status, json } = await put(body);
      const errors = json["errors"] as { field: string }[];
      assert.deepEqual([status, errors[0]?.field], [400, field], JSON.stringify(body));
    }
    assert.equal(people.length, 50);
  });

  it("says so where there is no simulated house, in the caller's language", async () => {
    isThere = false;
    const { status, json, headers } = await put({ people: ["Ana"] }, { "accept-language": "es" });
    assert.deepEqual([status, json["code"]], [404, "NO_HOUSE"]);
    assert.equal(headers["content-type"], "application/problem+json");
    assert.match(String(json["detail"]), /no hay casa simulada/);
  });
});

describe("what is at each place", () => {
  it("is what its description says", async () => {
    const operations = await describedOperations(doors.gateway);
    assert.deepEqual(
      operations.map(({ method, path }) => [method, path]),
      Object.values(PLACES.home).map(([method, path]) => [method, path]),
    );
    const document = JSON.parse(JSON.stringify(openApi(operations, "1")));
    const taken = document.components.schemas.Presence.properties.people;
    assert.deepEqual([taken.maxItems, taken.items.maxLength, taken.items.minLength], [50, 100, 1]);
    assert.deepEqual(document.paths["/house"].get.responses["200"].content["application/json"].schema, {
      $ref: "#/components/schemas/Houses",
    });
  });
});

const STILL = { lights: { salon: true }, alarm: false };

let doors: OpenDoors;
let principal: Principal;
let people: readonly string[];
let isThere: boolean;

beforeEach(async () => {
  principal = LOCAL;
  people = [];
  isThere = true;
  const house: HouseLive["house"] = async () =>
    isThere ? { ...STILL, presence: { present: people.length > 0, known_people: people } } : null;
  const houseLive: HouseLive = {
    house,
    setPresence: async (given) => {
      if (isThere) people = given;
      return (await house()) ?? undefined;
    },
    homes: async () => HOMES,
    watch: () => assert.fail("nobody listens here"),
  };
  doors = await openDoors([home], { authenticate: async () => principal, context: { houseLive } });
  doors.gateway.findTool = (who, name) => {
    const [source = "", tool = ""] = name.split("__");
    return isThere && mayUse(who, source, tool) ? { name: tool, inputSchema: {} } : undefined;
  };
});

afterEach(() => doors.close());

function put(body: object, headers: Readonly<Record<string, string>> = {}) {
  const json = { "content-type": "application/json", ...headers };
  return doors.ask("/house/presence", { method: "PUT", headers: json, body: JSON.stringify(body) });
}
