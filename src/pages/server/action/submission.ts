import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { keyHeader, ownFields, rowsField } from "../../page-data.ts";
import type { PostedForm } from "../body/read-form.ts";
import { readStamp } from "../visitor/visitor.ts";

export type TakenBody = Exclude<PostedForm, { kind: "refused" | "failed" }>;

/** One request of a form or fetcher. */
export interface PostedSubmission {
  /** The action's name, as its address has it. */
  action: string;
  /**
   * The form that was sent, or the action's name if the sender did not name it; then no form of the page shows the
   * outcome.
   */
  slot: string;
  /** Whether a form shows the outcome: without scripts the form must be known, with scripts it always is. */
  isShownInForm: boolean;
  key: string | undefined;
  /** How often a person has sent it. */
  attempt: number;
  /** Stamp of the visitor who sent it first, from a browser that sends it again in a later visit. */
  visitor: string | undefined;
  /** Values of `rowsField`. */
  rows: readonly string[];
  /** Where the form is, if the action belongs to another page; not checked. */
  from: string | undefined;
  /** Without the framework's own fields. */
  posted: TakenBody;
}

/** The name of an action, which may have the path of its file before it, and the id of a row. */
const slotCharacters = 400;
/** 128 bits in base64url have 22 characters, a UUID has 36; text of more than 200 is not a key. */
const plainKey = /^[\w.:-]{16,200}$/;
const attemptsAtMost = 1_000;

/** Reads the framework's own fields and removes them from the body: neither schema nor handler sees them. */
export function readSubmission(
  incoming: IncomingMessage,
  { action, variant }: { action: string; variant: "document" | "data" },
  posted: TakenBody,
): PostedSubmission {
  const fields: OwnFields = posted.kind === "form" ? takeOwnFields(posted.form) : { key: headerOf(incoming) };
  const slot = fields.slot !== undefined && isSlotOf(action, fields.slot) ? fields.slot : undefined;
  return {
    action,
    slot: slot ?? action,
    isShownInForm: slot !== undefined || variant === "data",
    key: readSubmissionKey(fields.key),
    attempt: readAttempt(fields.attempt),
    visitor: fields.visitor === undefined ? undefined : readStamp(fields.visitor),
    rows: fields.rows ?? [],
    from: fields.from,
    posted,
  };
}

export function readSubmissionKey(text: string | undefined): string | undefined {
  return text !== undefined && plainKey.test(text) ? text : undefined;
}

const hashBytes = 16;

/**
 * The key of a submission in the memory. A client's key is valid for one action of one page, because all forms of a
 * document without script have the same.
 */
export function rowKeyOf(path: string, action: string, key: string): Uint8Array {
  return hash(JSON.stringify([path, action, key]));
}

/** The memory key of a submission that reuses a key with another body. */
export function otherKeyOf(key: Uint8Array, body: Uint8Array): Uint8Array {
  return createHash("sha256").update(key).update(body).digest().subarray(0, hashBytes);
}

/** The key that the application gets: the same in all attempts of one submission, and in no other. */
export function contextKeyOf(key: Uint8Array, body: Uint8Array): string {
  return Buffer.from(otherKeyOf(key, body)).toString("base64url");
}

/**
 * Two bodies with the same hash are the same submission. The slot is included: it distinguishes two rows with the same
 * text.
 */
export function bodyHashOf({ slot, posted }: PostedSubmission): Uint8Array {
  if (posted.kind === "json") return hash(JSON.stringify([slot, posted.value]));
  const hashing = createHash("sha256").update(JSON.stringify(slot));
  const { files } = posted;
  for (const [name, value] of posted.form) {
    // The text in place of a stored file differs each time.
    if (typeof value === "string") hashing.update(JSON.stringify(files?.stored.has(value) ? [name] : [name, value]));
    else hashing.update(JSON.stringify([name, value.name, value.type, value.size]));
  }
  hashing.update(JSON.stringify(files?.hashes ?? []));
  return hashing.digest().subarray(0, hashBytes);
}

function hash(text: string): Uint8Array {
  return createHash("sha256").update(text).digest().subarray(0, hashBytes);
}

/** A missing or invalid number counts as the first attempt. */
export function readAttempt(text: string | undefined): number {
  const attempt = Number(text);
  return Number.isInteger(attempt) && attempt >= 1 && attempt <= attemptsAtMost ? attempt : 1;
}

interface OwnFields {
  slot?: string | undefined;
  key?: string | undefined;
  attempt?: string | undefined;
  visitor?: string | undefined;
  rows?: readonly string[];
  from?: string | undefined;
}

function takeOwnFields(form: FormData): OwnFields {
  const take = (name: string): string | undefined => {
    const value = form.get(name);
    form.delete(name);
    return typeof value === "string" ? value : undefined;
  };
  const { slot, key, attempt, visitor, from } = ownFields;
  const rows = form.getAll(rowsField).filter((value) => typeof value === "string");
  form.delete(rowsField);
  const own = { slot: take(slot), key: take(key), attempt: take(attempt), visitor: take(visitor), from: take(from) };
  return { ...own, rows };
}

function headerOf(incoming: IncomingMessage): string | undefined {
  const value = incoming.headers[keyHeader.toLowerCase()];
  // As a structured header (RFC 9651) it is a quoted string.
  return typeof value === "string" ? value.replace(/^"(.*)"$/, "$1") : undefined;
}

function isSlotOf(action: string, slot: string): boolean {
  return slot.length <= slotCharacters && slot.startsWith(`${action} `);
}
