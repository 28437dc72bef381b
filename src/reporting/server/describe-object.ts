/** Describes a thrown object by its message or the name of its class, in the words of the official client for Node. */
export function describeObject(thrown: object): string | undefined {
  try {
    const { name, message } = thrown as { name?: unknown; message?: unknown };
    const text = typeof message === "string" ? message : undefined;
    if (typeof name === "string")
      return `'${name}' captured as exception${text === undefined ? "" : ` with message '${text}'`}`;
    if (text !== undefined) return text;
    const kind: unknown = Object.getPrototypeOf(thrown)?.constructor?.name;
    const keys = Object.keys(thrown).sort().join(", ");
    return typeof kind === "string" && kind !== "Object" && keys !== ""
      ? `'${kind}' captured as exception with keys: ${keys}`
      : undefined;
  } catch {
    // A getter or a proxy throws.
    return undefined;
  }
}
