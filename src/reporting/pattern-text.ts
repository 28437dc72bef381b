/** Reads `/…/flags` as a regular expression, everything else as text: settings travel to the browser as JSON. */
export function readPattern(text: string): string | RegExp {
  const [, source, flags] = /^\/(.*)\/([a-z]*)$/.exec(text) ?? [];
  return source === undefined ? text : new RegExp(source, flags);
}
