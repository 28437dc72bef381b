/** The first that fits counts: most browsers also call themselves Chrome or Safari. */
const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bLinux\b|\bX11\b/, "Linux"],
];

/**
 * Browser and system of a `User-Agent`, for example `Firefox on Linux`: enough to recognise an own device. The text
 * itself is not stored. Undefined if nothing of it is known.
 */
export function deviceNameOf(userAgent: string | undefined): string | undefined {
  // Browsers send 200 characters. A longer text has no more to say.
  const text = (userAgent ?? "").slice(0, 500);
  const find = (list: typeof browsers): string | undefined => list.find(([pattern]) => pattern.test(text))?.[1];
  const [browser, system] = [find(browsers), find(systems)];
  return browser && system ? `${browser} on ${system}` : (browser ?? system);
}

/**
 * The network that an address belongs to: enough to notice a foreign one, and no single line of a person. Undefined for
 * text that is no address.
 */
export function networkOf(address: string): string | undefined {
  const inner = address.replace(/^::ffff:(?=\d+\.)/i, "");
  const v4 = /^(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/.exec(inner)?.[1];
  if (inner === "::1" || v4?.startsWith("127.")) return "this machine";
  if (v4 !== undefined) return `${v4}.x`;
  if (!inner.includes(":")) return undefined;
  const [head = "", tail] = inner.split("::");
  const groups = head === "" ? [] : head.split(":");
  if (tail === undefined && groups.length < 8) return undefined;
  return `${[...groups, "0", "0", "0"].slice(0, 3).join(":").toLowerCase()}::`;
}
