import type { ValueLimits } from "../value-limits.ts";

/** Converts any value to readable JSON, limited in depth and width. Never throws, and follows no cycle. */
export function writeValue(value: unknown, limits: ValueLimits, depth = 0): unknown {
  switch (typeof value) {
    case "string":
      return value.slice(0, limits.textLength);
    case "number":
      return Number.isFinite(value) ? value : `[${value}]`;
    case "boolean":
      return value;
    case "undefined":
      return "[undefined]";
    case "bigint":
      return `[bigint ${value}]`;
    case "symbol":
    case "function":
      return `[${typeof value}]`;
    default:
      return value === null ? null : writeObject(value as object, limits, depth);
  }
}

function writeObject(value: object, limits: ValueLimits, depth: number): unknown {
  try {
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[Invalid Date]" : value.toISOString();
    if (value instanceof Error) return `[${value.name}: ${value.message}]`.slice(0, limits.textLength);
    if (depth >= limits.valueDepth) return Array.isArray(value) ? "[Array]" : "[Object]";
    if (Array.isArray(value)) return value.slice(0, limits.valueKeys).map((one) => writeValue(one, limits, depth + 1));
    const written: [string, unknown][] = [];
    for (const key of Object.keys(value).slice(0, limits.valueKeys))
      written.push([key, writeValue(readKey(value, key), limits, depth + 1)]);
    return Object.fromEntries(written);
  } catch {
    // A proxy or a getter throws; the rest of the report matters more.
    return "[unreadable]";
  }
}

export function readKey(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    // A key that throws must not lose the others.
    return "[unreadable]";
  }
}
