/**
 * Names of fields lead into objects and lists: `address.city`, `lines[0].amount`. A name that occurs several times is a
 * list, and `tags[]` always is one. Names that are not written like this are plain keys.
 */

/** Steps of one name. An address in an order of a customer has four; a schema that needs more is easier to split. */
export const fieldDepth = 8;

export type ReadFormFields = { kind: "fields"; fields: Record<string, unknown> } | { kind: "refused"; why: string };

/**
 * Reads a form into what a schema expects. The number of fields is bounded before; lists have no holes. `empty` are the
 * lists of which the form has no row.
 */
export function readFormFields(
  form: Iterable<readonly [string, unknown]>,
  empty: readonly string[] = [],
): ReadFormFields {
  const root = new FieldNode();
  try {
    for (const [name, values] of valuesByName(form)) {
      if (name === "__proto__") continue;
      const isList = name.endsWith("[]");
      const value = values.length > 1 || isList ? values : values[0];
      root.put(readFieldName(isList ? name.slice(0, -2) : name), name, value);
    }
    for (const name of new Set(empty)) if (!isSent(name, form)) root.put(readFieldName(name), name, []);
    return { kind: "fields", fields: root.toObject() };
  } catch (error) {
    if (error instanceof WrongName) return { kind: "refused", why: error.message };
    throw error;
  }
}

/** Whether it has the list or something of it: that counts more than the rows that it says it has. */
function isSent(list: string, form: Iterable<readonly [string, unknown]>): boolean {
  if (list === "__proto__") return true;
  for (const [name] of form) if (name === list || name.startsWith(`${list}[`)) return true;
  return false;
}

/** In one pass: `getAll` for each name would visit every field for every name. */
export function valuesByName<Value>(form: Iterable<readonly [string, Value]>): Map<string, Value[]> {
  const values = new Map<string, Value[]>();
  for (const [name, value] of form) {
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return values;
}

export function writeFieldName(path: readonly PropertyKey[]): string {
  return path
    .map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? String(step) : `.${String(step)}`))
    .join("");
}

/**
 * The field that an issue is about. A step below a field that was sent is about that field: about the second of a
 * repeated name, or inside a text that the schema converts.
 */
export function fieldOfPath(path: readonly PropertyKey[], isSent: (name: string) => boolean): string {
  for (let steps = 1; steps < path.length; steps++) {
    const name = writeFieldName(path.slice(0, steps));
    if (isSent(name) || isSent(`${name}[]`)) return name;
  }
  return writeFieldName(path);
}

const nested = /^[^.[\]]+(?:\.[^.[\]]+|\[\d+\])+$/;
const forbidden: readonly PropertyKey[] = ["__proto__", "constructor", "prototype"];

class WrongName extends Error {}

function readFieldName(name: string): (string | number)[] {
  if (!nested.test(name)) return [name];
  const steps = name.matchAll(/\[(\d+)\]|[^.[\]]+/g);
  const path = [...steps].map(([step, index]) => (index === undefined ? step : Number(index)));
  if (path.length > fieldDepth) throw new WrongName(`The field ${name} is more than ${fieldDepth} steps deep.`);
  if (path.some((step) => forbidden.includes(step))) throw new WrongName(`No field may be called ${name}.`);
  return path;
}

/** A value, an object or a list: which of them, its first field decides. */
class FieldNode {
  readonly #below = new Map<string | number, FieldNode>();
  #value: { is: unknown } | undefined;

  put(path: readonly (string | number)[], name: string, value: unknown): void {
    const [step, ...rest] = path;
    const [known] = this.#below.keys();
    const isOther = known !== undefined && typeof known !== typeof step;
    if (this.#value || isOther)
      throw new WrongName(`The field ${name} contradicts another: it is a value or has fields.`);
    if (step === undefined) {
      this.#value = { is: value };
      return;
    }
    const node = this.#below.get(step) ?? new FieldNode();
    this.#below.set(step, node);
    node.put(rest, name, value);
  }

  toObject(): Record<string, unknown> {
    return Object.fromEntries([...this.#below].map(([step, node]) => [step, node.#read(String(step))]));
  }

  #read(name: string): unknown {
    if (this.#value) return this.#value.is;
    const isList = typeof this.#below.keys().next().value === "number";
    if (!isList)
      return Object.fromEntries([...this.#below].map(([step, node]) => [step, node.#read(`${name}.${step}`)]));
    return Array.from({ length: this.#below.size }, (_none, index) => {
      const node = this.#below.get(index);
      if (!node) throw new WrongName(`The list ${name} was sent without ${name}[${index}].`);
      return node.#read(`${name}[${index}]`);
    });
  }
}
