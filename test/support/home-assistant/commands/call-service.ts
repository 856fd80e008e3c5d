/** `call_service`: what it changes is told before its result. */
import { newContext } from "../context.ts";
import { ServiceFailure } from "../failures.ts";
import type { Session } from "../session.ts";
import { targetFields } from "../targets.ts";
import { type Data, flag, isObject, object, text, within } from "../voluptuous.ts";
import { type Command, type CommandMessage, required } from "./command.ts";

export function callServiceCommand(modern: boolean): Command {
  const target = within(targetFields(modern));
  const [domain, service] = [required(text), required(text)];
  return { fields: { domain, service, target, service_data: object, return_response: flag }, run: callService };
}

function callService(session: Session, { id, ...rest }: CommandMessage): void {
  const [domain, service] = [String(rest["domain"]), String(rest["service"])];
  const [data, target] = [asData(rest["service_data"]) ?? {}, asData(rest["target"])];
  const wantsResponse = rest["return_response"] === true;
  const context = newContext(session.house.userId);
  session.house.seen.push({ domain, service, data, target });
  try {
    const response = session.house.services.call(domain, service, data, context, { target, wantsResponse });
    session.result(id, { context, ...(wantsResponse && { response }) });
  } catch (failure) {
    if (!(failure instanceof ServiceFailure)) throw failure;
    session.error(id, failure.code, failure.message, failure.translation);
  }
}

function asData(value: unknown): Data | undefined {
  return isObject(value) ? value : undefined;
}
