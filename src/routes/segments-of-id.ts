import type { PathSegment } from "./route-table.ts";

/**
 * Reads the segments of a route from its id, because the browser only gets ids. The id was made from the same segments,
 * so it is valid.
 */
export function segmentsOfId(id: string): PathSegment[] {
  return id
    .split("/")
    .filter((piece) => piece !== "")
    .map((piece): PathSegment => {
      const [, dots, name] = /^\[(\.\.\.)?(.+)\]$/.exec(piece) ?? [];
      if (!name) return { kind: "static", text: piece };
      return dots ? { kind: "rest", name } : { kind: "param", name };
    });
}
