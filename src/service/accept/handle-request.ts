import type { IncomingMessage, ServerResponse } from "node:http";
import type { ByteBudget, HeldBytes } from "#bounds";
import {
  type Credentials,
  type Envelope,
  EnvelopeReader,
  type EnvelopeReading,
  isItemType,
  type KeepItem,
  keyOfDsn,
  type Reading,
  readCredentials,
  readEnvelope,
} from "#protocol";
import type { Project, Projects } from "../projects.ts";
import { type AcceptDeps, acceptEnvelope, acceptUsualEnvelope } from "./accept-envelope.ts";
import type { Address } from "./address.ts";
import { answer, answerPreflight, discardRest } from "./answer.ts";
import { type IngestDestination, readDestination } from "./destination.ts";
import { fromCheckInRequest } from "./from-check-in-request.ts";
import { fromSecurityReport } from "./from-security-report.ts";
import { fromStoreBody } from "./from-store-body.ts";
import { fromOtlp } from "./otlp/from-otlp.ts";
import type { AcceptOutcome } from "./outcome.ts";
import { receiveBody, WholeBody } from "./read-body.ts";
import type { BodySink, ReceivedBody } from "./received-body.ts";
import type { Decoders } from "./unpack-body.ts";
import { readUsualEnvelope, type UsualEnvelope } from "./usual-envelope.ts";

export interface IngestDeps extends AcceptDeps {
  readonly budget: ByteBudget;
  readonly decoders: Decoders;
  readonly projects: Projects;
}

/**
 * Answers a request that is meant for the service, whose target is given without what is in front of the service's
 * addresses; `false` when it is not, and nothing has happened then.
 */
export function handleIngestRequest(
  parts: IngestDeps,
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
): boolean {
  const destination = readDestination(target);
  if (destination === undefined) return false;
  if (request.method === "OPTIONS") {
    answerPreflight(response);
    return true;
  }
  const delivery = new Delivery(parts, request, response, destination);
  delivery.attempt(() => accept(parts, delivery));
  return true;
}

/** One request on its way in: what it holds in memory, and how it is answered, once. */
class Delivery {
  readonly request: IncomingMessage;
  readonly destination: IngestDestination;
  readonly held: HeldBytes;
  readonly #parts: IngestDeps;
  readonly #response: ServerResponse;
  #isAnswered = false;

  constructor(parts: IngestDeps, request: IncomingMessage, response: ServerResponse, destination: IngestDestination) {
    this.request = request;
    this.destination = destination;
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
    discardRest(this.request, this.#parts.limits);
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

/**
 * The order matters: what costs least and refuses most comes first, and nothing is unpacked for a sender that is not
 * known.
 */
function accept(parts: IngestDeps, delivery: Delivery): void {
  const { tell, destination } = delivery;
  const { address } = destination;
  if (address.kind === "unknown") return tell({ kind: "not-found", why: nothingHere });
  if (address.kind === "management") return tell({ kind: "not-offered", why: nothingToUpload });
  const allowed = address.kind === "check-in" ? readOrSent : sentOnly;
  if (!allowed.includes(delivery.request.method ?? ""))
    return tell({ kind: "wrong-method", allowed: allowed.join(", ") });
  const sender = findSender(parts.projects, credentialsOf(delivery), address.project);
  if (sender.kind === "refused") return tell(sender.outcome);
  if (sender.kind === "unnamed" && address.kind !== "envelope") return tell(noKey);
  // A sender that names itself only inside its envelope takes of the share of the project in the address: no body is
  // free.
  const project = sender.kind === "found" ? sender.project : parts.projects.byId(address.project ?? 0);
  if (project === undefined) return tell(noKey);
  const limit = parts.quota.takeRequest(project.id);
  if (limit !== undefined) return tell({ kind: "limited", limits: [limit] });
  delivery.held.belongsTo(project.id);
  if (address.kind === "envelope") receiveEnvelope(parts, delivery, sender, address.project);
  else receiveWhole(parts, delivery, project, address);
}

const sentOnly: readonly string[] = ["POST"];
const readOrSent: readonly string[] = ["GET", "POST"];

const nothingHere =
  "There is nothing at this address. A project takes envelope/, store/, security/, cron/NAME/ and integration/otlp/v1/traces or logs.";
const nothingToUpload =
  "Nothing needs to be uploaded here: releases are known from what is reported, and source maps are taken from the build.";

type Sender =
  | { kind: "found"; project: Project }
  /** No key in headers or address; an envelope may still name its sender itself. */
  | { kind: "unnamed" }
  | { kind: "refused"; outcome: AcceptOutcome };

const noKey: AcceptOutcome = { kind: "no-key", why: "The request has no sentry_key." };

function credentialsOf({ request: { headers }, destination }: Delivery): Credentials {
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

function receiveEnvelope(parts: IngestDeps, delivery: Delivery, sender: Sender, projectId: number): void {
  const arriving = new ArrivingEnvelope(parts);
  receiveBody(delivery, parts, arriving, (body) =>
    delivery.attempt(() => {
      const failed = failureOf(body);
      if (failed !== undefined) return delivery.tell(failed);
      const { onlyPiece } = arriving;
      if (onlyPiece !== undefined && sender.kind === "found") {
        const usual = usualEnvelope(parts, onlyPiece);
        if (usual !== undefined) {
          const contradiction = contradictionOf(parts.projects, sender.project, usual.dsn);
          if (contradiction !== undefined) return delivery.tell(contradiction);
          return acceptUsualEnvelope(parts, sender.project.id, usual, onlyPiece, delivery.tell);
        }
      }
      const reading = arriving.end();
      if (reading.kind !== "read") return delivery.tell(reading);
      const named = sender.kind === "found" ? sender : senderInHeader(parts.projects, reading.envelope, projectId);
      if (named.kind === "refused") return delivery.tell(named.outcome);
      if (named.kind === "unnamed") return delivery.tell(noKey);
      const contradiction = contradictionOf(parts.projects, named.project, reading.envelope.header.dsn);
      if (contradiction !== undefined) return delivery.tell(contradiction);
      acceptEnvelope(parts, named.project.id, reading.envelope, onlyPiece, delivery.tell);
    }),
  );
}

/**
 * Reads an envelope as it arrives. The first piece waits for the second: if there is none, it can be looked at and kept
 * as a whole.
 */
class ArrivingEnvelope implements BodySink {
  readonly #parts: AcceptDeps;
  #reader: EnvelopeReader | undefined;
  /** The whole envelope, if it came in one piece. */
  onlyPiece: Buffer | undefined;

  constructor(parts: AcceptDeps) {
    this.#parts = parts;
  }

  push(chunk: Buffer): "more" | "enough" {
    if (this.#reader === undefined && this.onlyPiece === undefined) {
      this.onlyPiece = chunk;
      return "more";
    }
    const reader = this.#begun();
    this.onlyPiece = undefined;
    reader.push(chunk);
    return reader.failure === undefined ? "more" : "enough";
  }

  end(): EnvelopeReading {
    return this.#begun().end();
  }

  #begun(): EnvelopeReader {
    if (this.#reader !== undefined) return this.#reader;
    this.#reader = new EnvelopeReader(this.#parts.limits.protocol, keepItem(this.#parts));
    if (this.onlyPiece !== undefined) this.#reader.push(this.onlyPiece);
    return this.#reader;
  }
}

function senderInHeader(projects: Projects, envelope: Envelope, projectId: number): Sender {
  const key = envelope.header.dsn === undefined ? undefined : keyOfDsn(envelope.header.dsn);
  return key === undefined
    ? { kind: "unnamed" }
    : findSender(projects, { kind: "key", publicKey: key.publicKey.toLowerCase() }, projectId);
}

/**
 * An envelope that names another project than its request was meant for somebody else, and to keep it would show it to
 * the wrong people. Host and path are not compared: proxies give one service many addresses. What is no DSN names
 * nothing.
 */
function contradictionOf(
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

type WholeAddress = Exclude<Address, { kind: "envelope" | "management" | "unknown" }>;

function receiveWhole(parts: IngestDeps, delivery: Delivery, project: Project, address: WholeAddress): void {
  const { protocol } = parts.limits;
  const isExport = address.kind === "otlp-traces" || address.kind === "otlp-logs";
  const maxBytes = isExport ? protocol.containerBytes : protocol.eventBytes;
  const body = new WholeBody(maxBytes);
  receiveBody(delivery, parts, body, (reading) =>
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
  parts: AcceptDeps,
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
  { request, destination }: Delivery,
  address: WholeAddress,
  { limits }: IngestDeps,
): Reading<readonly Envelope[]> {
  const fields = new URLSearchParams(destination.query);
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

/**
 * What to answer when a body did not come as a whole; nothing when it did, or when its reader knows better what is
 * wrong.
 */
function failureOf(reading: ReceivedBody): AcceptOutcome | undefined {
  return reading.kind === "complete" || reading.kind === "stopped" ? undefined : reading;
}

/** Takes in an envelope that is already here, from the same process. */
export async function acceptBytes(parts: IngestDeps, project: number, bytes: Uint8Array): Promise<AcceptOutcome> {
  if (parts.projects.byId(project) === undefined) return { kind: "forbidden", why: `There is no project ${project}.` };
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const usual = usualEnvelope(parts, whole);
  if (usual !== undefined) return new Promise((resolve) => acceptUsualEnvelope(parts, project, usual, whole, resolve));
  const reading = readEnvelope(bytes, parts.limits.protocol, keepItem(parts));
  if (reading.kind !== "read") return reading;
  return new Promise((resolve) => acceptEnvelope(parts, project, reading.envelope, bytes, resolve));
}

/** What is to be known of an envelope that is kept as it came; nothing for one that has to be read first. */
function usualEnvelope(parts: AcceptDeps, whole: Buffer): UsualEnvelope | undefined {
  const usual = readUsualEnvelope(whole, parts.limits.protocol);
  return usual !== undefined && keepsItem(parts, usual.type) ? usual : undefined;
}

function keepItem(parts: AcceptDeps): KeepItem {
  return (type) => keepsItem(parts, type);
}

function keepsItem({ limits }: AcceptDeps, type: string): boolean {
  if (type === "attachment") return limits.keepAttachments;
  if (type.startsWith("replay_")) return limits.keepReplays;
  return isItemType(type);
}
