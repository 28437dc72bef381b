/** What grows: `count` links, or about `bytes` of page data. */
export function linksOf(count: number): readonly { id: number; title: string }[] {
  return Array.from({ length: count }, (_, at) => ({ id: at + 1, title: `Item ${at + 1}` }));
}

const row = { id: 1_000_000, title: "An item with a title of some length", price: 12.5, isAvailable: true };
const rowBytes = JSON.stringify(row).length + 1;

export function rowsOf(bytes: number): readonly (typeof row)[] {
  return Array.from({ length: Math.ceil(bytes / rowBytes) }, (_, at) => ({ ...row, id: row.id + at }));
}

const kept = new Map<string, unknown>();

/** Made once: the list is not what is measured. */
export function keep<Value>(name: string, make: () => Value): Value {
  const value = (kept.get(name) as Value | undefined) ?? make();
  kept.set(name, value);
  return value;
}
