/** The REST API: a table of paths, and what each of them answers. */
import { type Answer, json, jsonText, message, plain, trouble } from "./answers.ts";
import { malformed } from "./automation-config.ts";
import { newContext } from "./context.ts";
import { ServiceFailure } from "./failures.ts";
import type { House } from "./house.ts";
import { historyPeriod } from "./rest-history.ts";
import { isEntityId } from "./states.ts";
import { type Data, isObject } from "./voluptuous.ts";

export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly authorization: string | undefined;
  readonly body: string;
}

type View = (house: House, asked: Asked, ...parts: string[]) => Answer;
interface Route {
  readonly path: RegExp;
  readonly views: Readonly<Record<string, View>>;
}

const ROUTES: readonly Route[] = [
  { path: /^\/api\/$/, views: { GET: () => message("API running.") } },
  { path: /^\/api\/core\/state$/, views: { GET: coreState } },
  { path: /^\/api\/config$/, views: { GET: (house) => json(house.config()) } },
  { path: /^\/api\/states$/, views: { GET: allStates } },
  { path: /^\/api\/states\/([^/]+)$/, views: { GET: oneState, POST: writeState, DELETE: removeState } },
  { path: /^\/api\/services$/, views: { GET: services } },
  { path: /^\/api\/services\/([^/]+)\/([^/]+)$/, views: { POST: callService } },
  { path: /^\/api\/history\/period$/, views: { GET: (house, { url }) => historyPeriod(house, url) } },
  {
    path: /^\/api\/history\/period\/([^/]+)$/,
    views: { GET: (house, { url }, start) => historyPeriod(house, url, start) },
  },
  {
    path: /^\/api\/config\/automation\/config\/([^/]+)$/,
    views: { GET: readAutomation, POST: writeAutomation, DELETE: deleteAutomation },
  },
];

/** The path is looked at before the token is: an unknown one is 404 to anybody. */
export function answerRest(house: House, token: string, asked: Asked): Answer {
  for (const { path, views } of ROUTES) {
    const match = path.exec(asked.url.pathname);
    if (!match) continue;
    const view = views[asked.method];
    if (!view) return plain(405, { allow: [...Object.keys(views), "OPTIONS"].join(",") });
    if (asked.authorization !== `Bearer ${token}`) return unauthorized(house, asked.url);
    return view(house, asked, ...match.slice(1).map(decodeURIComponent));
  }
  return plain(404);
}

function unauthorized(house: House, { origin }: URL): Answer {
  const where = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource"`;
  return plain(401, house.modern ? { "www-authenticate": where } : {});
}

function coreState(house: House): Answer {
  const recorder_state = { migration_in_progress: false, migration_is_live: false };
  return json({ state: "RUNNING", ...(house.modern && { recorder_state }) });
}

function allStates(house: House): Answer {
  return jsonText(
    `[${house.states
      .all()
      .map((state) => state.text)
      .join(",")}]`,
  );
}

function oneState(house: House, _: Asked, entityId = ""): Answer {
  const state = house.states.get(entityId);
  return state ? { ...jsonText(state.text), bare: true } : message("Entity not found.", 404);
}

function writeState(house: House, { body }: Asked, entityId = ""): Answer {
  const data = parsed(body);
  if (data === undefined) return message("Invalid JSON specified.", 400);
  if (!isObject(data)) return message("State data should be a JSON object.", 400);
  if (data["state"] === undefined || data["state"] === null) return message("No state specified.", 400);
  if (!isEntityId(entityId.toLowerCase())) return message("Invalid entity ID specified.", 400);
  const status = house.states.get(entityId) ? 200 : 201;
  const attributes = isObject(data["attributes"]) ? data["attributes"] : {};
  house.states.set(entityId, String(data["state"]), attributes, newContext(house.userId));
  const location = `/api/states/${entityId}`;
  return { ...jsonText(house.states.get(entityId)?.text ?? "", status), headers: { location } };
}

function removeState(house: House, _: Asked, entityId = ""): Answer {
  return house.states.remove(entityId) ? message("Entity removed.") : message("Entity not found.", 404);
}

function services(house: House): Answer {
  return json(Object.entries(house.services.describe()).map(([domain, services]) => ({ domain, services })));
}

/** Answers with the states that changed while it ran, of whatever entity, as far as this call was their cause. */
function callService(house: House, { url, body }: Asked, domain = "", service = ""): Answer {
  const data = body === "" ? {} : parsed(body);
  if (data === undefined) return message("Data should be valid JSON.", 400);
  const given = isObject(data) ? data : {};
  house.seen.push({ domain, service, data: given, target: undefined });
  const wantsResponse = house.modern && url.searchParams.has("return_response");
  const refused = house.modern && aboutResponse(house, domain, service, wantsResponse);
  return refused || runService(house, domain, service, given, wantsResponse);
}

function aboutResponse(house: House, domain: string, name: string, asked: boolean): Answer | undefined {
  const service = house.services.find(domain, name);
  if (!service || asked === (service.responds ?? false)) return undefined;
  if (asked) return message("Service does not support responses. Remove return_response from request.", 400);
  const words = "Service call requires responses but caller did not ask for responses.";
  return message(`${words} Add ?return_response to query parameters.`, 400);
}

function runService(house: House, domain: string, service: string, data: Data, wantsResponse: boolean): Answer {
  const context = newContext(house.userId);
  const changed: string[] = [];
  const stop = house.bus.onStateChange((change) => {
    if (change.context.id === context.id && change.after) changed.push(change.after.text);
  });
  try {
    const response = house.services.call(domain, service, data, context, { wantsResponse });
    const states = `[${changed.join(",")}]`;
    if (!wantsResponse) return jsonText(states);
    return jsonText(`{"changed_states":${states},"service_response":${JSON.stringify(response)}}`);
  } catch (failure) {
    return failed(failure);
  } finally {
    stop();
  }
}

/** Of what was wrong, REST tells nothing but a status. */
function failed(failure: unknown): Answer {
  if (!(failure instanceof ServiceFailure)) throw failure;
  return ["not_found", "invalid_format"].includes(failure.code) ? plain(400) : trouble();
}

function readAutomation(house: House, _: Asked, id = ""): Answer {
  const config = house.automations.configs.get(id);
  return config ? json(config) : message("Resource not found", 404);
}

function writeAutomation(house: House, { body }: Asked, id = ""): Answer {
  const data = parsed(body);
  if (data === undefined) return message("Invalid JSON specified", 400);
  const wrong = malformed(data, house.modern);
  if (wrong) return message(`Message malformed: ${wrong}`, 400);
  house.automations.write(id, data as Data);
  return json({ result: "ok" });
}

function deleteAutomation(house: House, _: Asked, id = ""): Answer {
  return house.automations.delete(id) ? json({ result: "ok" }) : message("Resource not found", 400);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
