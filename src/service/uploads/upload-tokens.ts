import { randomBytes, timingSafeEqual } from "node:crypto";
import { hashOf } from "../accounts/secrets.ts";
import type { Project, Projects } from "../projects.ts";

/** One for each pipeline and application. More are a sign that old ones are never removed. */
export const tokensPerProject = 20;

export type NewUploadToken = { kind: "created"; token: string } | { kind: "refused"; why: string };

/**
 * Creates a token that permits uploads to one project. The name identifies it for people. The token itself is returned
 * once and not stored. It has the form that `sentry-cli` accepts without a warning: 64 hexadecimal characters.
 */
export async function createUploadToken(
  projects: Projects,
  id: number,
  { name, now }: { name: string; now: number },
): Promise<NewUploadToken> {
  const token = randomBytes(32).toString("hex");
  let refusal: string | undefined;
  await projects.update(id, ({ uploadTokens = [] }) => {
    refusal = refusalOf(uploadTokens, name);
    if (refusal !== undefined) return {};
    return { uploadTokens: [...uploadTokens, { name, hash: hashOf(token), createdAt: now }] };
  });
  if (projects.byId(id) === undefined) refusal = `There is no project ${id}.`;
  return refusal === undefined ? { kind: "created", token } : { kind: "refused", why: refusal };
}

function refusalOf(existing: readonly { name: string }[], name: string): string | undefined {
  if (existing.some((token) => token.name === name)) return `There is a token named ${name} already.`;
  if (existing.length >= tokensPerProject) return `A project has at most ${tokensPerProject} tokens. Remove one first.`;
  return undefined;
}

/** Removes a token. From now on it is refused. Resolves with whether there was one of this name. */
export async function removeUploadToken(projects: Projects, id: number, name: string): Promise<boolean> {
  let isRemoved = false;
  await projects.update(id, ({ uploadTokens = [] }) => {
    const rest = uploadTokens.filter((token) => token.name !== name);
    isRemoved = rest.length < uploadTokens.length;
    return { uploadTokens: rest };
  });
  return isRemoved;
}

/** Finds the one project that a token permits uploads to. */
export function projectOfToken(projects: Projects, token: string): Project | undefined {
  const hash = Buffer.from(hashOf(token));
  return projects.find(({ uploadTokens = [] }) =>
    uploadTokens.some((known) => {
      const stored = Buffer.from(known.hash);
      return stored.length === hash.length && timingSafeEqual(stored, hash);
    }),
  );
}
