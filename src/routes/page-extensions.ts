/** Extensions that have a meaning beside pages already. */
const taken = new Set("ts tsx js jsx mts mjs cts cjs css json".split(" "));

/** What is wrong with `pageExtensions` of the configuration. */
export function problemOfExtensions(value: unknown): string | undefined {
  const isRight = (one: unknown): boolean => typeof one === "string" && /^[a-z][a-z0-9]*$/.test(one) && !taken.has(one);
  if (Array.isArray(value) && value.every(isRight)) return undefined;
  return 'must be a list of extensions without a dot, such as ["mdx"]; those of scripts and styles cannot be in it';
}
