import { leftOut, type ReplacementRules, secretPath } from "../scrub/secret-path.ts";

/** Removes credentials, such as tokens, from paths before they are logged. */
export interface LogPaths {
  /** Sets the application's routes, by id: `/reset/[token]`. */
  learnRoutes(ids: readonly string[]): void;
  clean(path: string): string;
}

/** Words in the paths of mailed links. The segment after such a word is a credential. */
const secretWord =
  /(?:^|[/_-])(?:reset|recover|recovery|invites?|invitations?|join|magic|verify|verification|confirm|confirmation|activate|activation|unsubscribe|shared?)(?![^/_-])/i;

/** Longer segments are no words. A path is untrusted, and every segment is checked. */
const wordLength = 40;

/** Without a known route, only segments that look like tokens are removed. `/verify/email` stays. */
const tokenLength = 16;

/** Most requests are for few addresses. Bounded, because a path may be any text. */
const knownPaths = 500;
const knownLength = 200;

/** `ownRoutes` are routes of the framework itself, which no application lists. */
export function createLogPaths(isSecretName: (name: string) => boolean, ownRoutes: readonly string[] = []): LogPaths {
  const rulesOf = (ids: readonly string[]): ReplacementRules =>
    ids.flatMap((id) => secretPath(withSecretNames(id), isSecretName));
  let rules = rulesOf(ownRoutes);
  const without = (path: string): string =>
    withoutTokens(rules.reduce((text, [shape, instead]) => text.replace(shape, instead), path));
  const cleanAnySpelling = (path: string): string => {
    const clean = without(path);
    if (clean !== path) return clean;
    // Other spellings of an address lead to the same page, and are logged before normalization.
    const plain = plainSpelling(path);
    if (plain === path) return path;
    const cleaned = without(plain);
    return cleaned === plain ? path : cleaned;
  };
  const known = new Map<string, string>();
  return {
    learnRoutes: (ids) => {
      rules = rulesOf([...ownRoutes, ...ids]);
      known.clear();
    },
    clean: (path) => {
      const before = known.get(path);
      if (before !== undefined) return before;
      const clean = cleanAnySpelling(path);
      if (known.size >= knownPaths) known.clear();
      if (path.length <= knownLength) known.set(path, clean);
      return clean;
    },
  };
}

/** Turns `/reset/[id]` into `/reset/[token]`: the word before the parameter decides, not the parameter's name. */
function withSecretNames(id: string): string {
  return afterSecretWord(id, (segment) => segment.replace(/^(\[\[?)(\.\.\.)?[^\]]+(\]\]?)$/, "$1$2token$3"));
}

function withoutTokens(path: string): string {
  return afterSecretWord(path, (segment) =>
    segment.length >= tokenLength && /\d/.test(segment) && segment !== leftOut ? leftOut : segment,
  );
}

function afterSecretWord(path: string, change: (segment: string) => string): string {
  // Almost no path has such a word, and every request logs a path.
  if (!secretWord.test(path)) return path;
  const segments = path.split("/");
  return segments.map((segment, at) => (isSecretWord(segments[at - 1] ?? "") ? change(segment) : segment)).join("/");
}

function isSecretWord(segment: string): boolean {
  return segment.length <= wordLength && secretWord.test(segment);
}

function plainSpelling(path: string): string {
  const collapsed = path.replace(/\/{2,}/g, "/");
  if (!collapsed.includes("%")) return collapsed;
  try {
    return decodeURIComponent(collapsed);
  } catch {
    return collapsed;
  }
}
