import type { IncomingMessage } from "node:http";
import { keyHeader, ownFields } from "../page-data.ts";
import type { Posted } from "./read-form.ts";

export type TakenBody = Exclude<Posted, { kind: "refused" }>;

/** One sending of a form or fetcher. */
export interface Submission {
  /** The action's name. */
  action: string;
  /** The form that was sent. The action's name where the sender did not say; then no form of the page shows what became of it. */
  slot: string;
  isNamed: boolean;
  key: string | undefined;
  /** How often a person has sent it. */
  attempt: number;
  /** Without the framework's own fields. */
  posted: TakenBody;
}

/** What a form may say of itself is short: the name of an action and the id of a row. */
const slotCharacters = 200;
/** 128 bits in base64url have 22 characters, a UUID has 36; more than 200 are nobody's key. */
const plainKey = /^[\w.:-]{16,200}$/;
const attemptsAtMost = 1_000;

/** Reads what the sender says of its submission, and takes it off the body: neither schema nor handler sees it. */
export function readSubmission(incoming: IncomingMessage, action: string, posted: TakenBody): Submission {
  const said = posted.kind === "form" ? takeOwnFields(posted.form) : { key: headerOf(incoming) };
  const slot = said.slot !== undefined && isSlotOf(action, said.slot) ? said.slot : undefined;
  return {
    action,
    slot: slot ?? action,
    isNamed: slot !== undefined,
    key: said.key !== undefined && plainKey.test(said.key) ? said.key : undefined,
    attempt: readAttempt(said.attempt),
    posted,
  };
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
