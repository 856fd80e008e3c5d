/** A hub with the real clock, cache and schema checker around the pure core. */

import type { Limits } from "../contract/limits.ts";
import type { Emit } from "../core/events.ts";
import { Hub, type KnownOffers } from "../core/hub.ts";
import type { AnswerCache } from "../core/shared/answer-cache.ts";
import type { Rates } from "../core/shared/rates.ts";
import { makeSchemaChecker } from "../schema/ajv-checker.ts";
import { systemClock, systemRandom } from "./system.ts";

interface HubSetup {
  readonly emit: Emit;
  readonly cache: AnswerCache;
  readonly rates: Rates;
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
    rates: setup.rates,
    limits: setup.limits,
    onListed: setup.onListed,
  });
}
