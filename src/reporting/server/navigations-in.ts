import type { BalanceStatement, StatedTally } from "#protocol";
import type { NavigationOutcome } from "#signals";
import type { Scrub } from "../scrub/scrub.ts";

type NavigationEnd = NavigationOutcome["kind"] | "left";

const navigationEnds: readonly NavigationEnd[] = [
  "committed",
  "redirected",
  "superseded",
  "cancelled",
  "handed-over",
  "held",
  "failed",
  /** The document was left or closed. */
  "left",
];

/** A visitor makes fewer between two deliveries; a script in a loop or a liar makes more. */
const endsAtMost = 1_000;
/** The first ones of a document explain the others. */
const deadEndsAtMost = 20;
/** A path in a list. Patterns of routes are shorter. */
const pathCharacters = 100;

/** Reads what a document says of its navigations. Anyone can post it, so it is bounded and has no secrets. */
export function navigationsIn(
  { tallies = [] }: BalanceStatement,
  { scrub, ahead }: { scrub: Scrub; ahead: number },
): Pick<StatedTally, "ends" | "open"> | undefined {
  const tally = tallies.find(({ book }) => book === "navigations");
  if (tally === undefined) return undefined;
  const text = (path: string): string => scrub.text(path).slice(0, pathCharacters);
  const counts = navigationEnds.flatMap((kind) => {
    const n = Math.min(tally.ends[kind] ?? 0, endsAtMost);
    return n > 0 ? [[kind, n] as const] : [];
  });
  const open = tally.open
    .slice(0, deadEndsAtMost)
    .map(({ id, atMs, route, name = "" }) => ({ id, atMs: atMs + ahead, route: text(route), name: text(name) }));
  return counts.length + open.length === 0 ? undefined : { ends: Object.fromEntries(counts), open };
}
