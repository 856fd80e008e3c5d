import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { kindOf, type RoomKind } from "./room-kind.ts";

const EXPECTED: Readonly<Record<RoomKind, readonly string[]>> = {
  bathroom: ["bano", "Baño", "cuarto de baño", "Bathroom 2", "salle de bain", "WC", "浴室"],
  bedroom: ["dormitorio", "habitación de Ana", "Master Bedroom", "chambre", "卧室"],
  dining: ["comedor", "dining-room", "salle à manger", "餐厅"],
  garage: ["garage", "garaje", "车库"],
  kitchen: ["cocina", "KITCHEN", "cuisine", "厨房"],
  living: ["salon", "Salón", "sala", "living_room", "séjour", "客厅"],
  office: ["despacho", "home office", "bureau", "书房"],
  other: ["", "7", "Zimmer", "__proto__", "ensalada", "constructor"],
  outside: ["jardín", "garden", "terrasse", "阳台"],
  passage: ["pasillo", "Hall", "entrée", "玄关"],
};

describe("what a room is for", () => {
  for (const [kind, names] of Object.entries(EXPECTED)) {
    test(`${kind} is known by its name`, () => {
      assert.deepEqual(
        names.map((name) => [name, kindOf(name)]),
        names.map((name) => [name, kind]),
      );
    });
  }
});
