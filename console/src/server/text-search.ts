/** The search of a list that grows: texts, all of which may be missing. A Standard Schema. */
export function textSearch<const Name extends string>(names: readonly Name[]) {
  type Search = { readonly [Key in Name]?: string };
  return {
    "~standard": {
      version: 1 as const,
      vendor: "holdfast",
      types: undefined as { input: Search; output: Search } | undefined,
      validate: (value: unknown) => {
        const given: Readonly<Record<string, unknown>> = Object(value);
        const texts = names.flatMap((name) => (typeof given[name] === "string" ? [[name, given[name]] as const] : []));
        return { value: Object.fromEntries(texts) as Search };
      },
    },
  };
}
