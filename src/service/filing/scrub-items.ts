import { type EnvelopeItem, protocolLimits, readJson, readLeniently } from "#protocol";
import { type ProjectScrubRule, type ScrubByRules, scrubByRules } from "../intake/scrub-rules.ts";

/** Kinds that have content of an application. */
const scrubbedTypes: ReadonlySet<string> = new Set(
  "event transaction span log trace_metric feedback user_report".split(" "),
);

/** Applies the rules of a project to the items of an envelope, before anything else reads them. */
export function scrubItems(
  items: readonly EnvelopeItem[],
  rules: readonly ProjectScrubRule[] | undefined,
): readonly EnvelopeItem[] {
  // Nearly every project has none.
  if (rules === undefined || rules.length === 0) return items;
  const scrub = scrubByRules(rules);
  return items.map((item) => {
    if (item.header.type === "attachment") return scrubFile(item, scrub);
    return scrubbedTypes.has(item.header.type) ? scrubItem(item, scrub) : item;
  });
}

const decoder = new TextDecoder();

/** What cannot be read at all is not kept either. */
function scrubItem(item: EnvelopeItem, scrub: ScrubByRules): EnvelopeItem {
  const { value } = readLeniently(decoder.decode(item.payload), protocolLimits.jsonDepth);
  const clean = scrub(value);
  return clean === value ? item : { ...item, payload: Buffer.from(JSON.stringify(clean)) };
}

const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** A file has at most some megabytes, and all of it is read. */
const jsonOfFile = { jsonDepth: protocolLimits.jsonDepth, jsonKeys: Number.POSITIVE_INFINITY };

/** In a JSON file, paths begin at its top. Every other text has no names, so only rules without a path hold. */
function scrubFile(item: EnvelopeItem, scrub: ScrubByRules): EnvelopeItem {
  const { filename } = item.header;
  const header = typeof filename === "string" ? { ...item.header, filename: scrubText(filename, scrub) } : item.header;
  const json = readJson(item.payload, jsonOfFile);
  if (json.kind === "read" && typeof json.value === "object") {
    const clean = scrub(json.value);
    const payload = clean === json.value ? item.payload : Buffer.from(JSON.stringify(clean));
    return { ...item, header, payload };
  }
  const text = textIn(item.payload);
  const clean = text === undefined ? undefined : scrubText(text, scrub);
  return { ...item, header, payload: clean === undefined || clean === text ? item.payload : Buffer.from(clean) };
}

function scrubText(text: string, scrub: ScrubByRules): string {
  // A value needs a name, and the empty one matches only rules that hold everywhere.
  const { "": clean } = scrub({ "": text }) as { "": string };
  return clean;
}

/** Undefined for a binary file, such as a picture. */
function textIn(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}
