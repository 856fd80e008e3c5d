/** Credentials for an API: for each scheme that its document has, or of a kind of one's own. */
import type { VNode } from "preact";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { Choices, TextField } from "./fields.ts";
import { type AuthKind, type Choice, type Credentials, credentialsFor, type Scheme } from "./openapi-model.ts";

const KINDS = ["none", "apiKey", "bearer", "basic", "oauth2"] as const;
const PLACES = ["header", "query", "cookie"] as const;

interface AuthProps {
  readonly schemes: readonly Scheme[];
  readonly choice: Choice;
  readonly change: (part: Partial<Choice>) => void;
}

export function OpenApiAuth({ schemes, choice, change }: AuthProps): VNode {
  const give = (name: string, part: Partial<Credentials>, scheme?: Scheme): void =>
    change({ given: { ...choice.given, [name]: { ...(choice.given[name] ?? credentialsFor(scheme)), ...part } } });
  if (schemes.length === 0)
    return html`<${OwnAuth} choice=${choice} change=${change} give=${(part: Partial<Credentials>) => give("", part)} />`;
  return html`<h3>${t("servers.openapi.auth")}</h3>
    <p class="muted servers-small">${t("servers.openapi.authHelp")}</p>
    ${schemes.map(
      (scheme, place) => html`<fieldset key=${scheme.name} class="servers-scheme">
      <legend>${scheme.name} <span class="muted">${schemeText(scheme.type)}</span></legend>
      ${scheme.description && html`<p class="muted servers-small">${scheme.description}</p>`}
      <${AuthFields} id=${`openapi-auth-${place}`} scheme=${scheme} given=${choice.given[scheme.name] ?? credentialsFor(scheme)} give=${(part: Partial<Credentials>) => give(scheme.name, part, scheme)} />
    </fieldset>`,
    )}`;
}

/** A kind that is not known here is named as the document has it. */
export function schemeText(type: string): string {
  const known = KINDS.find((kind) => kind === type);
  return known ? t(`servers.scheme.${known}`) : type;
}

/** The document says nothing of credentials; the API may want some all the same. */
function OwnAuth(props: Omit<AuthProps, "schemes"> & { give: (part: Partial<Credentials>) => void }): VNode {
  const { choice, change, give } = props;
  const options = KINDS.map((value) => ({ value, label: t(`servers.scheme.${value}`) }));
  const scheme = { name: "", type: choice.ownKind };
  return html`<${Choices} legend=${t("servers.openapi.auth")} name="openapi-kind" value=${choice.ownKind} options=${options} change=${(ownKind: Choice["ownKind"]) => change({ ownKind })} />
    ${choice.ownKind !== "none" && html`<${AuthFields} id="openapi-auth" scheme=${scheme} given=${choice.given[""] ?? credentialsFor(undefined)} give=${give} />`}`;
}

interface FieldsProps {
  readonly id: string;
  readonly scheme: Scheme;
  readonly given: Credentials;
  readonly give: (part: Partial<Credentials>) => void;
}

const SECRETS = { apiKey: "key", bearer: "token", basic: "password", oauth2: "clientSecret" } as const;

function AuthFields({ id, scheme, given, give }: FieldsProps): VNode {
  const { type } = scheme as { readonly type: AuthKind };
  const field = (
    member: "secret" | "user" | "tokenUrl" | "scopes" | "keyName",
    label: string,
    isSecret = false,
  ): VNode => html`<${TextField}
    id=${`${id}-${member}`}
    type=${isSecret ? "password" : "text"}
    label=${label}
    value=${given[member]}
    change=${(value: string) => give({ [member]: value })}
  />`;
  return html`
    ${
      type === "apiKey" &&
      !scheme.keyName &&
      html`
      <${Choices} legend=${t("servers.openapi.keyPlace")} name=${`${id}-place`} value=${given.place} options=${PLACES.map((value) => ({ value, label: t(`servers.place.${value}`) }))} change=${(place: Credentials["place"]) => give({ place })} />
      ${field("keyName", t("servers.openapi.keyName"))}`
    }
    ${type === "basic" && field("user", t("servers.openapi.user"))}
    ${type === "oauth2" && html`${field("tokenUrl", t("servers.openapi.tokenUrl"))}${field("user", t("servers.openapi.clientId"))}`}
    ${field("secret", t(`servers.openapi.secret.${SECRETS[type]}`), true)}
    ${type === "oauth2" && field("scopes", t("servers.openapi.scopes"))}`;
}
