import { isOwnNetwork } from "#bounds";
import { HoldfastError, messageOf } from "#errors";
import { type ApiClient, createApiClient } from "../../api/client.ts";
import { serviceErrors } from "../../errors.ts";
import type { Options } from "../command.ts";
import { Logins } from "./logins.ts";

/** The option of every command that asks a service in place of a data folder. */
export const serviceOption = {
  "--service URL": "the service to ask, with the token of HOLDFAST_TOKEN or of holdfast login",
};

/** Returns undefined for a command that reads a data folder. */
export function remoteIn(options: Options): ApiClient | undefined {
  return typeof options.service === "string" ? openRemote(options.service) : undefined;
}

/** Calls the API of a service with the token of the environment, or of the login of this person. */
export function openRemote(service: string): ApiClient {
  const url = serviceOrigin(service);
  const token = tokenFor(url);
  if (token === undefined) throw serviceErrors.notLoggedIn(url);
  return createApiClient({ url, token, fetch: fetchFrom(url) });
}

/** Whether there is a token for a service. Without one, a console that is open to this machine can still be asked. */
export function hasTokenFor(service: string): boolean {
  return URL.canParse(service) && tokenFor(new URL(service).origin) !== undefined;
}

/** Of the environment, or of the login on this machine. */
export function tokenFor(origin: string): string | undefined {
  return process.env.HOLDFAST_TOKEN || new Logins().tokenFor(origin);
}

export function serviceOrigin(service: string): string {
  const url = URL.canParse(service) ? new URL(service) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:") throw serviceErrors.noServiceAddress(service);
  // A token is a password: on its way through other networks everyone could read it.
  if (url.protocol === "http:" && !isNear(url.hostname)) throw serviceErrors.unencryptedService(url.origin);
  return url.origin;
}

function isNear(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || isOwnNetwork(host.replace(/^\[|\]$/g, ""));
}

/** `fetch`, but a service that cannot be reached is named. */
export function fetchFrom(origin: string): typeof fetch {
  return async (address, init): Promise<Response> => {
    try {
      return await fetch(address, init);
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      throw serviceErrors.serviceAway(origin, messageOf(cause));
    }
  };
}

/** Undefined for what the service does not have, or does not show to this token. */
export async function unlessUnknown<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof HoldfastError && error.code === "api-unknown") return undefined;
    throw error;
  }
}
