/** Every path of a JSON value to a leaf, with its values: `exception.values[].type`. A list is one path. */
export function fieldPaths(value: unknown): Map<string, unknown[]> {
  const paths = new Map<string, unknown[]>();
  const walk = (at: string, one: unknown): void => {
    if (Array.isArray(one)) for (const item of one) walk(`${at}[]`, item);
    else if (typeof one === "object" && one !== null)
      for (const [key, item] of Object.entries(one)) walk(at === "" ? key : `${at}.${key}`, item);
    else paths.set(at, [...(paths.get(at) ?? []), one]);
  };
  walk("", value);
  return paths;
}

export interface Comparison {
  /** Only in theirs. */
  missing: string[];
  /** Only in ours. */
  added: string[];
  /** In both, with other values. */
  different: string[];
}

/** Compares two reports field by field. Fields of `varying`, such as ids, need only be of the same kind. */
export function compareFields(ours: unknown, theirs: unknown, varying: readonly RegExp[]): Comparison {
  const [mine, other] = [fieldPaths(ours), fieldPaths(theirs)];
  const both = [...mine.keys()].filter((path) => other.has(path));
  return {
    missing: [...other.keys()].filter((path) => !mine.has(path)).toSorted(),
    added: [...mine.keys()].filter((path) => !other.has(path)).toSorted(),
    different: both.filter((path) => {
      const asKind = varying.some((pattern) => pattern.test(path));
      const [a, b] = [mine.get(path), other.get(path)].map((values) =>
        values?.map((one) => (asKind ? kindOf(one) : one)),
      );
      return JSON.stringify(a) !== JSON.stringify(b);
    }),
  };
}

/** An id of 32 digits is of the same kind as any other, and so is a time. */
function kindOf(value: unknown): string {
  return typeof value === "string" && /^[0-9a-f]+$/.test(value) ? `${value.length} digits` : typeof value;
}
