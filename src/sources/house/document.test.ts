import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HouseConfig } from "../../config/types.ts";
import { memoryDocuments } from "../../store/memory-documents.ts";
import { HouseDocument } from "./document.ts";
import { setAlarm, setLight } from "./state.ts";

const CONFIG: HouseConfig = {
  lights: ["hall", "salon"],
  alarmDefault: true,
  presenceDefault: { present: true, knownPeople: ["Ana"] },
};

describe("the document of the simulated house", () => {
  it("is the house of the configuration until it was changed, and writes nothing by being read", async () => {
    const documents = memoryDocuments();
    const { lights, alarm, presence } = await new HouseDocument(documents, CONFIG).read();
    assert.deepEqual({ ...lights }, { hall: false, salon: false });
    assert.deepEqual([alarm, presence], [true, { present: true, known_people: ["Ana"] }]);
    assert.equal(await documents.get("house", "state"), undefined);
  });

  it("is one house for all who have it, and says how it is after a change", async () => {
    const documents = memoryDocuments();
    const [one, other] = [new HouseDocument(documents, CONFIG), new HouseDocument(documents, CONFIG)];
    const changed = await one.change((state) => setLight(setAlarm(state, false), "salon", true));
    assert.deepEqual(changed, await other.read());
    assert.deepEqual([changed.alarm, changed.lights["salon"]], [false, true]);
  });

  it("has the lights that the configuration gives it now", async () => {
    const documents = memoryDocuments();
    await new HouseDocument(documents, CONFIG).change((state) => setLight(state, "salon", true));
    const { lights } = await new HouseDocument(documents, { ...CONFIG, lights: ["salon", "new"] }).read();
    assert.deepEqual({ ...lights }, { salon: true, new: false });
  });

  it("knows who is there; nobody, if nobody is named", async () => {
    const house = new HouseDocument(memoryDocuments(), CONFIG);
    assert.deepEqual((await house.setPresence(["Eva"])).presence, { present: true, known_people: ["Eva"] });
    assert.deepEqual((await house.setPresence([])).presence, { present: false, known_people: [] });
  });
});
