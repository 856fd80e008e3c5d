import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PLACES } from "../../contract/generated.ts";
import type { DoorContext } from "../door.ts";
import { registryRoutes } from "./routes.ts";

describe("the registry's endpoints", () => {
  it("are at the places that are described, and no others", () => {
    const described = registryRoutes({ registry: {} } as DoorContext);
    const places = (all: readonly (readonly [string, string])[]) => all.map((place) => place.join(" ")).sort();
    assert.deepEqual(
      places(described.map(({ method, path }) => [method, path])),
      places(Object.values(PLACES.registry).map(([method, path]) => [method, path])),
    );
    assert.equal(new Set(described.map(({ operationId }) => operationId)).size, described.length);
  });
});
