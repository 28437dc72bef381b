import type { BuildManifest } from "./manifest.ts";

/** What the developer reads after a build: each route with the bytes a browser loads for it. */
export function writeSizeTable({ routes, build }: BuildManifest): string {
  const rows = [
    ["route", "page", "first load"],
    ...routes.map(({ id, kind, pageBytes, firstLoadBytes }) =>
      kind === "api" ? [id, "API", ""] : [id, kilobytes(pageBytes), kilobytes(firstLoadBytes)],
    ),
  ];
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = [width(0), width(1), width(2)];
  const lines = rows.map(([id = "", page = "", load = ""]) =>
    `  ${id.padEnd(widths[0] ?? 0)}  ${page.padStart(widths[1] ?? 0)}  ${load.padStart(widths[2] ?? 0)}`.trimEnd(),
  );
  return `${lines.join("\n")}\n\n  Build ${build}. Sizes are gzip; a first load is the entry, the styles and the page.\n`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
