import { EnvelopeReader, type EnvelopeReading, isItemType, type KeepItem, readEnvelope } from "#protocol";
import type { Project } from "../projects.ts";
import { type AcceptDeps, acceptEnvelope } from "./accept-envelope.ts";
import { type Delivery, failureOf, type IngestDeps } from "./delivery.ts";
import { contradictionOf, noKey, type Sender, type SenderClaims, senderInHeader } from "./find-sender.ts";
import type { AcceptOutcome } from "./outcome.ts";
import { receiveBody } from "./read-body.ts";
import type { BodySink } from "./received-body.ts";
import { mustBeRead, ownProcess, type Sending } from "./sending.ts";
import { readUsualEnvelope, type UsualEnvelope } from "./usual-envelope.ts";

/** The client of an envelope, as far as the request identifies it. */
interface FromRequest {
  sender: Sender;
  claims: SenderClaims;
}

export function receiveEnvelope(deps: IngestDeps, delivery: Delivery, { sender, claims }: FromRequest): void {
  const arriving = new ArrivingEnvelope(deps);
  receiveBody(delivery, deps, arriving, (body) =>
    delivery.attempt(() => {
      const failed = failureOf(body);
      if (failed !== undefined) return delivery.end(failed);
      const { onlyPiece } = arriving;
      if (onlyPiece !== undefined && sender.kind === "found") {
        const usual = usualEnvelope(deps, sender.project, onlyPiece);
        if (usual !== undefined) {
          const contradiction = contradictionOf(deps.projects, sender.project, usual.dsn);
          if (contradiction !== undefined) return delivery.end(contradiction);
          return acceptEnvelope(deps, sender, { kind: "usual", usual, bytes: onlyPiece }, delivery.end);
        }
      }
      const reading = arriving.end();
      if (reading.kind !== "read") return delivery.end(reading);
      const named = sender.kind === "found" ? sender : senderInHeader(deps, reading.envelope, claims);
      if (named.kind === "refused") return delivery.end(named.outcome);
      if (named.kind === "unnamed") return delivery.end(noKey);
      const contradiction = contradictionOf(deps.projects, named.project, reading.envelope.header.dsn);
      if (contradiction !== undefined) return delivery.end(contradiction);
      const arrived = { kind: "read", envelope: reading.envelope, original: onlyPiece } as const;
      acceptEnvelope(deps, named, arrived, delivery.end);
    }),
  );
}

/**
 * Reads an envelope while it arrives. The first chunk is held until the second: if there is none, it is examined and
 * stored as a whole.
 */
class ArrivingEnvelope implements BodySink {
  readonly #deps: AcceptDeps;
  #reader: EnvelopeReader | undefined;
  /** The whole envelope, if it arrived in one chunk. */
  onlyPiece: Buffer | undefined;

  constructor(deps: AcceptDeps) {
    this.#deps = deps;
  }

  push(chunk: Buffer): "more" | "enough" {
    if (this.#reader === undefined && this.onlyPiece === undefined) {
      this.onlyPiece = chunk;
      return "more";
    }
    const reader = this.#openReader();
    this.onlyPiece = undefined;
    reader.push(chunk);
    return reader.failure === undefined ? "more" : "enough";
  }

  end(): EnvelopeReading {
    return this.#openReader().end();
  }

  #openReader(): EnvelopeReader {
    if (this.#reader !== undefined) return this.#reader;
    this.#reader = new EnvelopeReader(this.#deps.attachments().protocol, keepItem(this.#deps));
    if (this.onlyPiece !== undefined) this.#reader.push(this.onlyPiece);
    return this.#reader;
  }
}

/** Accepts an envelope of the same process. */
export async function acceptBytes(deps: IngestDeps, project: number, bytes: Uint8Array): Promise<AcceptOutcome> {
  const known = deps.projects.byId(project);
  if (known === undefined) return { kind: "forbidden", why: `There is no project ${project}.` };
  const sending: Sending = { project: known, key: undefined, client: ownProcess };
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const usual = usualEnvelope(deps, known, whole);
  if (usual !== undefined)
    return new Promise((resolve) => acceptEnvelope(deps, sending, { kind: "usual", usual, bytes: whole }, resolve));
  const reading = readEnvelope(bytes, deps.attachments().protocol, keepItem(deps));
  if (reading.kind !== "read") return reading;
  const { envelope } = reading;
  return new Promise((resolve) => acceptEnvelope(deps, sending, { kind: "read", envelope, original: bytes }, resolve));
}

/**
 * Reads an envelope of the usual form, which is stored unchanged. Returns undefined for any that must be parsed first.
 */
function usualEnvelope(deps: AcceptDeps, project: Project, whole: Buffer): UsualEnvelope | undefined {
  if (mustBeRead(project)) return undefined;
  const usual = readUsualEnvelope(whole, deps.limits.protocol);
  return usual !== undefined && keepsItem(deps, usual.type) ? usual : undefined;
}

function keepItem(deps: AcceptDeps): KeepItem {
  return (type) => keepsItem(deps, type);
}

function keepsItem({ limits, attachments }: AcceptDeps, type: string): boolean {
  if (type === "attachment") return attachments().limits.keep;
  if (type.startsWith("replay_")) return limits.keepReplays;
  return isItemType(type);
}
