/** The ports of what several nodes share, over their implementations for one process. */
import { LocalAnswerCache } from "../../../src/core/shared/answer-cache.ts";
import { LocalChanges } from "../../../src/core/shared/changes.ts";
import { LocalRates } from "../../../src/core/shared/rates.ts";
import { describeAnswerCache } from "./answer-cache-suite.ts";
import { describeChanges } from "./changes-suite.ts";
import { describeRates } from "./rates-suite.ts";

describeAnswerCache("one process", (maxBytes) => new LocalAnswerCache(maxBytes));
describeChanges("one process", () => ({ changes: new LocalChanges(), arrived: async () => {} }));
describeRates("one process", (callsPerMinute) => new LocalRates(callsPerMinute));
