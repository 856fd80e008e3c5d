/** Seals what one life of a node says: AES-256-GCM under a key of this life alone, with a counter for a nonce. */
import { createCipheriv, type KeyObject } from "node:crypto";
import type { Sender } from "./bus.ts";
import type { ClusterSecret } from "./cluster-secret.ts";
import { associatedData, nonceOf, TAG_BYTES, writeHeader } from "./envelope.ts";

export class Sealer {
  readonly #us: Sender;
  readonly #keyId: number;
  readonly #key: KeyObject;
  readonly #clock: () => number;
  #last = 0;

  constructor(secret: ClusterSecret, prefix: string, us: Sender, clock: () => number = Date.now) {
    this.#us = us;
    this.#keyId = secret.idIn(prefix);
    this.#key = secret.keyOf(prefix, us.node, us.boot);
    this.#clock = clock;
  }

  /** A number that was never given before, and which seals one envelope at most. */
  take(): number {
    return ++this.#last;
  }

  /** @param receiverBoot "" for any life of the receiver */
  seal(counter: number, content: Buffer, subject: string, receiverBoot: string): Buffer {
    const header = writeHeader({ ...this.#us, keyId: this.#keyId, receiverBoot, counter, time: this.#clock() });
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonceOf(counter), { authTagLength: TAG_BYTES });
    cipher.setAAD(associatedData(subject, header));
    const sealed = cipher.update(content);
    cipher.final();
    return Buffer.concat([header, sealed, cipher.getAuthTag()]);
  }
}
