import { HoldfastError } from "#errors";

/** Why a request of the API is refused. The codes are part of the API. */
export const apiErrors = {
  noRoute: (path: string): HoldfastError =>
    new HoldfastError("api-no-route", `The API has no ${path}.`, "Look for the address in openapi.json."),
  wrongMethod: (method: string, allowed: string): HoldfastError =>
    new HoldfastError("api-wrong-method", `This address takes no ${method}.`, `Use ${allowed}.`),
  notIdentified: (): HoldfastError =>
    new HoldfastError(
      "api-not-identified",
      "The request has neither a token nor the session of a signed-in person.",
      "Send the header Authorization: Bearer hft_…, with a token from the settings of the console.",
    ),
  unknownToken: (): HoldfastError =>
    new HoldfastError(
      "api-token-unknown",
      "The token is unknown: it was never made, it was revoked, or its person was removed.",
      "Make another token in the settings of the console, or with holdfast token create.",
    ),
  expiredToken: (): HoldfastError =>
    new HoldfastError(
      "api-token-expired",
      "The token has expired.",
      "Make another token in the settings of the console, or with holdfast token create.",
    ),
  tooManyTokens: (seconds: number): HoldfastError =>
    new HoldfastError(
      "api-too-many-refusals",
      "Too many unknown tokens came from this address.",
      `Try again in ${seconds} s.`,
    ),
  tooMany: (seconds: number): HoldfastError =>
    new HoldfastError(
      "api-too-many-requests",
      "This token or session has sent too many requests.",
      `Try again in ${seconds} s. The operator sets the rate with HOLDFAST_API_PER_MINUTE.`,
    ),
  otherSite: (): HoldfastError =>
    new HoldfastError(
      "api-other-site",
      "A change with a session must come from a page of the same origin.",
      "Use a token in programs.",
    ),
  notJson: (): HoldfastError =>
    new HoldfastError(
      "api-not-json",
      "The body of the request is not JSON.",
      "Send JSON with the header Content-Type: application/json.",
    ),
  bodyTooLarge: (most: number): HoldfastError =>
    new HoldfastError(
      "api-body-too-large",
      `The body has more than ${most} bytes.`,
      "Send less at once. The operator sets the size with HOLDFAST_API_BODY_BYTES.",
    ),
  invalid: (place: string, why: string): HoldfastError =>
    new HoldfastError("api-invalid", `${place} is not accepted.`, why),
  noScope: (scope: string): HoldfastError =>
    new HoldfastError(
      "api-scope-missing",
      `The token does not have the scope ${scope}.`,
      "Make a token with this scope in the settings of the console.",
    ),
  noRole: (role: string): HoldfastError =>
    new HoldfastError(
      "api-role-missing",
      `This needs the role ${role}.`,
      "Ask an owner of the project, or an owner of all projects if it concerns all of them.",
    ),
  unknown: (what: string): HoldfastError =>
    new HoldfastError(
      "api-unknown",
      `There is no such ${what}.`,
      "Check the address. What belongs to other people's projects is unknown, too.",
    ),
  conflict: (why: string): HoldfastError => new HoldfastError("api-conflict", "The change is not possible now.", why),
  unavailable: (): HoldfastError =>
    new HoldfastError(
      "api-unavailable",
      "The store of the service cannot be reached now.",
      "Try again in some seconds. If it stays so, run holdfast doctor.",
    ),
  noAnswer: (status: number): HoldfastError =>
    new HoldfastError(
      "api-no-answer",
      `The service answered ${status} without a reason.`,
      "Check the address of the service, and what is in front of it.",
    ),
  failed: (): HoldfastError =>
    new HoldfastError(
      "api-failed",
      "The service failed while it answered.",
      "The operator finds the error in the log of the service.",
    ),
};
