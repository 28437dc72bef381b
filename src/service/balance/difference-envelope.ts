import { createHash } from "node:crypto";
import { jsonItem, writeEnvelope } from "#protocol";
import { hourMs } from "../clock.ts";
import type { HourBooks } from "./hour-books.ts";

/** Type of the issue about books that differ. Filters and alerts name it. */
export const differenceType = "BooksDiffer";

/** The same for the same difference, so that one that is reported twice is one event. */
export function differenceId({ project, hour, missing }: HourBooks): string {
  const parts = ["balance", project, hour, missing.length];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

/** An event, as a client would send it. All hours of a project are one issue. */
export function differenceEnvelope(books: HourBooks, examples: number): Uint8Array {
  const { hour, shown, filed, declared, onTheirWay, missing } = books;
  const eventId = differenceId(books);
  const event = {
    event_id: eventId,
    platform: "other",
    logger: "holdfast.balance",
    timestamp: ((hour + 1) * hourMs) / 1000,
    level: "error",
    fingerprint: ["holdfast.balance", "error-pages"],
    tags: { "balance.book": "error-pages" },
    extra: {
      hour: new Date(hour * hourMs).toISOString(),
      shown,
      filed,
      declared,
      on_their_way: onTheirWay,
      missing: missing.length,
      digests: missing.slice(0, examples).map(({ digest }) => digest),
      routes: [...new Set(missing.slice(0, examples).map(({ route }) => route))],
    },
    exception: {
      values: [
        { type: differenceType, value: sentenceOf(books), mechanism: { type: "holdfast.balance", handled: true } },
      ],
    },
  };
  return writeEnvelope({ eventId }, [jsonItem("event", event)]);
}

function sentenceOf({ hour, shown, missing }: HourBooks): string {
  const clock = (at: number): string => new Date(at * hourMs).toISOString().slice(11, 16);
  const day = new Date(hour * hourMs).toISOString().slice(0, 10);
  const pages = shown === 1 ? "The only error page" : `${missing.length} of ${shown} error pages`;
  const verb = missing.length === 1 ? "has" : "have";
  const named = missing.slice(0, 3).map(({ digest }) => digest);
  const more = missing.length > named.length ? " and others" : "";
  return `${pages} of ${day}, ${clock(hour)} to ${clock(hour + 1)} UTC, ${verb} no event: ${named.join(", ")}${more}.`;
}
