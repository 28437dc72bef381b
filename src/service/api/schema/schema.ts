/**
 * The part of JSON ApiSchema 2020-12 that the API uses. One value checks what a client sends, infers the type of what a
 * handler gets, and is published in the OpenAPI file.
 */
export interface JsonSchema {
  readonly type?: "string" | "integer" | "number" | "boolean" | "array" | "object" | "null";
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** `false` refuses other properties. A schema describes them. */
  readonly additionalProperties?: false | JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly default?: string | number | boolean;
}

declare const typed: unique symbol;

/** A schema with the type of its values. The type exists for the compiler only. */
export type ApiSchema<T> = JsonSchema & { readonly [typed]?: T };

/** The type of the values that a schema admits. */
export type Infer<S> = S extends { readonly [typed]?: infer T } ? Exclude<T, undefined> : never;

interface Described {
  readonly description?: string;
}

export function text(options: Described & { min?: number; max: number; pattern?: string }): ApiSchema<string> {
  const { min, max, pattern, ...rest } = options;
  return {
    type: "string",
    ...(min !== undefined && { minLength: min }),
    maxLength: max,
    ...(pattern !== undefined && { pattern }),
    ...rest,
  };
}

/** Text of a response, which has no limit of its own. */
export function anyText(description?: string): ApiSchema<string> {
  return { type: "string", ...(description !== undefined && { description }) };
}

export function whole(options: Described & { min?: number; max?: number; default?: number } = {}): ApiSchema<number> {
  const { min, max, ...rest } = options;
  return {
    type: "integer",
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...rest,
  };
}

export function decimal(options: Described & { min?: number; max?: number } = {}): ApiSchema<number> {
  return { ...whole(options), type: "number" };
}

/** A time in milliseconds since 1970, which may have a fraction: clients measure with more digits. */
export function time(description?: string): ApiSchema<number> {
  return decimal({ description: `${description === undefined ? "" : `${description} `}Milliseconds since 1970.` });
}

export function flag(options: Described & { default?: boolean } = {}): ApiSchema<boolean> {
  return { type: "boolean", ...options };
}

export function oneOf<const Words extends readonly string[]>(
  words: Words,
  options: Described & { default?: Words[number] } = {},
): ApiSchema<Words[number]> {
  return { type: "string", enum: words, ...options };
}

export function word<const Word extends string>(value: Word): ApiSchema<Word> {
  return { type: "string", const: value };
}

export function list<T>(
  items: ApiSchema<T>,
  options: Described & { min?: number; max?: number } = {},
): ApiSchema<readonly T[]> {
  const { min, max, ...rest } = options;
  return {
    type: "array",
    items,
    ...(min !== undefined && { minItems: min }),
    ...(max !== undefined && { maxItems: max }),
    ...rest,
  };
}

type Shape = Readonly<Record<string, ApiSchema<unknown>>>;

type Values<S extends Shape> = { readonly [Key in keyof S]: Infer<S[Key]> };

/** Properties of an object: those that must be there, then those that may be absent. */
export function shape<Needed extends Shape, Optional extends Shape = Record<never, never>>(
  needed: Needed,
  optional?: Optional,
  options: Described & { title?: string } = {},
): ApiSchema<Values<Needed> & { readonly [Key in keyof Optional]?: Infer<Optional[Key]> }> {
  return {
    type: "object",
    ...options,
    properties: { ...needed, ...optional },
    required: Object.keys(needed),
    additionalProperties: false,
  };
}

/** An object whose property names are data. */
export function table<T>(values: ApiSchema<T>, description?: string): ApiSchema<Readonly<Record<string, T>>> {
  return { type: "object", additionalProperties: values, ...(description !== undefined && { description }) };
}

export function union<const Options extends readonly ApiSchema<unknown>[]>(
  ...options: Options
): ApiSchema<Infer<Options[number]>> {
  return { anyOf: options };
}

/** A response whose type is defined elsewhere. Its inner form is described in words. */
export function open<T extends object>(title: string, description: string): ApiSchema<T> {
  return { type: "object", title, description, additionalProperties: {} };
}

/** A value that programs and people outside have chosen, such as the value of a variable. */
export const anything: ApiSchema<unknown> = {};

/** A time as text, for example `2026-11-18T09:30:00.000Z`. */
export const isoDate: ApiSchema<string> = { type: "string", description: "A date in the form of ISO 8601." };

/** A place in a list that has no value. */
export function orNull<T>(schema: ApiSchema<T>): ApiSchema<T | null> {
  return { anyOf: [schema, { type: "null" }] };
}

/** A list of two texts. */
export const pair: ApiSchema<readonly [string, string]> = {
  type: "array",
  items: { type: "string" },
  minItems: 2,
  maxItems: 2,
};

export function named<T>(title: string, schema: ApiSchema<T>): ApiSchema<T> {
  return { ...schema, title };
}
