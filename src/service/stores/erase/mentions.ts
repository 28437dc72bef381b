import { visitorHash } from "../values/visitor-hash.ts";

/** An e-mail address, also as part of a URL; IPv4; IPv6. A time of day looks like the last, which does no harm. */
const addresses =
  /[\p{L}\p{N}_.+-]+(?:@|%40)[\p{L}\p{N}.-]*[\p{L}\p{N}]|(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\d)|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}/giu;
const wholeAddress = new RegExp(`^(?:${addresses.source})$`, "iu");
/** In JSON, a line break before an address is a backslash and a letter. */
const escapes = /\\(?:u[0-9a-f]{4}|.)/gi;

/** Hash of an e-mail or network address that a text mentions. */
export function mentionHash(address: string): number {
  return visitorHash(`mention ${address.toLowerCase().replace("%40", "@")}`);
}

/** Whether an identity is recognised inside a text. Ids are not: a short one occurs everywhere. */
export function isMentionable(identity: string): boolean {
  return wholeAddress.test(identity);
}

/** Whether a text or JSON mentions one of these addresses. */
export function mentionsAny(text: string, wanted: ReadonlySet<number>): boolean {
  if (wanted.size === 0) return false;
  for (const [address] of text.replace(escapes, " ").matchAll(addresses))
    if (wanted.has(mentionHash(address))) return true;
  return false;
}
