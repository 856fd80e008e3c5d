/** Renews docs/rights.md from the doors' declarations. */
import { writeFileSync } from "node:fs";
import { shownRights, tableOfRights } from "../test/support/rights-table.ts";

writeFileSync(new URL("../docs/rights.md", import.meta.url), shownRights(await tableOfRights()));
