import type { EnvelopeItem } from "#protocol";
import { type FilteredFacts, filterFactsOf, filterThatMatches, type InboundFilter } from "../intake/filters.ts";
import type { Sending } from "./sending.ts";

/** What filters look at: both kinds of events. Others pass, unless they come from an address that is filtered. */
const filteredTypes: ReadonlySet<string> = new Set(["event", "transaction"]);

/** Clients count their losses in them, and people write feedback. Neither is ever filtered. */
const neverFiltered: ReadonlySet<string> = new Set(["client_report", "feedback"]);

export interface FilteredItem {
  readonly filter: InboundFilter;
  /** For people: what was dropped, in one line. */
  readonly example: string;
}

/** Returns the filter of the project that drops an item. */
export function filterOfItem(
  { header, payload }: EnvelopeItem,
  { project, client }: Sending,
): FilteredItem | undefined {
  const { filters = [] } = project;
  if (filters.length === 0 || neverFiltered.has(header.type)) return undefined;
  const facts = filterFactsOf(filteredTypes.has(header.type) ? jsonOf(payload) : undefined, client);
  const filter = filterThatMatches(filters, facts);
  if (filter === undefined) return undefined;
  // A client names its browser and release in events alone, so that others would be dropped by chance.
  if (!filteredTypes.has(header.type) && filter.kind !== "address") return undefined;
  return { filter, example: exampleOf(header.type, facts) };
}

const decoder = new TextDecoder();

/** What cannot be read matches no filter. It is repaired, or refused, when it is chosen. */
export function jsonOf(payload: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(payload));
  } catch {
    return undefined;
  }
}

function exampleOf(type: string, { messages, release, environment, browser }: FilteredFacts): string {
  const said = messages.at(-1) ?? type;
  const where = [release, environment, browser && `${browser.name} ${browser.version}`];
  return [said, ...where.filter((part) => part !== undefined)].join(" · ");
}
