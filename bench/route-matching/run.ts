/**
 * Does finding a route cost more in a large application? Matches the same kinds of path (static, with parameters, with
 * a rest parameter, unknown) in applications of 10, 100 and 2,000 routes. Target: 2,000 routes cost at most twice as
 * much as 10. And do the redirects of the configuration cost anything? Matches the same paths beside 1,000 of them.
 * Target: at most 1.25 times as much, which is less than a thousandth of a request.
 */
import { createMatcher, readAddressRules, readPageFiles } from "#routes";

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

/** Every tenth has a parameter, in folders that no page has. */
function redirectsOf(count: number): ReturnType<typeof readAddressRules>["rules"] {
  const lines = Array.from({ length: count }, (_, line) =>
    line % 10 === 0 ? { from: `/old-${line}/[id]`, to: "/[id]" } : { from: `/old/page-${line}.html`, to: "/" },
  );
  return readAddressRules(lines, undefined).rules;
}

interface Measured {
  routes: number;
  redirects?: number;
}

/** Nanoseconds per match of each application. Rounds take turns, so that other load of the machine meets them all. */
function measure(applications: readonly Measured[]): number[] {
  const runs = applications.map(({ routes, redirects = 0 }) => {
    const table = readPageFiles(applicationWith(routes));
    const match = createMatcher({ at: "", routes: [...table.routes, ...redirectsOf(redirects)] });
    const paths = pathsFor(routes);
    return { match, paths, times: [] as number[] };
  });
  for (let round = 0; round <= rounds; round++) {
    for (const { match, paths, times } of runs) {
      let found = 0;
      const begin = process.hrtime.bigint();
      for (let turn = 0; turn < matchesPerRound; turn++) {
        if (match(paths[turn % paths.length] ?? "/").kind === "found") found++;
      }
      // The first round compiles the code.
      if (round > 0) times.push(Number(process.hrtime.bigint() - begin) / matchesPerRound);
      const share = found / matchesPerRound;
      if (Math.abs(share - 5 / 6) > 0.01)
        throw new Error(`Five of six paths have a route, but ${share} of the matches found one.`);
    }
  }
  return runs.map(({ times }) => times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN);
}

const sizes: readonly Measured[] = [{ routes: 10 }, { routes: 100 }, { routes: 2_000 }];
const [small = Number.NaN, ...larger] = measure(sizes);
for (const [index, time] of [small, ...larger].entries()) {
  console.log(
    `${String(sizes[index]?.routes).padStart(5)} routes  ${time.toFixed(0).padStart(5)} ns per match  ${(time / small).toFixed(2)} times the cost of ten`,
  );
}

const [without = Number.NaN, beside = Number.NaN] = measure([{ routes: 100 }, { routes: 100, redirects: 1_000 }]);
console.log(
  `  100 routes beside 1,000 redirects  ${beside.toFixed(0)} ns per match  ${(beside / without).toFixed(2)} times the cost without them`,
);
