/** What a channel sends, made from stored and therefore scrubbed data. */
export interface AlertMessage {
  /** The same for every attempt of one message, so that a receiver can recognize a repetition. */
  readonly id: string;
  readonly project: { readonly id: number; readonly name: string };
  /** Which rule fired, in a few words: `New issue`. */
  readonly reason: string;
  readonly title: string;
  readonly level: string;
  readonly source: AlertSource | undefined;
  readonly route: string | undefined;
  readonly release: string | undefined;
  readonly environment: string | undefined;
  readonly events: number | undefined;
  readonly visitors: number | undefined;
  readonly digest: string | undefined;
  /** Address of a page of the console. Signing in leads there. */
  readonly link: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The same for all messages about one thing, so that a receiver can show them together. */
  readonly about: string;
  /** What a summary is about: the first ones, and how many there are in all. */
  readonly items: readonly AlertItem[];
  readonly itemsInAll: number;
}

export interface AlertItem {
  readonly text: string;
  readonly link: string;
  /** Why it is in the list: `New`. */
  readonly label?: string | undefined;
  /** What else is known, in a few words: `38 events · /cart`. */
  readonly note?: string | undefined;
}

/** What `items` leaves out, in words. Empty if it leaves out nothing. */
export function furtherItems({ items, itemsInAll }: AlertMessage): string {
  const further = itemsInAll - items.length;
  return further > 0 ? `and ${further.toLocaleString("en-US")} more` : "";
}

/** An item in one line. */
export function itemText({ label, text, note }: AlertItem): string {
  return `${label === undefined ? "" : `${label}: `}${text}${note === undefined ? "" : ` (${note})`}`;
}

/** The items as lines of text. */
export function itemLines(message: AlertMessage): readonly string[] {
  const further = furtherItems(message);
  return [...message.items.map((item) => `• ${itemText(item)}`), ...(further === "" ? [] : [further])];
}

/** The failing line, with the lines around it. */
export interface AlertSource {
  readonly file: string;
  readonly lines: readonly AlertLine[];
}

export interface AlertLine {
  readonly number: number;
  readonly text: string;
  readonly isFailing: boolean;
}

/** What is known about a message, as label and value, in the order of importance. */
export function factsOf(message: AlertMessage): readonly (readonly [label: string, value: string])[] {
  const { project, route, release, environment, events, visitors, digest } = message;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Project", project.name],
    ["Route", route],
    ["Release", release],
    ["Environment", environment],
    ["Events", events?.toLocaleString("en-US")],
    ["Visitors", visitors?.toLocaleString("en-US")],
    ["Digest", digest],
  ];
  return facts.flatMap(([label, value]) => (value === undefined || value === "" ? [] : [[label, value] as const]));
}

/** The lines of the source as text, with the number of each and a mark before the failing one. */
export function sourceText({ lines }: AlertSource): string {
  const width = String(lines.at(-1)?.number ?? 0).length;
  return lines
    .map(({ number, text, isFailing }) => `${isFailing ? ">" : " "} ${String(number).padStart(width)} | ${text}`)
    .join("\n");
}

/** Cuts a text to a receiver's limit, by characters and not within one. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${Array.from(text.slice(0, length)).slice(0, -1).join("")}…`;
}
