/** What every Standard Schema has. Not its types: the compiler would compare them with those of each schema. */
export interface AnySchema {
  readonly "~standard": unknown;
}

/**
 * What a Standard Schema accepts and returns, as `input` and `output`; `undefined` for another value. They are looked
 * up, not inferred from a pattern, which takes the compiler a multiple of the time. Zod has both in `_zod` too, from
 * where it makes its `~standard` for each schema.
 */
export type TypesOf<Schema> = Schema extends { readonly _zod: { readonly input: unknown; readonly output: unknown } }
  ? Schema["_zod"]
  : Schema extends { readonly "~standard": { readonly types?: unknown } }
    ? NonNullable<Schema["~standard"]["types"]>
    : undefined;

/** What a schema with these types accepts; `undefined` without a schema. */
export type InputOf<Types> = Types extends { readonly input: unknown } ? Types["input"] : undefined;
/** What it returns. */
export type OutputOf<Types> = Types extends { readonly output: unknown } ? Types["output"] : undefined;
