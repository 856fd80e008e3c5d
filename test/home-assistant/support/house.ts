/** The one real house that the tests of a file share, and its lamp. */
import { setTimeout as sleep } from "node:timers/promises";
import { type RealHome, startRealHome } from "../../support/real-home.ts";
import { HouseSocket } from "./house-socket.ts";
import { type Answer, Rest } from "./rest.ts";

export const LAMP = "light.salon_lamp";
/** What the lamp is a template of: it changes first. */
export const BEHIND_LAMP = "input_boolean.salon";

const LIMIT_MS = 60_000;

export class House {
  #home: RealHome | undefined;

  async open(): Promise<void> {
    this.#home = await startRealHome();
  }

  async close(): Promise<void> {
    await this.#home?.stop();
  }

  get home(): RealHome {
    if (!this.#home) throw new Error("the house is not open");
    return this.#home;
  }

  get rest(): Rest {
    return new Rest(this.home);
  }

  switchLamp(to: "on" | "off"): Promise<Answer> {
    return this.rest.post(`/api/services/light/turn_${to}`, { entity_id: LAMP });
  }

  async withSocket(work: (socket: HouseSocket) => Promise<void>): Promise<void> {
    const socket = await HouseSocket.authenticated(this.home);
    try {
      await work(socket);
    } finally {
      socket.close();
    }
  }
}

/** Waits until it does; fails after a time that no working machine needs. */
export async function holds(condition: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error("it never became so");
    await sleep(100);
  }
}
