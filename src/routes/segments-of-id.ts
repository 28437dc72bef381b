import { richIds } from "./application-search.ts";
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
      if (richIds) return richSegment(piece);
      const [, dots, name] = /^\[(\.\.\.)?(.+)\]$/.exec(piece) ?? [];
      if (!name) return { kind: "static", text: piece };
      return dots ? { kind: "rest", name } : { kind: "param", name };
    });
}

/** The same where ids have optional parameters or matchers. */
function richSegment(piece: string): PathSegment {
  const [, mark, name, matcher] = /^\[(\[|\.\.\.)?([^\]=]+)=?([^\]]*)\]+$/.exec(piece) ?? [];
  if (!name) return { kind: "static", text: piece };
  if (mark === "...") return { kind: "rest", name };
  return { kind: mark ? "optional" : "param", name, ...(matcher && { matcher }) };
}
