/**
 * Does finding a route cost more in a large application? Matches the same kinds of path (static, with parameters, with
 * a rest parameter, unknown) in applications of 10, 100 and 2,000 routes. Target: 2,000 routes cost at most twice as
 * much as 10.
 */
import { createMatcher, readPageFiles } from "#routes";

const rounds = 7;
const matchesPerRound = 400_000;

/** Ten routes per section, with every kind of segment. */
function applicationWith(routes: number): string[] {
  const pages = [
    "index",
    "new",
    "[id]",
    "[id]/edit",
    "[id]/items/[item]",
    "[id]/items/new",
    "list",
    "archive",
    "help",
    "[id]/files/[...rest]",
  ];
  return Array.from({ length: routes / 10 }, (_, section) =>
    pages.map((page) => `section-${section}/${page}.tsx`),
  ).flat();
}

function pathsFor(routes: number): string[] {
  return Array.from({ length: 200 }, (_, turn) => {
    const section = `/section-${(turn * 7919) % (routes / 10)}`;
    return [
      section,
      `${section}/new`,
      `${section}/42`,
      `${section}/42/items/7`,
      `${section}/42/files/a/b/c`,
      `${section}/42/nowhere`,
    ];
  }).flat();
}

function nanosecondsPerMatch(routes: number): number {
  const match = createMatcher(readPageFiles(applicationWith(routes)));
  const paths = pathsFor(routes);
  let found = 0;
  const run = () => {
    const begin = process.hrtime.bigint();
    for (let turn = 0; turn < matchesPerRound; turn++) {
      if (match(paths[turn % paths.length] ?? "/").kind === "found") found++;
    }
    return Number(process.hrtime.bigint() - begin) / matchesPerRound;
  };
  run();
  const times = Array.from({ length: rounds }, run).sort((a, b) => a - b);
  const share = found / ((rounds + 1) * matchesPerRound);
  if (Math.abs(share - 5 / 6) > 0.01)
    throw new Error(`Five of six paths have a route, but ${share} of the matches found one.`);
  return times[Math.floor(rounds / 2)] ?? Number.NaN;
}

const small = nanosecondsPerMatch(10);
for (const routes of [10, 100, 2_000]) {
  const time = routes === 10 ? small : nanosecondsPerMatch(routes);
  console.log(
    `${String(routes).padStart(5)} routes  ${time.toFixed(0).padStart(5)} ns per match  ${(time / small).toFixed(2)} times the cost of ten`,
  );
}
