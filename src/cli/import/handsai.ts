/** Providers that HandsAI exported, with their tools, to the running hub. */
import type { Context } from "../command.ts";
import { connectHub } from "../hub-client.ts";
import { printNote, printOutcome } from "../output.ts";
import { patiently } from "./api-client.ts";

/** As the hub tells it again. */
interface Provider {
  readonly code: string;
  readonly authenticationType: string;
  readonly apiKeyValue: string | null;
  readonly isDynamicAuth?: boolean;
  readonly oauth2?: { readonly clientSecret?: string };
  readonly tools: readonly unknown[];
}

const PLACE = "/api/import/providers";

export async function importProviders(context: Context, providers: readonly unknown[]): Promise<number> {
  const taken = (await patiently(context, (timing) =>
    connectHub(context).send("POST", PLACE, providers, timing),
  )) as readonly Provider[];
  const count = taken.reduce((sum, { tools }) => sum + tools.length, 0);
  const names = taken.map(({ code }) => code).join(", ");
  printOutcome(context, taken, context.say("cli.import.doneProviders", { count, names }));
  const without = taken.filter(lacksSecret).map(({ code }) => code);
  if (without.length > 0) printNote(context, "cli.import.noKeys", { names: without.join(", ") });
  return 0;
}

/** An export has placeholders where keys were. */
function lacksSecret({ authenticationType, apiKeyValue, isDynamicAuth, oauth2 }: Provider): boolean {
  if (authenticationType === "NONE" || isDynamicAuth) return false;
  return authenticationType === "OAUTH2" ? oauth2?.clientSecret === undefined : apiKeyValue === null;
}
