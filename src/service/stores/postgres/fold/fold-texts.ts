import { titleAndRoute } from "../../batch-sums.ts";
import { stacksPerGroup, textsPerGroup } from "../../counter-limits.ts";
import { indexOf } from "../search-words.ts";
import type { GroupEntry, KnownGroup } from "./group-entry.ts";
import type { OpenFold } from "./open-fold.ts";

/**
 * A group is found by the whole text of its first event, and by the titles, routes and frames that later ones bring.
 * Returns how many texts each group got.
 */
export async function foldTexts(
  open: OpenFold,
  groups: readonly GroupEntry[],
  known: ReadonlyMap<number, KnownGroup>,
): Promise<ReadonlyMap<number, number>> {
  const wanted = groups.map(([id, sums]) => ({ id, ...wantedOf(open, [id, sums], known.get(id)?.texts ?? 0) }));
  const indexed = await indexedTexts(
    open,
    wanted.flatMap(({ id, texts, stacks }) => (texts.length + stacks.length > 0 ? [id] : [])),
  );
  const fresh = wanted.flatMap(({ id, first, texts, stacks, count }) => {
    const added = [...first];
    const add = (found: readonly string[], atMost: number): void => {
      for (const text of found) {
        if (count + added.length >= atMost) return;
        if (!indexed.get(id)?.has(text)) added.push(text);
      }
    };
    add(texts, textsPerGroup);
    add(stacks, stacksPerGroup);
    return added.map((text) => ({ id, text }));
  });
  if (fresh.length > 0)
    await open.queries.run(
      "INSERT INTO holdfast.group_text (grp, text, words) SELECT * FROM unnest($1::bigint[], $2::text[], $3::tsvector[])",
      fresh.map(({ id }) => id),
      fresh.map(({ text }) => text),
      fresh.map(({ text }) => indexOf(text)),
    );
  const counts = new Map<number, number>();
  for (const { id } of fresh) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

interface WantedTexts {
  readonly first: readonly string[];
  readonly texts: readonly string[];
  readonly stacks: readonly string[];
  readonly count: number;
}

function wantedOf({ recentTexts }: OpenFold, [id, sums]: GroupEntry, count: number): WantedTexts {
  const first = count === 0 ? [sums.last.searchText] : [];
  // The whole text of an event has its title and route in it.
  if (count === 0) recentTexts.isNew(`${id} ${titleAndRoute(sums.last)}`);
  const unseen = (found: Iterable<string>, atMost: number): string[] =>
    count >= atMost ? [] : [...found].filter((text) => recentTexts.isNew(`${id} ${text}`));
  return { first, texts: unseen(sums.texts, textsPerGroup), stacks: unseen(sums.stacks, stacksPerGroup), count };
}

async function indexedTexts(
  { queries }: OpenFold,
  groups: readonly number[],
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const indexed = new Map(groups.map((group) => [group, new Set<string>()]));
  if (groups.length === 0) return indexed;
  const rows = await queries.all<{ grp: number; text: string }>(
    "SELECT grp, text FROM holdfast.group_text WHERE grp = ANY ($1)",
    groups,
  );
  for (const { grp, text } of rows) indexed.get(grp)?.add(text);
  return indexed;
}
