import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type Credentials,
  type Envelope,
  EnvelopeReader,
  isItemType,
  type KeepItem,
  keyOfDsn,
  type Reading,
  readCredentials,
  readEnvelope,
} from "#protocol";
import type { Project, Projects } from "../projects.ts";
import { type AcceptParts, acceptEnvelope } from "./accept-envelope.ts";
import { type Address, readAddress } from "./address.ts";
import { answer, answerPreflight, discardRest } from "./answer.ts";
import type { BodyBudget, HeldBytes } from "./body-budget.ts";
import { fromCheckInRequest } from "./from-check-in-request.ts";
import { fromSecurityReport } from "./from-security-report.ts";
import { fromStoreBody } from "./from-store-body.ts";
import { fromOtlp } from "./otlp/from-otlp.ts";
import type { AcceptOutcome } from "./outcome.ts";
import { type BodyReading, type BodySink, readBody, WholeBody } from "./read-body.ts";

export interface HandleParts extends AcceptParts {
  readonly budget: BodyBudget;
  readonly projects: Projects;
}

/** Answers a request that is meant for the service; `false` when it is not, and nothing has happened then. */
export function handleRequest(
  parts: HandleParts,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: string,
): boolean {
  const address = readAddress(path);
  if (address === undefined) return false;
  if (request.method === "OPTIONS") {
    answerPreflight(response);
    return true;
  }
  const delivery = new Delivery(parts, request, response, query);
  delivery.attempt(() => accept(parts, delivery, address));
  return true;
}

/** One request on its way in: what it holds in memory, and how it is answered, once. */
class Delivery {
  readonly request: IncomingMessage;
  readonly query: string;
  readonly held: HeldBytes;
  readonly #parts: HandleParts;
  readonly #response: ServerResponse;
  #isAnswered = false;

  constructor(parts: HandleParts, request: IncomingMessage, response: ServerResponse, query: string) {
    this.request = request;
    this.query = query;
    this.held = parts.budget.hold();
    this.#parts = parts;
    this.#response = response;
  }

  readonly tell = (outcome: AcceptOutcome): void => {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.held.giveBack();
    this.#parts.counters.answered(outcome.kind);
    answer(this.#response, outcome);
    discardRest(this.request, this.#parts.limits.discardedBytes);
  };

  /** Nothing of this should ever throw; if it does, the sender may try again and the counters tell. */
  attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.tell({ kind: "unavailable", why: `The service failed: ${why}`, retryAfterSeconds: 5 });
    }
  }
}

/** The order matters: what costs least and refuses most comes first, and nothing is unpacked for a sender that is not known. */
function accept(parts: HandleParts, delivery: Delivery, address: Address): void {
  const { tell } = delivery;
  if (address.kind === "unknown") return tell({ kind: "not-found", why: "There is nothing at this address." });
  if (address.kind === "management") return tell({ kind: "not-offered", why: nothingToUpload });
  const allowed = address.kind === "check-in" ? readOrSent : sentOnly;
  if (!allowed.includes(delivery.request.method ?? ""))
    return tell({ kind: "wrong-method", allowed: allowed.join(", ") });
  const sender = findSender(parts.projects, credentialsOf(delivery, address), address.project);
  if (sender.kind === "refused") return tell(sender.outcome);
  if (sender.kind === "found") {
    const limit = parts.quota.takeRequest(sender.project.id);
    if (limit !== undefined) return tell({ kind: "limited", limits: [limit] });
  }
  if (address.kind === "envelope") return receiveEnvelope(parts, delivery, sender, address.project);
  if (sender.kind === "unnamed") return tell(noKey);
  receiveWhole(parts, delivery, sender.project, address);
}

const sentOnly: readonly string[] = ["POST"];
const readOrSent: readonly string[] = ["GET", "POST"];

const nothingToUpload =
  "Nothing needs to be uploaded here: releases are known from what is reported, and source maps are taken from the build.";

type Sender =
  | { kind: "found"; project: Project }
  /** No key in headers or address; an envelope may still name its sender itself. */
  | { kind: "unnamed" }
  | { kind: "refused"; outcome: AcceptOutcome };

const noKey: AcceptOutcome = { kind: "no-key", why: "The request has no sentry_key." };

function credentialsOf({ request, query }: Delivery, address: Address): Credentials {
  const { authorization } = request.headers;
  const sentryAuth = request.headers["x-sentry-auth"];
  if (address.kind === "check-in" && address.publicKey !== undefined)
    return { kind: "key", publicKey: address.publicKey.toLowerCase() };
  if (sentryAuth === undefined && authorization === undefined) return credentialsInQuery(query);
  return readCredentials({
    sentryAuth: Array.isArray(sentryAuth) ? sentryAuth.join(", ") : sentryAuth,
    authorization,
    query,
  });
}

/** A client's address is the same with every request. Bounded, since anybody may send any. */
const knownQueries = new Map<string, Credentials>();
const mostQueries = 1_000;
const longestQuery = 500;

function credentialsInQuery(query: string): Credentials {
  const known = knownQueries.get(query);
  if (known !== undefined) return known;
  const credentials = readCredentials({ query });
  if (knownQueries.size >= mostQueries) knownQueries.clear();
  if (query.length <= longestQuery) knownQueries.set(query, credentials);
  return credentials;
}

function findSender(projects: Projects, credentials: Credentials, projectId: number | undefined): Sender {
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

/** Reads an envelope as it arrives. When it came in one piece, that piece can be kept as it is. */
function receiveEnvelope(parts: HandleParts, delivery: Delivery, sender: Sender, projectId: number): void {
  const reader = new EnvelopeReader(parts.limits.protocol, keepItem(parts));
  let pieces = 0;
  let onlyPiece: Buffer | undefined;
  const sink: BodySink = {
    push(chunk) {
      pieces += 1;
      onlyPiece = pieces === 1 ? chunk : undefined;
      reader.push(chunk);
      return reader.failure === undefined ? "more" : "enough";
    },
  };
  readBody(delivery.request, parts.limits, delivery.held, sink, (body) =>
    delivery.attempt(() => {
      const failed = failureOf(body);
      if (failed !== undefined) return delivery.tell(failed);
      const reading = reader.end();
      if (reading.kind !== "read") return delivery.tell(reading);
      const named = sender.kind === "found" ? sender : senderInHeader(parts.projects, reading.envelope, projectId);
      if (named.kind === "refused") return delivery.tell(named.outcome);
      if (named.kind === "unnamed") return delivery.tell(noKey);
      acceptEnvelope(parts, named.project.id, reading.envelope, onlyPiece, delivery.tell);
    }),
  );
}

function senderInHeader(projects: Projects, envelope: Envelope, projectId: number): Sender {
  const key = envelope.header.dsn === undefined ? undefined : keyOfDsn(envelope.header.dsn);
  return key === undefined
    ? { kind: "unnamed" }
    : findSender(projects, { kind: "key", publicKey: key.publicKey.toLowerCase() }, projectId);
}

type WholeAddress = Exclude<Address, { kind: "envelope" | "management" | "unknown" }>;

function receiveWhole(parts: HandleParts, delivery: Delivery, project: Project, address: WholeAddress): void {
  const { protocol } = parts.limits;
  const isExport = address.kind === "otlp-traces" || address.kind === "otlp-logs";
  const maxBytes = isExport ? protocol.containerBytes : protocol.eventBytes;
  const body = new WholeBody(maxBytes);
  readBody(delivery.request, parts.limits, delivery.held, body, (reading) =>
    delivery.attempt(() => {
      if (body.isTooLarge)
        return delivery.tell({ kind: "too-large", why: `What is sent here may have ${maxBytes} bytes.` });
      const failed = failureOf(reading);
      if (failed !== undefined) return delivery.tell(failed);
      const envelopes = envelopesOf(body.bytes, delivery, address, parts);
      if (envelopes.kind === "unreadable") return delivery.tell({ kind: "malformed", why: envelopes.why });
      acceptAll(parts, project.id, envelopes.value, delivery.tell);
    }),
  );
}

/** An export is kept as a whole or sent again as a whole: what was kept twice is recognised by its ids. */
function acceptAll(
  parts: AcceptParts,
  project: number,
  envelopes: readonly Envelope[],
  tell: (outcome: AcceptOutcome) => void,
): void {
  let left = envelopes.length;
  let worst: AcceptOutcome = { kind: "accepted", eventId: undefined, limits: [] };
  if (left === 0) return tell(worst);
  for (const [index, envelope] of envelopes.entries()) {
    acceptEnvelope(parts, project, envelope, undefined, (outcome) => {
      left -= 1;
      if (outcome.kind !== "accepted" || (index === 0 && worst.kind === "accepted")) worst = outcome;
      if (left === 0) tell(worst);
    });
  }
}

function envelopesOf(
  body: Buffer,
  { request, query }: Delivery,
  address: WholeAddress,
  { limits }: HandleParts,
): Reading<readonly Envelope[]> {
  const fields = new URLSearchParams(query);
  switch (address.kind) {
    case "store":
      return single(fromStoreBody(body, limits));
    case "check-in":
      return single(fromCheckInRequest(address.monitor, fields, body, limits));
    case "security-report":
      return fromSecurityReport(
        body,
        {
          release: fields.get("sentry_release") ?? undefined,
          environment: fields.get("sentry_environment") ?? undefined,
          userAgent: request.headers["user-agent"],
        },
        limits,
      );
    case "otlp-traces":
    case "otlp-logs": {
      const format = (request.headers["content-type"] ?? "").includes("protobuf") ? "protobuf" : "json";
      return fromOtlp(body, format, address.kind === "otlp-traces" ? "traces" : "logs", limits);
    }
  }
}

function single(reading: Reading<Envelope>): Reading<readonly Envelope[]> {
  return reading.kind === "read" ? { kind: "read", value: [reading.value] } : reading;
}

/** What to answer when a body did not come as a whole; nothing when it did, or when its reader knows better what is wrong. */
function failureOf(reading: BodyReading): AcceptOutcome | undefined {
  return reading.kind === "complete" || reading.kind === "stopped" ? undefined : reading;
}

/** Takes in an envelope that is already here, from the same process. */
export async function acceptBytes(parts: HandleParts, project: number, bytes: Uint8Array): Promise<AcceptOutcome> {
  if (parts.projects.byId(project) === undefined) return { kind: "forbidden", why: `There is no project ${project}.` };
  const reading = readEnvelope(bytes, parts.limits.protocol, keepItem(parts));
  if (reading.kind !== "read") return reading;
  return new Promise((resolve) => acceptEnvelope(parts, project, reading.envelope, bytes, resolve));
}

function keepItem({ limits }: AcceptParts): KeepItem {
  return (type) => {
    if (type === "attachment") return limits.keepAttachments;
    if (type.startsWith("replay_")) return limits.keepReplays;
    return isItemType(type);
  };
}
