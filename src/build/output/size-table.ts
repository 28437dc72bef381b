import type { BuildManifest } from "./manifest.ts";

/** Formats the summary of a build: each route with the bytes that a browser loads for it. */
export function writeSizeTable({ routes, later, build }: BuildManifest): string {
  const budgeted = routes.some(({ budget }) => budget?.firstLoadBytes !== undefined);
  const rows = [
    ["route", "page", "first load", budgeted ? "budget" : ""],
    ...routes.map(({ id, kind, pageBytes, firstLoadBytes, budget }) =>
      kind === "api"
        ? [id, "API"]
        : [
            id,
            kilobytes(pageBytes),
            kilobytes(firstLoadBytes),
            budget?.firstLoadBytes === undefined ? "" : kilobytes(budget.firstLoadBytes),
          ],
    ),
  ];
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const [first, ...others] = [width(0), width(1), width(2), width(3)] as const;
  const lines = rows.map(([id = "", ...sizes]) =>
    `  ${id.padEnd(first)}  ${others.map((wide, column) => (sizes[column] ?? "").padStart(wide)).join("  ")}`.trimEnd(),
  );
  const afterwards = later.map(({ name, bytes }) => `${name}, ${kilobytes(bytes)}`).join("; ");
  return `${lines.join("\n")}

  Build ${build}. Sizes are gzip; a first load is the entry, the styles, the page,
  and the files that every page loads after hydration (${afterwards}).
`;
}

export function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
