import {
  type AcceptValue,
  fixedPaths,
  nameValues,
  type PathSegment,
  type RouteTable,
  readParameter,
  segmentsOfId,
} from "#routes";

/**
 * The existing folders along a path of the application that no route matches; the nearest one's `_not-found` is shown.
 * Groups have no segment, so an unknown path cannot belong to one.
 */
export function nearestFolders(table: RouteTable, path: string, accepts: AcceptValue): readonly number[] {
  const pieces = piecesOf(path);
  let best: { index: number; id: string; length: number } = { index: 0, id: "/", length: 0 };
  for (const [index, folder] of table.folders.entries()) {
    const { length } = piecesOf(folder.id);
    if (length > best.length && !folder.id.includes("(") && folderValues(folder.id, pieces, accepts))
      best = { index, id: folder.id, length };
  }
  return enclosingFolders(table, best.id);
}

/** A folder and those around it, from the root inwards. */
export function enclosingFolders(table: RouteTable, innermost: string): readonly number[] {
  return table.folders
    .map((folder, index) => ({ index, id: folder.id }))
    .filter(({ id }) => id === "/" || id === innermost || innermost.startsWith(`${id}/`))
    .sort((a, b) => a.id.length - b.id.length)
    .map(({ index }) => index);
}

/** The parameters that a folder's guard and layout expect, read from the start of the path. */
export function paramsOfFolder(folder: string, path: string, accepts: AcceptValue): Record<string, string> {
  return nameValues(segmentsOfId(folder), folderValues(folder, piecesOf(path), accepts) ?? []);
}

/** The values of a folder's parameters, if a path begins with the folder. */
function folderValues(folder: string, pieces: readonly string[], accepts: AcceptValue): string[] | undefined {
  const segments = segmentsOfId(folder);
  const values = pieces.map((piece) => readParameter(decodeURIComponent(piece)) ?? "");
  const fits = (one: PathSegment, at: number): boolean => {
    if (at >= pieces.length || one.kind === "static") return one.kind === "static" && one.text === pieces[at];
    return one.kind === "rest" || one.matcher === undefined || accepts(one.matcher, values[at] ?? "");
  };
  const fitting = fixedPaths(segments).filter((one) => one.every(fits));
  // The last piece is what nothing answers: a misspelled page rather than a value.
  const best = fitting.find(({ length }) => length < pieces.length) ?? fitting[0];
  return best && values.filter((_, at) => best[at] !== undefined && best[at].kind !== "static");
}

function piecesOf(path: string): string[] {
  return path.split("/").filter((piece) => piece !== "");
}
