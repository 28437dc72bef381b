import { hash } from "node:crypto";

/** Identities of a visitor in a report. The first present one distinguishes visitors; a name alone does not. */
interface Identities {
  id?: string;
  email?: string;
  username?: string;
  ipAddress?: string;
  name?: string;
}

/** What clients send for "as you see it", and what a scrub rule leaves of everyone. */
const saysNothing: ReadonlySet<string> = new Set(["{{auto}}", "[scrubbed]"]);

/** Returns a number that distinguishes visitors without revealing who they are. */
export function visitorOf(user: Identities | undefined): number | undefined {
  const [identity] = identitiesOf(user);
  return identity === undefined ? undefined : visitorHash(identity);
}

/** Hashes of the visitor's other identities: people search by e-mail address or name even if there is an id. */
export function aliasesOf(user: Identities | undefined): readonly number[] {
  const [identity, ...others] = identitiesOf(user);
  if (identity === undefined) return [];
  const names =
    user?.name === undefined || user.name === identity || saysNothing.has(user.name) ? others : [...others, user.name];
  return [...new Set(names)].map(visitorHash);
}

/** Hash of the network address, also if something else distinguishes the visitor. */
export function addressOf(user: Identities | undefined): number | undefined {
  const address = user?.ipAddress;
  return address === undefined || saysNothing.has(address) ? undefined : visitorHash(address);
}

/** Returns the hash of the visit, if the client sends one. An anonymous visitor can be followed through one visit. */
export function sessionOf(contexts: Readonly<Record<string, Readonly<Record<string, unknown>>>>): number | undefined {
  const id = contexts.session?.id;
  return typeof id === "string" && id !== "" ? visitorHash(`session ${id}`) : undefined;
}

export function visitorHash(identity: string): number {
  // 52 bits: 13 hexadecimal digits, an exact integer in JavaScript.
  return Number.parseInt(hash("sha1", identity).slice(0, 13), 16);
}

/** An IP address is shared by many and counts only if nothing else is known. */
function identitiesOf(user: Identities | undefined): readonly string[] {
  const names = [user?.id, user?.email, user?.username].flatMap((name) =>
    name === undefined || saysNothing.has(name) ? [] : [name],
  );
  if (names.length > 0) return [...new Set(names)];
  return user?.ipAddress === undefined || saysNothing.has(user.ipAddress) ? [] : [user.ipAddress];
}
