/** The houses of one node, as a test wants them: homes that change when it says so. */
import type { HomeChange, HomeView, HouseListener, HouseLive } from "../../src/doors/live/views.ts";

export class FakeHomes implements HouseLive {
  list: HomeView[] = [];
  readonly listeners = new Set<HouseListener>();

  async house(): Promise<null> {
    return null;
  }

  async setPresence(): Promise<undefined> {
    return undefined;
  }

  async homes(): Promise<readonly HomeView[]> {
    return this.list;
  }

  watch(listener: HouseListener): () => void {
    this.listeners.add(listener);
    for (const home of this.list) listener.home({ name: home.name, home });
    return () => this.listeners.delete(listener);
  }

  tell(change: HomeChange): void {
    for (const listener of this.listeners) listener.home(change);
  }
}

export function aHome(name: string): HomeView {
  return { name, state: "ready", areas: [], more: 0 };
}
