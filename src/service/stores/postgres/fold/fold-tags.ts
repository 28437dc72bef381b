import { valuesPerTag } from "../../counter-limits.ts";
import type { NameNumbers } from "../names.ts";
import type { GroupEntry } from "./group-entry.ts";
import type { OpenFold } from "./open-fold.ts";

interface TagSum {
  readonly grp: number;
  readonly key: number;
  readonly text: string;
  readonly n: number;
}

/**
 * How often each value of each tag came. Values beyond the bound are counted together, and never get a number: a tag
 * with an order number in it would bring thousands.
 */
export async function foldTags(open: OpenFold, groups: readonly GroupEntry[]): Promise<void> {
  const keys = await open.names.make(groups.flatMap(([, { tags }]) => [...tags.keys()]));
  const all = groups.flatMap(([grp, { tags }]) =>
    [...tags].flatMap(([key, values]) => [...values].map(([text, n]) => ({ grp, key: keys.number(key), text, n }))),
  );
  const values = await open.names.find(all.map(({ text }) => text));
  const fresh = await addToKnown(open, all, values);
  if (fresh.length > 0) await addFresh(open, fresh);
}

/** Returns those that are not counted by name yet. */
async function addToKnown({ queries }: OpenFold, all: readonly TagSum[], values: NameNumbers): Promise<TagSum[]> {
  const named = all.filter(({ text }) => values.known(text) !== undefined);
  const rows = await queries.all<{ grp: number; key: number; value: number }>(
    `UPDATE holdfast.group_tag t SET n = t.n + u.n
     FROM (SELECT grp, key, value, sum(n) AS n
       FROM unnest($1::bigint[], $2::int[], $3::int[], $4::bigint[]) AS u (grp, key, value, n) GROUP BY 1, 2, 3) u
     WHERE t.grp = u.grp AND t.key = u.key AND t.value = u.value RETURNING t.grp, t.key, t.value`,
    named.map(({ grp }) => grp),
    named.map(({ key }) => key),
    named.map(({ text }) => values.number(text)),
    named.map(({ n }) => n),
  );
  const counted = new Set(rows.map(({ grp, key, value }) => `${grp} ${key} ${value}`));
  return all.filter(({ grp, key, text }) => !counted.has(`${grp} ${key} ${values.known(text)}`));
}

async function addFresh(open: OpenFold, fresh: readonly TagSum[]): Promise<void> {
  const { queries } = open;
  const counts = await queries.all<{ grp: number; key: number; n: number }>(
    `SELECT t.grp, t.key, count(*) FILTER (WHERE t.value <> 0) AS n
     FROM (SELECT DISTINCT * FROM unnest($1::bigint[], $2::int[])) AS u (grp, key)
     JOIN holdfast.group_tag t ON t.grp = u.grp AND t.key = u.key GROUP BY t.grp, t.key`,
    fresh.map(({ grp }) => grp),
    fresh.map(({ key }) => key),
  );
  const known = new Map(counts.map(({ grp, key, n }) => [`${grp} ${key}`, n]));
  const hasRoom = ({ grp, key }: TagSum): boolean => {
    const values = known.get(`${grp} ${key}`) ?? 0;
    known.set(`${grp} ${key}`, values + 1);
    return values < valuesPerTag;
  };
  const isNamed = fresh.map(hasRoom);
  const numbers = await open.names.make(fresh.flatMap(({ text }, n) => (isNamed[n] ? [text] : [])));
  await queries.run(
    `INSERT INTO holdfast.group_tag SELECT grp, key, value, sum(n)
     FROM unnest($1::bigint[], $2::int[], $3::int[], $4::bigint[]) AS u (grp, key, value, n) GROUP BY 1, 2, 3
     ON CONFLICT (grp, key, value) DO UPDATE SET n = group_tag.n + excluded.n`,
    fresh.map(({ grp }) => grp),
    fresh.map(({ key }) => key),
    // Value 0 is no text: it counts all the others together.
    fresh.map(({ text }, n) => (isNamed[n] ? numbers.number(text) : 0)),
    fresh.map(({ n }) => n),
  );
}
