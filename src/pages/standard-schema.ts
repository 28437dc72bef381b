/**
 * The part of the Standard Schema interface (version 1) that is used here, copied so that nothing has to be installed.
 * Zod, Valibot, ArkType and others implement it.
 */
export interface Schema<Output = unknown, Input = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export function pathOfIssue({ path = [] }: SchemaIssue): PropertyKey[] {
  return path.map((step) => (typeof step === "object" ? step.key : step));
}

/** A schema, or a function that loads it when it is needed. */
export type LazySchema<Fields = unknown> = Schema<unknown, Fields> | (() => Promise<Schema<unknown, Fields>>);
