import { hash } from "node:crypto";

/** What clients say about a visitor, of which the first that is there tells visitors apart. */
interface Identities {
  id?: string;
  email?: string;
  username?: string;
  ipAddress?: string;
}

/** Who something happened to, as a number that tells visitors apart and does not tell who they are. */
export function visitorOf(user: Identities | undefined): number | undefined {
  const [identity] = identitiesOf(user);
  return identity === undefined ? undefined : visitorHash(identity);
}

/** The other names of the same visitor, as numbers too: people look for an e-mail address even where there is an id. */
export function aliasesOf(user: Identities | undefined): readonly number[] {
  return identitiesOf(user).slice(1).map(visitorHash);
}

/**
 * The visit that something belongs to, if the client sends one. A visitor without a name can be followed through one
 * visit.
 */
export function sessionOf(contexts: Readonly<Record<string, Readonly<Record<string, unknown>>>>): number | undefined {
  const id = contexts.session?.id;
  return typeof id === "string" && id !== "" ? visitorHash(`session ${id}`) : undefined;
}

export function visitorHash(identity: string): number {
  // 52 bits: 13 hexadecimal digits, an exact number in JavaScript.
  return Number.parseInt(hash("sha1", identity).slice(0, 13), 16);
}

/** An address is shared by many and counts only where nothing else is known. */
function identitiesOf(user: Identities | undefined): readonly string[] {
  const names = [user?.id, user?.email, user?.username].flatMap((name) =>
    name === undefined || name === "{{auto}}" ? [] : [name],
  );
  if (names.length > 0) return [...new Set(names)];
  return user?.ipAddress === undefined || user.ipAddress === "{{auto}}" ? [] : [user.ipAddress];
}
