import { readDigest, readEventId } from "#protocol";
import { issueIdOf } from "../queries/issue.ts";
import { type ErasureMark, type ErasureMatch, matchesNothing } from "../stores/erase/erasure.ts";
import { isMentionable, mentionHash } from "../stores/erase/mentions.ts";
import type { StoreReader } from "../stores/store.ts";
import { visitorHash } from "../stores/values/visitor-hash.ts";

/** What is to be forgotten. */
export type ErasureSubject =
  /** An id, or the digest that a visitor was shown. */
  | { readonly kind: "event"; readonly id: string }
  | { readonly kind: "issue"; readonly number: number }
  /** Everything of the project, and the project. */
  | { readonly kind: "project" }
  /** An id, an e-mail address or an IP address, as the reports say it. */
  | { readonly kind: "visitor"; readonly identity: string }
  /** The same, as the console names a visitor: by the hash. */
  | { readonly kind: "visitor-hash"; readonly visitor: number };

/** By which hashes and ids a subject is found. Undefined if nothing of it is stored. */
export async function matchOfSubject(
  store: StoreReader,
  project: number,
  subject: ErasureSubject,
): Promise<ErasureMatch | undefined> {
  switch (subject.kind) {
    case "project":
      return { ...matchesNothing, all: true };
    case "event": {
      const idOrPrefix = readEventId(subject.id) ?? readDigest(subject.id);
      const event = idOrPrefix === undefined ? undefined : await store.event(project, idOrPrefix);
      return event && { ...matchesNothing, eventIds: [event.eventId] };
    }
    case "issue": {
      const id = await issueIdOf(store, project, subject.number);
      if (id === undefined) return undefined;
      const groups = await store.groupsOf(project, id);
      return { ...matchesNothing, groups: groups.map((group) => group.id) };
    }
    case "visitor": {
      const identity = subject.identity.trim();
      const hash = visitorHash(identity);
      const others = await store.visitorsKnownAs(project, hash);
      const mentions = isMentionable(identity) ? [mentionHash(identity)] : [];
      return { ...matchesNothing, visitors: [...new Set([hash, ...others])], mentions };
    }
    case "visitor-hash":
      return {
        ...matchesNothing,
        visitors: [...new Set([subject.visitor, ...(await store.visitorsKnownAs(project, subject.visitor))])],
      };
  }
}

/** What earlier erasures have left as marks, by project: after an older backup was restored, they are due again. */
export function matchesOfMarks(marks: readonly ErasureMark[]): ReadonlyMap<number, ErasureMatch> {
  const projects = Map.groupBy(marks, ({ project }) => project);
  return new Map(
    [...projects].map(([project, own]) => {
      const hashes = (kind: ErasureMark["kind"]): number[] =>
        own.flatMap((mark) => (mark.kind === kind ? [mark.hash] : []));
      const match = { eventMarks: hashes("event"), visitors: hashes("visitor"), mentions: hashes("mention") };
      return [project, { ...matchesNothing, ...match, all: hashes("project").length > 0 }];
    }),
  );
}
