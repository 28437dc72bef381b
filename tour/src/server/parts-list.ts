/** Ten thousand parts, the same in every start. */
export interface Part {
  number: number;
  name: string;
  grams: number;
}

const materials = ["Brass", "Copper", "Oak", "Steel", "Walnut", "Zinc"];
const things = ["bearing", "bracket", "cog", "hinge", "knob", "latch", "lever", "pulley", "rivet", "spring"];

const parts: readonly Part[] = Array.from({ length: 10_000 }, (_, at) => ({
  number: at + 1,
  name: `${materials[(at * 7) % materials.length]} ${things[(at * 13) % things.length]} ${1 + ((at * 37) % 997)}`,
  grams: 5 + ((at * 7_919) % 4_990),
}));

export const partsOfPage = 100;
export const sorts = ["number", "-number", "name", "-name", "grams", "-grams"] as const;
export type PartSort = (typeof sorts)[number];

export interface PartSearch {
  page: number;
  sort: PartSort;
}

const sorted = new Map<PartSort, readonly Part[]>();

/** One page of them. Each order is made once. */
export function findParts({ page, sort }: PartSearch): { parts: readonly Part[]; isLast: boolean; total: number } {
  const list = sorted.get(sort) ?? sortParts(sort);
  sorted.set(sort, list);
  const end = page * partsOfPage;
  return { parts: list.slice(end - partsOfPage, end), isLast: end >= list.length, total: list.length };
}

function sortParts(sort: PartSort): readonly Part[] {
  const by = sort.replace("-", "") as keyof Part;
  const direction = sort.startsWith("-") ? -1 : 1;
  return parts.toSorted((one, other) => direction * (one[by] < other[by] ? -1 : one[by] > other[by] ? 1 : 0));
}

/** A Standard Schema, written by hand as that of the bookings. */
export const partSearch = {
  "~standard": {
    version: 1 as const,
    vendor: "tour",
    types: undefined as { input: Partial<PartSearch>; output: PartSearch } | undefined,
    validate: (value: unknown) => {
      const { page = 1, sort = "number" }: { page?: unknown; sort?: unknown } = Object(value);
      const isPage = typeof page === "number" && Number.isInteger(page) && page >= 1;
      const found = sorts.find((one) => one === sort);
      if (isPage && found) return { value: { page, sort: found } };
      return { issues: [{ message: "There is no such page.", path: [isPage ? "sort" : "page"] }] };
    },
  },
};
