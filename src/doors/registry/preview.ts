/** `POST /mcp/servers/preview`: what a server would bring, before it is registered. */
import { operations } from "../../contract/operations.ts";
import type { ServerPreview } from "../../contract/server.ts";
import type { Language } from "../../messages/catalogue.ts";
import type { Previewed } from "../../registry/preview.ts";
import type { DoorContext } from "../door.ts";
import { textOf } from "../mcp/failure.ts";
import { type RestRoute, route } from "../rest/route.ts";
import { stepsIn } from "./views.ts";

export function previewRoutes({ registry }: DoorContext): readonly RestRoute[] {
  return [
    route(operations.registry.previewServer, async ({ body, principal, language, leaving }) => {
      const previewed = await registry.previews.preview(body, principal, leaving());
      return { status: 200, body: previewView(previewed, language) };
    }),
  ];
}

function previewView({ found, error, nameTaken, steps, ms }: Previewed, language: Language): ServerPreview {
  const { transport = null, revision = null, serverInfo = null, tools = [] } = found ?? {};
  const shown = tools.map(({ name, description }) => ({ name, description: textIn(description) }));
  const reason = error ? textOf(error, language) : null;
  const told = stepsIn(steps, language);
  return { ok: !error, nameTaken, transport, revision, serverInfo, tools: shown, steps: told, ms, error: reason };
}

/** A server may say anything there. */
function textIn(description: unknown): string {
  return typeof description === "string" ? description : "";
}
