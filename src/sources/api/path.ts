/** The path of a request: its template with the values in their places, which can neither add segments nor go up. */
import { type Arguments, argumentOf } from "./arguments.ts";
import { pathText } from "./encode.ts";
import type { ApiOperation, ApiParameter } from "./operation.ts";
import { missingArgument, wrongArgument } from "./refusal.ts";

/** `template` without a query. */
export function pathOf(operation: ApiOperation, template: string, args: Arguments): string {
  const parameters = operation.parameters.filter((parameter) => parameter.in === "path");
  const path = template.replace(/\{([^{}]+)\}/g, (_whole, name: string) => {
    const parameter = parameters.find((each) => each.name === name);
    if (!parameter) throw wrongArgument("api.pathPlace", { operation: operation.name, name });
    return filled(parameter, args);
  });
  const names = parameters.map(({ argument }) => argument).join(", ");
  if (path.split("/").some(isDots)) throw wrongArgument("api.pathUp", { name: names });
  return path;
}

/** An empty value would make it the path of something else. */
function filled(parameter: ApiParameter, args: Arguments): string {
  const value = argumentOf(args, parameter.argument) ?? parameter.default;
  const text = pathText(parameter, value);
  if (text === undefined) throw missingArgument(parameter.argument);
  if (text === "") throw wrongArgument("api.pathEmpty", { name: parameter.argument });
  if (climbs(text)) throw wrongArgument("api.pathUp", { name: parameter.argument });
  return text;
}

/** Some servers decode before they split, though nobody should. */
function climbs(text: string): boolean {
  return text.split(/%2F|%5C/).some(isDots);
}

/** A template's own `%2e` counts as well: URLs are read so. */
function isDots(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment);
}
