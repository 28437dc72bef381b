import type { Segment } from "./route-table.ts";

/** The segments of a route, read from its id: a browser is told ids alone. The id was made from the same segments, so nothing can be wrong with it. */
export function segmentsOfId(id: string): Segment[] {
  return id
    .split("/")
    .filter((piece) => piece !== "")
    .map((piece): Segment => {
      const [, dots, name] = /^\[(\.\.\.)?(.+)\]$/.exec(piece) ?? [];
      if (!name) return { kind: "static", text: piece };
      return dots ? { kind: "rest", name } : { kind: "param", name };
    });
}
