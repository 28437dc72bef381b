import { type EnvelopeItem, protocolLimits, readLeniently } from "#protocol";
import { type ProjectScrubRule, type ScrubByRules, scrubByRules } from "../intake/scrub-rules.ts";

/** Kinds that have content of an application. */
const scrubbedTypes: ReadonlySet<string> = new Set(["event", "transaction", "span", "log", "trace_metric", "feedback"]);

/** Applies the rules of a project to the items of an envelope, before anything else reads them. */
export function scrubItems(
  items: readonly EnvelopeItem[],
  rules: readonly ProjectScrubRule[] | undefined,
): readonly EnvelopeItem[] {
  // Nearly every project has none.
  if (rules === undefined || rules.length === 0) return items;
  const scrub = scrubByRules(rules);
  return items.map((item) => (scrubbedTypes.has(item.header.type) ? scrubItem(item, scrub) : item));
}

const decoder = new TextDecoder();

/** What cannot be read at all is not kept either. */
function scrubItem(item: EnvelopeItem, scrub: ScrubByRules): EnvelopeItem {
  const { value } = readLeniently(decoder.decode(item.payload), protocolLimits.jsonDepth);
  const clean = scrub(value);
  return clean === value ? item : { ...item, payload: Buffer.from(JSON.stringify(clean)) };
}
