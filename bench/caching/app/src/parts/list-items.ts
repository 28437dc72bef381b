export function listItems(): readonly { id: number; title: string }[] {
  return Array.from({ length: 100 }, (_, at) => ({ id: at + 1, title: `Item ${at + 1} of a long list of items` }));
}
