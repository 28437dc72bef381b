/**
 * Whether data is affected by a change. `depends` are the tags and the path of a page's data, `changed` the tags and
 * paths that have changed; undefined is anything. A path also stands for those below it.
 */
export function isAffected(depends: readonly string[] | undefined, changed: readonly string[] | undefined): boolean {
  if (!depends || !changed) return true;
  return changed.some(
    (name) => depends.includes(name) || (name.startsWith("/") && depends.some((one) => isBelow(one, name))),
  );
}

function isBelow(path: string, parent: string): boolean {
  return path.startsWith(parent === "/" ? parent : `${parent}/`);
}
