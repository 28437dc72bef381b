import type { ReportedEvent, ReportedUser } from "#protocol";
import { unpack } from "../bodies/packing.ts";
import type { LogLine, StoredJson } from "../filed.ts";
import { eventOfJson } from "../values/event-json.ts";
import { addressOf, aliasesOf, sessionOf, visitorHash, visitorOf } from "../values/visitor-hash.ts";
import type { ErasablePage, ErasureMatch } from "./erasure.ts";
import { isMentionable, mentionHash, mentionsAny } from "./mentions.ts";

/** Hash of an event's id, for its mark. */
export function eventMark(eventId: string): number {
  return visitorHash(`event ${eventId}`);
}

/** Attributes by which log lines name their visitor. */
const visitorAttributes = ["user.id", "user.email", "user.name", "enduser.id", "user_id"];
const decoder = new TextDecoder();

/** Decides what an erasure finds in rows and bodies. The same for every store. */
export class ErasureMatcher {
  readonly match: ErasureMatch;
  readonly #visitors: ReadonlySet<number>;
  readonly #mentions: ReadonlySet<number>;
  readonly #traces: ReadonlySet<string>;
  readonly #groups: ReadonlySet<number>;
  readonly #eventIds: ReadonlySet<string>;
  readonly #eventMarks: ReadonlySet<number>;

  constructor(match: ErasureMatch) {
    this.match = match;
    this.#visitors = new Set(match.visitors);
    this.#mentions = new Set(match.mentions);
    this.#traces = new Set(match.traces);
    this.#groups = new Set(match.groups);
    this.#eventIds = new Set(match.eventIds);
    this.#eventMarks = new Set(match.eventMarks);
  }

  /** Whether bodies have to be read. */
  get readsBodies(): boolean {
    return this.#mentions.size > 0;
  }

  /** Whether every row has to be looked at, because no index leads to it. */
  get looksAtAll(): boolean {
    return this.match.all || this.readsBodies || this.#eventMarks.size > 0;
  }

  /** Whether a log line can be one of those. */
  get looksAtLines(): boolean {
    return this.match.all || this.#visitors.size + this.#mentions.size + this.#traces.size > 0;
  }

  isVisitor(hash: number | null | undefined): boolean {
    return hash !== null && hash !== undefined && this.#visitors.has(hash);
  }

  isTrace(traceId: string | null | undefined): boolean {
    return traceId !== null && traceId !== undefined && this.#traces.has(traceId);
  }

  eventRow(row: { grp: number; eventId: string; visitor: number | null; traceId: string | null }): boolean {
    if (this.match.all || this.#groups.has(row.grp) || this.#eventIds.has(row.eventId)) return true;
    if (this.#eventMarks.size > 0 && this.#eventMarks.has(eventMark(row.eventId))) return true;
    return this.isVisitor(row.visitor) || (row.visitor === null && this.isTrace(row.traceId));
  }

  group(group: number): boolean {
    return this.#groups.has(group);
  }

  body({ bytes }: StoredJson): boolean {
    return this.text(decoder.decode(bytes));
  }

  text(text: string | null | undefined): boolean {
    return text !== null && text !== undefined && mentionsAny(text, this.#mentions);
  }

  /** Whether the body is one of a visitor. */
  user(user: ReportedUser | undefined): boolean {
    if (user === undefined) return false;
    return [visitorOf(user), addressOf(user), ...aliasesOf(user)].some((hash) => this.isVisitor(hash));
  }

  /** Whether the body to which others of a group refer is one of a visitor, or mentions one. */
  reference(packed: Uint8Array): boolean {
    if (this.#visitors.size + this.#mentions.size === 0) return false;
    const bytes = unpack(packed);
    if (bytes === undefined) return false;
    return this.body({ form: "reported", bytes }) || this.user(referenceEvent(bytes)?.user);
  }

  line(line: LogLine): boolean {
    if (this.match.all || this.isTrace(line.traceId)) return true;
    for (const name of visitorAttributes) {
      const value = line.attributes[name];
      if ((typeof value === "string" || typeof value === "number") && this.isVisitor(visitorHash(String(value))))
        return true;
    }
    return this.#mentions.size > 0 && this.text(JSON.stringify(line));
  }
}

/** Parses the body of a reference. It may have been stored in either form. */
function referenceEvent(bytes: Uint8Array): ReportedEvent | undefined {
  try {
    return eventOfJson({ form: "reported", bytes }, "") ?? eventOfJson({ form: "filed", bytes }, "");
  } catch {
    return undefined;
  }
}

/** Other identities of a visitor: those in the same event, and the visit, which an anonymous event before it names. */
export function linkedTo({ user, contexts, trace }: ReportedEvent): ErasablePage["linked"] {
  const session = sessionOf(contexts ?? {});
  const visitor = visitorOf(user);
  const names = [user?.email, user?.username, user?.id].filter((name) => name !== undefined && isMentionable(name));
  return {
    traces: trace?.traceId === undefined ? [] : [trace.traceId],
    // An address is shared by many visitors, and not followed.
    visitors: [...(visitor === undefined ? [] : [visitor]), ...(session === undefined ? [] : [session])],
    mentions: names.map((name) => mentionHash(String(name))),
  };
}

/** Trace of feedback, in the JSON that a store has written. */
export function traceOfFacts(facts: string | null): string | undefined {
  return /"traceId":"([0-9a-f]{32})"/.exec(facts ?? "")?.[1];
}
