import { createHash } from "node:crypto";
import { jsonItem, writeEnvelope } from "#protocol";
import { hourMs } from "../clock.ts";
import type { HourBooks } from "./hour-books.ts";
import type { HourTally } from "./hour-tallies.ts";

/** Type of the issue about books that differ. Filters and alerts name it. */
export const differenceType = "BooksDiffer";

/** One hour of any book. */
export type BookedHour = HourBooks | HourTally;

/** The same for the same difference, so that one that is reported twice is one event. */
export function differenceId({ project, book, hour, missing }: BookedHour): string {
  const parts = ["balance", project, book, hour, missing.length];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

/** An event, as a client would send it. All hours of a project's book are one issue. */
export function differenceEnvelope(booked: BookedHour, examples: number): Uint8Array {
  const { book, hour } = booked;
  const eventId = differenceId(booked);
  const event = {
    event_id: eventId,
    platform: "other",
    logger: "holdfast.balance",
    timestamp: ((hour + 1) * hourMs) / 1000,
    level: "error",
    fingerprint: ["holdfast.balance", book],
    tags: { "balance.book": book },
    extra: { hour: new Date(hour * hourMs).toISOString(), ...factsOf(booked, examples) },
    exception: {
      values: [
        { type: differenceType, value: sentenceOf(booked), mechanism: { type: "holdfast.balance", handled: true } },
      ],
    },
  };
  return writeEnvelope({ eventId }, [jsonItem("event", event)]);
}

function factsOf(booked: BookedHour, examples: number): object {
  if (booked.book === "error-pages") {
    const { shown, filed, declared, onTheirWay, missing } = booked;
    const named = missing.slice(0, examples);
    return {
      shown,
      filed,
      declared,
      on_their_way: onTheirWay,
      missing: missing.length,
      digests: named.map(({ digest }) => digest),
      routes: [...new Set(named.map(({ route }) => route))],
    };
  }
  const { begun, ends, running, missing } = booked;
  const named = missing.slice(0, examples);
  const entries = named.map(({ at, ...entry }) => ({ ...entry, at: new Date(at).toISOString() }));
  return { begun, ends, running, missing: missing.length, entries };
}

/** The message of the event. */
function sentenceOf(booked: BookedHour): string {
  const { book, hour, missing } = booked;
  const clock = (at: number): string => new Date(at * hourMs).toISOString().slice(11, 16);
  const day = new Date(hour * hourMs).toISOString().slice(0, 10);
  const all = booked.book === "error-pages" ? booked.shown : booked.begun;
  const { one, many, lack } = words[book];
  const subject = all === 1 ? `The only ${one}` : `${missing.length} of ${all} ${many}`;
  const verb = missing.length === 1 ? "has" : "have";
  const named = namesOf(booked).slice(0, 3);
  const more = missing.length > named.length ? " and others" : "";
  const when = `of ${day}, ${clock(hour)} to ${clock(hour + 1)} UTC`;
  return `${subject} ${when}, ${verb} no ${lack}: ${named.join(", ")}${more}.`;
}

const words: Readonly<Record<BookedHour["book"], { one: string; many: string; lack: string }>> = {
  "error-pages": { one: "error page", many: "error pages", lack: "event" },
  submissions: { one: "submission", many: "submissions", lack: "outcome" },
  navigations: { one: "navigation", many: "navigations", lack: "end" },
};

function namesOf(booked: BookedHour): readonly string[] {
  switch (booked.book) {
    case "error-pages":
      return booked.missing.map(({ digest }) => digest);
    case "submissions":
      return booked.missing.map(({ route, name = "an action" }) => `${name} of ${route}`);
    case "navigations":
      return booked.missing.map(({ route, name = "another page" }) => `${route} to ${name}`);
  }
}
