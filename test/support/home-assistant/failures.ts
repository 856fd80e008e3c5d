/** How a service call can fail. Over the socket the code is told; over REST only a status is, mostly. */

export type FailureCode =
  | "not_found"
  | "invalid_format"
  | "service_validation_error"
  | "home_assistant_error"
  | "unknown_error";

export interface Translation {
  readonly translation_key: string;
  readonly translation_placeholders: object;
  readonly translation_domain: string;
}

export class ServiceFailure extends Error {
  readonly code: FailureCode;
  readonly translation: Translation | undefined;

  constructor(code: FailureCode, message: string, translation?: Translation) {
    super(message);
    this.code = code;
    this.translation = translation;
  }
}

export function serviceNotFound(domain: string, service: string): ServiceFailure {
  return new ServiceFailure("not_found", `Service ${domain}.${service} not found.`, {
    translation_key: "service_not_found",
    translation_placeholders: { domain, service },
    translation_domain: "homeassistant",
  });
}

const ASKED = "return_response=True";
const NEEDLESS = {
  key: "service_does_not_support_response",
  now: `An action which does not return responses can't be called with ${ASKED}.`,
  once: `Invalid argument ${ASKED} when handler does not support responses`,
};
const LACKING = {
  key: "service_lacks_response_request",
  now: `The action requires responses and must be called with ${ASKED}.`,
  once: "Service call requires responses but caller did not ask for responses",
};

/** @param asked whether the caller wanted a response: from a service that gives none, or not from one that must */
export function wrongAboutResponse(asked: boolean, modern: boolean): ServiceFailure {
  const words = asked ? NEEDLESS : LACKING;
  if (!modern) return new ServiceFailure("unknown_error", words.once);
  return new ServiceFailure("service_validation_error", `Validation error: ${words.now}`, {
    translation_key: words.key,
    translation_placeholders: { return_response: ASKED },
    translation_domain: "homeassistant",
  });
}
