import { leftOut, type ReplacementRules, secretPath } from "../scrub/secret-path.ts";

/** Takes out of a path what lets its holder in, before the path is written into a log. */
export interface LogPaths {
  /** The application's routes, by their ids: `/reset/[token]`. */
  learnRoutes(ids: readonly string[]): void;
  clean(path: string): string;
}

/** Path words of links that are sent by mail. The segment after such a word lets its holder in. */
const secretWord =
  /(?:^|[/_-])(?:reset|recover|recovery|invites?|invitations?|join|magic|verify|verification|confirm|confirmation|activate|activation|unsubscribe|shared?)(?![^/_-])/i;

/** No word of an address is longer; a path is a stranger's, and every segment of it is looked at. */
const wordLength = 40;

/** Where no route is known, only what looks like a token is one. `/verify/email` stays. */
const tokenLength = 16;

/** `ownRoutes` are those of the framework itself, which no application tells. */
export function createLogPaths(isSecretName: (name: string) => boolean, ownRoutes: readonly string[] = []): LogPaths {
  const rulesOf = (ids: readonly string[]): ReplacementRules =>
    ids.flatMap((id) => secretPath(withSecretNames(id), isSecretName));
  let rules = rulesOf(ownRoutes);
  const without = (path: string): string =>
    withoutTokens(rules.reduce((text, [shape, instead]) => text.replace(shape, instead), path));
  return {
    learnRoutes: (ids) => {
      rules = rulesOf([...ownRoutes, ...ids]);
    },
    clean: (path) => {
      const clean = without(path);
      if (clean !== path) return clean;
      // Other spellings of an address lead to the same page, and are logged before they are made one.
      const plain = plainSpelling(path);
      if (plain === path) return path;
      const cleaned = without(plain);
      return cleaned === plain ? path : cleaned;
    },
  };
}

/** `/reset/[id]` as `/reset/[token]`: the word before the parameter decides, not the parameter's name. */
function withSecretNames(id: string): string {
  return afterSecretWord(id, (segment) => segment.replace(/^\[(\.\.\.)?.+\]$/, "[$1token]"));
}

function withoutTokens(path: string): string {
  return afterSecretWord(path, (segment) =>
    segment.length >= tokenLength && /\d/.test(segment) && segment !== leftOut ? leftOut : segment,
  );
}

function afterSecretWord(path: string, change: (segment: string) => string): string {
  // Nearly every path has none, and one is logged for each request.
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
