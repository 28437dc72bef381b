import { hash } from "node:crypto";

/** Who something happened to, as a number that tells visitors apart and does not tell who they are. */
export function visitorOf(
  user: { id?: string; email?: string; username?: string; ipAddress?: string } | undefined,
): number | undefined {
  const identity = user?.id ?? user?.email ?? user?.username ?? user?.ipAddress;
  return identity === undefined || identity === "{{auto}}" ? undefined : visitorHash(identity);
}

export function visitorHash(identity: string): number {
  // 52 bits: 13 hexadecimal digits, an exact number in JavaScript.
  return Number.parseInt(hash("sha1", identity).slice(0, 13), 16);
}
