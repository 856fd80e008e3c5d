/** A hub with the real clock, cache and schema checker around the pure core. */

import type { Limits } from "../contract/limits.ts";
import type { CallCache } from "../core/call-cache.ts";
import type { Emit } from "../core/events.ts";
import { Hub, type KnownOffers } from "../core/gateway.ts";
import { makeSchemaChecker } from "../schema/ajv-checker.ts";
import { systemClock, systemRandom } from "./system.ts";

export interface HubSetup {
  readonly emit: Emit;
  readonly cache: CallCache;
  limits(): Limits;
  onListed(source: string, offers: KnownOffers): void;
  onSchemaSkipped(reason: string): void;
}

export function makeHub(setup: HubSetup): Hub {
  return new Hub({
    clock: systemClock,
    random: systemRandom,
    emit: setup.emit,
    checker: makeSchemaChecker({ onSkipped: setup.onSchemaSkipped }),
    cache: setup.cache,
    limits: setup.limits,
    onListed: setup.onListed,
  });
}
