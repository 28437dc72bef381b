/** The page data of the measured application: generated in memory, the same in every contender and every run. */
export interface ItemSummary {
  id: number;
  title: string;
}

export interface Item extends ItemSummary {
  price: number;
  updated: string;
  tags: readonly string[];
  paragraphs: readonly string[];
}

const words = [
  "harbour",
  "rope",
  "anchor",
  "tide",
  "current",
  "channel",
  "mooring",
  "signal",
  "lantern",
  "keel",
  "rudder",
  "ballast",
  "compass",
  "chart",
  "beacon",
  "swell",
];

function word(at: number): string {
  return words[at % words.length] ?? "";
}

function makeItem(id: number): Item {
  return {
    id,
    title: `Item ${id}`,
    price: (id * 137) % 1000,
    updated: new Date(Date.UTC(2026, 0, 1 + (id % 28))).toISOString(),
    tags: [0, 5, 10, 15].map((step) => word(id + step)),
    paragraphs: Array.from(
      { length: 8 },
      (_, line) => `${Array.from({ length: 34 }, (_, at) => word((id + line) * 7 + at * at * 3 + at)).join(" ")}.`,
    ),
  };
}

const items = new Map(Array.from({ length: 100 }, (_, index) => [index + 1, makeItem(index + 1)]));
const summaries: readonly ItemSummary[] = [...items.values()].map(({ id, title }) => ({ id, title }));

export function listItems(): readonly ItemSummary[] {
  return summaries;
}

export function findItem(id: string): Item | undefined {
  return items.get(Number(id));
}
