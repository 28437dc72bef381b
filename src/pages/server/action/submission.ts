import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { keyHeader, ownFields } from "../../page-data.ts";
import type { PostedForm } from "../body/read-form.ts";

export type TakenBody = Exclude<PostedForm, { kind: "refused" }>;

/** One sending of a form or fetcher. */
export interface PostedSubmission {
  /** The action's name. */
  action: string;
  /**
   * The form that was sent. The action's name where the sender did not say; then no form of the page shows what became
   * of it.
   */
  slot: string;
  /**
   * Whether what became of it is shown there: a page without scripts has to know the form, one with scripts always
   * does.
   */
  isShownInForm: boolean;
  key: string | undefined;
  /** How often a person has sent it. */
  attempt: number;
  /** Without the framework's own fields. */
  posted: TakenBody;
}

/** What a form may say of itself is short: the name of an action and the id of a row. */
const slotCharacters = 200;
/** 128 bits in base64url have 22 characters, a UUID has 36; more than 200 are no key. */
const plainKey = /^[\w.:-]{16,200}$/;
const attemptsAtMost = 1_000;

/** Reads what the sender says of its submission, and takes it off the body: neither schema nor handler sees it. */
export function readSubmission(
  incoming: IncomingMessage,
  { action, variant }: { action: string; variant: "document" | "data" },
  posted: TakenBody,
): PostedSubmission {
  const said = posted.kind === "form" ? takeOwnFields(posted.form) : { key: headerOf(incoming) };
  const slot = said.slot !== undefined && isSlotOf(action, said.slot) ? said.slot : undefined;
  return {
    action,
    slot: slot ?? action,
    isShownInForm: slot !== undefined || variant === "data",
    key: readSubmissionKey(said.key),
    attempt: readAttempt(said.attempt),
    posted,
  };
}

export function readSubmissionKey(text: string | undefined): string | undefined {
  return text !== undefined && plainKey.test(text) ? text : undefined;
}

const hashBytes = 16;

/**
 * The name of a submission in the memory. A key counts for one action of one page: all forms of a document without
 * script have the same.
 */
export function rowKeyOf(path: string, action: string, key: string): Uint8Array {
  return hash(JSON.stringify([path, action, key]));
}

/** The name of a submission whose key is another one's, with another body. */
export function otherKeyOf(key: Uint8Array, body: Uint8Array): Uint8Array {
  return createHash("sha256").update(key).update(body).digest().subarray(0, hashBytes);
}

/** What the application is told: the same in all attempts of one submission, and in no other. */
export function contextKeyOf(key: Uint8Array, body: Uint8Array): string {
  return Buffer.from(otherKeyOf(key, body)).toString("base64url");
}

/** Two bodies with the same hash are the same sending. The slot counts: it tells two rows with the same text apart. */
export async function bodyHashOf({ slot, posted }: PostedSubmission): Promise<Uint8Array> {
  if (posted.kind === "json") return hash(JSON.stringify([slot, posted.value]));
  const said = createHash("sha256").update(JSON.stringify(slot));
  for (const [name, value] of posted.form) {
    if (typeof value === "string") said.update(JSON.stringify([name, value]));
    else {
      said.update(JSON.stringify([name, value.name, value.type, value.size]));
      for await (const piece of value.stream()) said.update(piece);
    }
  }
  return said.digest().subarray(0, hashBytes);
}

function hash(text: string): Uint8Array {
  return createHash("sha256").update(text).digest().subarray(0, hashBytes);
}

/** The first sending is the first attempt, and so is what cannot be read. */
export function readAttempt(text: string | undefined): number {
  const attempt = Number(text);
  return Number.isInteger(attempt) && attempt >= 1 && attempt <= attemptsAtMost ? attempt : 1;
}

interface Said {
  slot?: string | undefined;
  key?: string | undefined;
  attempt?: string | undefined;
}

function takeOwnFields(form: FormData): Said {
  const take = (name: string): string | undefined => {
    const value = form.get(name);
    form.delete(name);
    return typeof value === "string" ? value : undefined;
  };
  return { slot: take(ownFields.slot), key: take(ownFields.key), attempt: take(ownFields.attempt) };
}

function headerOf(incoming: IncomingMessage): string | undefined {
  const value = incoming.headers[keyHeader.toLowerCase()];
  // As a structured header it is a text in quotation marks.
  return typeof value === "string" ? value.replace(/^"(.*)"$/, "$1") : undefined;
}

function isSlotOf(action: string, slot: string): boolean {
  return slot.length <= slotCharacters && slot.startsWith(`${action} `);
}
