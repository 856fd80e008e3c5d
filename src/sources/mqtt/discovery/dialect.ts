/** What a dialect of discovery is: it takes messages of its own topics, and knows the devices that they describe. */
import type { Device, Message } from "./device.ts";

export interface Dialect {
  /** What it wants to hear. */
  readonly filters: readonly string[];
  /** Whether a message is for it alone: a description, and no value of anything. */
  isDescription(topic: string): boolean;
  /** Whether any device came, went or is another now. */
  take(topic: string, message: Message): boolean;
  devices(): Iterable<Device>;
  /** Whether something was left out for want of room. */
  readonly isFull: boolean;
}
