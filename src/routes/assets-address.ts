/** What is wrong with `assets` of the configuration. The build writes it into addresses unescaped. */
export function problemOfAssets(value: unknown): string | undefined {
  const isAddress =
    typeof value === "string" &&
    URL.canParse(value) &&
    /^https?:$/.test(new URL(value).protocol) &&
    [value, `${value}/`].includes(new URL(value).href) &&
    !/[?#@]|\/$/.test(value);
  return isAddress ? undefined : "must be an address such as https://cdn.example/shop, without a slash at its end";
}
