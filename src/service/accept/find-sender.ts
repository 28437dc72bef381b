import type { IncomingHttpHeaders } from "node:http";
import { type Credentials, type Envelope, keyOfDsn, readCredentials } from "#protocol";
import { isAllowedOrigin } from "../intake/allowed-origins.ts";
import type { ProjectKey } from "../intake/project-keys.ts";
import type { Project, Projects } from "../projects.ts";
import type { IngestDestination } from "./destination.ts";
import type { IntakeCounts } from "./intake-counts.ts";
import type { AcceptOutcome } from "./outcome.ts";
import type { Sending, SendingClient } from "./sending.ts";

export type Sender =
  | (Sending & { kind: "found"; key: ProjectKey })
  /** No key in headers or address. The envelope may still contain one. */
  | { kind: "unnamed" }
  | { kind: "refused"; outcome: AcceptOutcome };

export const noKey: AcceptOutcome = { kind: "no-key", why: "The request has no sentry_key." };

export function credentialsOf(headers: IncomingHttpHeaders, destination: IngestDestination): Credentials {
  const { address } = destination;
  const { authorization } = headers;
  const sentryAuth = headers["x-sentry-auth"];
  if (address.kind === "check-in" && address.publicKey !== undefined) return destination.credentials;
  if (sentryAuth === undefined && authorization === undefined) return destination.credentials;
  return readCredentials({
    sentryAuth: Array.isArray(sentryAuth) ? sentryAuth.join(", ") : sentryAuth,
    authorization,
    query: destination.query,
  });
}

export interface FindSenderDeps {
  readonly projects: Projects;
  readonly intake: IntakeCounts;
}

/** What a request says about its client, besides the key. */
export interface SenderClaims {
  readonly projectId: number | undefined;
  /** Only pages in browsers send it. */
  readonly origin: string | undefined;
  readonly client: SendingClient;
}

/** How long a client with a refused key should wait. It may be enabled again, so it is not forever. */
const refusedKeySeconds = 60;

export function findSender(deps: FindSenderDeps, credentials: Credentials, claims: SenderClaims): Sender {
  const { projectId, origin } = claims;
  if (credentials.kind === "none") return { kind: "unnamed" };
  if (credentials.kind === "contradictory")
    return refused({ kind: "malformed", why: "The request has two different keys." });
  const known = deps.projects.findKey(credentials.publicKey);
  if (known === undefined) return refused({ kind: "forbidden", why: "No project has this key." });
  const { project, key } = known;
  if (projectId !== undefined && projectId !== project.id)
    return refused({ kind: "forbidden", why: `The key is not one of project ${projectId}.` });
  const reason = refusalOfKey(key, origin);
  if (reason !== undefined) {
    deps.intake.keyRefused(key.publicKey);
    const limits = [{ seconds: refusedKeySeconds, categories: [], scope: "key", reason: reason.code } as const];
    return refused({ kind: "forbidden", why: reason.why, limits });
  }
  deps.intake.keyUsed(key.publicKey);
  return { kind: "found", project, key, client: claims.client };
}

function refusalOfKey(key: ProjectKey, origin: string | undefined): { code: string; why: string } | undefined {
  if (key.isDisabled === true) return { code: "disabled_key", why: "This key is disabled." };
  if (!isAllowedOrigin(key.origins, origin))
    return { code: "foreign_origin", why: `Pages of ${origin} may not send with this key.` };
  return undefined;
}

function refused(outcome: AcceptOutcome): Sender {
  return { kind: "refused", outcome };
}

export function senderInHeader(deps: FindSenderDeps, envelope: Envelope, claims: SenderClaims): Sender {
  const key = envelope.header.dsn === undefined ? undefined : keyOfDsn(envelope.header.dsn);
  return key === undefined
    ? { kind: "unnamed" }
    : findSender(deps, { kind: "key", publicKey: key.publicKey.toLowerCase() }, claims);
}

/**
 * Detects an envelope whose DSN names another project than its request. Keeping it would show it to the wrong people.
 * Host and path are not compared: proxies give one service many addresses. An invalid DSN is ignored.
 */
export function contradictionOf(
  projects: Projects,
  project: Project,
  dsn: string | undefined,
): Extract<AcceptOutcome, { kind: "contradictory" }> | undefined {
  const named = dsn === undefined ? undefined : keyOfDsn(dsn);
  if (named === undefined) return undefined;
  if (Number(named.project) !== project.id)
    return contradictory(`The dsn in the envelope names project ${named.project}, the request project ${project.id}.`);
  return projects.byKey(named.publicKey.toLowerCase())?.id === project.id
    ? undefined
    : contradictory("The dsn in the envelope has another key than the request.");
}

function contradictory(why: string): Extract<AcceptOutcome, { kind: "contradictory" }> {
  return { kind: "contradictory", why };
}
