import type { IncomingHttpHeaders } from "node:http";
import { type Credentials, type Envelope, keyOfDsn, readCredentials } from "#protocol";
import type { Project, Projects } from "../projects.ts";
import type { IngestDestination } from "./destination.ts";
import type { AcceptOutcome } from "./outcome.ts";

export type Sender =
  | { kind: "found"; project: Project }
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

export function findSender(projects: Projects, credentials: Credentials, projectId: number | undefined): Sender {
  if (credentials.kind === "none") return { kind: "unnamed" };
  if (credentials.kind === "contradictory")
    return refused({ kind: "malformed", why: "The request has two different keys." });
  const project = projects.byKey(credentials.publicKey);
  if (project === undefined) return refused({ kind: "forbidden", why: "No project has this key." });
  if (projectId !== undefined && projectId !== project.id)
    return refused({ kind: "forbidden", why: `The key is not one of project ${projectId}.` });
  return { kind: "found", project };
}

function refused(outcome: AcceptOutcome): Sender {
  return { kind: "refused", outcome };
}

export function senderInHeader(projects: Projects, envelope: Envelope, projectId: number): Sender {
  const key = envelope.header.dsn === undefined ? undefined : keyOfDsn(envelope.header.dsn);
  return key === undefined
    ? { kind: "unnamed" }
    : findSender(projects, { kind: "key", publicKey: key.publicKey.toLowerCase() }, projectId);
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
