import * as pageErrors from "../../errors.ts";
import type { Schema } from "../../standard-schema.ts";

/**
 * The type of a variable: one of these words, with `?` if it is optional; a list of allowed texts; or any Standard
 * Schema.
 */
export type VariableType = PlainType | `${PlainType}?` | readonly string[] | Schema;

interface PlainTypes {
  text: string;
  number: number;
  integer: number;
  port: number;
  boolean: boolean;
  url: string;
}

type PlainType = keyof PlainTypes;

type ValueOf<Type> = Type extends `${infer Plain extends PlainType}?`
  ? PlainTypes[Plain] | undefined
  : Type extends PlainType
    ? PlainTypes[Type]
    : Type extends readonly (infer Word)[]
      ? Word
      : Type extends Schema<infer Output>
        ? Output
        : never;

/** The variables, read and typed. */
export type Environment<Wanted> = { readonly [Name in keyof Wanted]: ValueOf<Wanted[Name]> };

const readers: { [Type in PlainType]: { read: (text: string) => PlainTypes[Type] | undefined; words: string } } = {
  text: { read: (text) => (text === "" ? undefined : text), words: "a text" },
  number: { read: readNumber, words: "a number such as 2.5" },
  integer: { read: (text) => readWhole(text, Number.MAX_SAFE_INTEGER), words: "a whole number such as 20" },
  port: { read: (text) => readWhole(text, 65_535), words: "a port from 0 to 65535" },
  boolean: { read: readBoolean, words: "true or false" },
  url: { read: readUrl, words: "an address such as https://shop.example or postgres://host/name" },
};

/**
 * Declares the environment variables of the application and their types. In `src/env.server.ts` it is read before
 * anything else: a server with missing or malformed variables does not start, and lists all of them.
 *
 * @example export const env = environment({ DATABASE_URL: "url", MAIL_PORT: "port?", STAGE: ["test", "live"] });
 */
export function environment<const Wanted extends Readonly<Record<string, VariableType>>>(
  wanted: Wanted,
  variables: Readonly<Record<string, string | undefined>> = process.env,
): Environment<Wanted> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(wanted)) {
    const outcome = readVariable(variables[name], type);
    if (outcome.kind === "value") values[name] = outcome.value;
    else
      problems.push(
        `${name} ${outcome.kind === "missing" ? "is missing" : "is set, but not right"}: it must be ${outcome.words}`,
      );
  }
  if (problems.length > 0) throw pageErrors.wrongEnvironment(problems);
  // Every name was read by its type in `wanted`.
  return values as Environment<Wanted>;
}

type Outcome = { kind: "value"; value: unknown } | { kind: "missing" | "wrong"; words: string };

/** Never prints the value: it may be a secret, and many people read logs. */
function readVariable(text: string | undefined, type: VariableType): Outcome {
  if (typeof type === "object" && "~standard" in type) return readBySchema(text, type);
  if (typeof type !== "string") {
    const words = `one of ${type.join(", ")}`;
    if (text === undefined || text === "") return { kind: "missing", words };
    return type.includes(text) ? { kind: "value", value: text } : { kind: "wrong", words };
  }
  const optional = type.endsWith("?");
  const { read, words } = readers[(optional ? type.slice(0, -1) : type) as PlainType];
  // Most shells and files write "none" as an empty variable.
  if (text === undefined || text === "")
    return optional ? { kind: "value", value: undefined } : { kind: "missing", words };
  const value = read(text);
  return value === undefined ? { kind: "wrong", words } : { kind: "value", value };
}

function readBySchema(text: string | undefined, schema: Schema): Outcome {
  const result = schema["~standard"].validate(text);
  if (result instanceof Promise) return { kind: "wrong", words: "described by a schema that answers at once" };
  if (!result.issues) return { kind: "value", value: result.value };
  const words = `what its schema says (${result.issues.map(({ message }) => message).join(", ")})`;
  return { kind: text === undefined ? "missing" : "wrong", words };
}

function readNumber(text: string): number | undefined {
  const number = Number(text);
  return text.trim() === "" || !Number.isFinite(number) ? undefined : number;
}

function readWhole(text: string, largest: number): number | undefined {
  return /^\d+$/.test(text) && Number(text) <= largest ? Number(text) : undefined;
}

function readBoolean(text: string): boolean | undefined {
  if (["true", "1", "yes", "on"].includes(text.toLowerCase())) return true;
  return ["false", "0", "no", "off"].includes(text.toLowerCase()) ? false : undefined;
}

function readUrl(text: string): string | undefined {
  return URL.canParse(text) && /^[a-z][\w+.-]*:\/\//i.test(text) ? text : undefined;
}
