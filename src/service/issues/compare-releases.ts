/**
 * Compares two releases by age. Versions of one package are compared as versions (`shop@1.10.0` after `shop@1.9.0`, a
 * pre-release before its release); others, such as build hashes, by the time they were first seen.
 */
export function compareReleases(a: string, b: string, firstSeen: (release: string) => number | undefined): number {
  if (a === b) return 0;
  const [left, right] = [readVersion(a), readVersion(b)];
  if (left && right && left.name === right.name) {
    const order = compareVersions(left, right);
    if (order !== 0) return order;
  }
  // A release that was never seen is newer than all seen ones.
  return (firstSeen(a) ?? Number.MAX_SAFE_INTEGER) - (firstSeen(b) ?? Number.MAX_SAFE_INTEGER);
}

interface Version {
  name: string;
  numbers: number[];
  pre: string[];
}

function readVersion(release: string): Version | undefined {
  const match = /^(?:(.+)@)?v?(\d+(?:\.\d+){1,3})(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/.exec(release);
  if (!match?.[2]) return undefined;
  return { name: match[1] ?? "", numbers: match[2].split(".").map(Number), pre: match[3]?.split(".") ?? [] };
}

function compareVersions(a: Version, b: Version): number {
  for (let i = 0; i < Math.max(a.numbers.length, b.numbers.length); i++) {
    const order = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0);
    if (order !== 0) return order;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length;
  for (let i = 0; i < Math.max(a.pre.length, b.pre.length); i++) {
    const [left, right] = [a.pre[i], b.pre[i]];
    if (left === undefined) return -1;
    if (right === undefined) return 1;
    const order = comparePart(left, right);
    if (order !== 0) return order;
  }
  return 0;
}

function comparePart(a: string, b: string): number {
  const [left, right] = [Number(a), Number(b)];
  if (Number.isInteger(left) && Number.isInteger(right)) return left - right;
  if (Number.isInteger(left)) return -1;
  if (Number.isInteger(right)) return 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
