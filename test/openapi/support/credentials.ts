/** Something for every security scheme of a document: Prism only looks whether it is there. */
import type { ReadScheme } from "../../../src/openapi/security.ts";
import type { ApiAuth } from "../../../src/sources/api/operation.ts";

export function credentialsFor(schemes: readonly ReadScheme[]): Record<string, ApiAuth> {
  return Object.fromEntries(schemes.map((scheme) => [scheme.name, credentialFor(scheme)]));
}

function credentialFor({ type, in: place = "header", keyName = "" }: ReadScheme): ApiAuth {
  if (type === "apiKey") return { type, in: place, name: keyName, value: "key" };
  if (type === "basic") return { type, username: "somebody", password: "secret" };
  return { type: "bearer", token: "token" };
}
