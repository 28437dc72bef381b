import { readDigest, readDsn } from "#protocol";
import type { PublicState } from "#service";

/** A visitor waits for it. The service answers from its store in a few milliseconds. */
const withinMs = 2_000;

/**
 * Asks the service of a DSN what became of a digest. A service that cannot be reached, refuses the question or is none
 * of Holdfast does not know it.
 */
export async function askService(dsnText: string, digest: string, release: string | undefined): Promise<PublicState> {
  const dsn = readDsn(dsnText.trim());
  if (dsn === undefined || readDigest(digest) === undefined) return "unknown";
  const { protocol, host, port, path, project, publicKey } = dsn;
  const url = new URL(`${protocol}://${host}${path}/api/${project}/answer/${encodeURIComponent(digest.trim())}`);
  if (port !== undefined) url.port = String(port);
  if (release !== undefined) url.searchParams.set("release", release);
  try {
    const response = await fetch(url, {
      headers: { "X-Sentry-Auth": `Sentry sentry_version=7, sentry_client=holdfast/1, sentry_key=${publicKey}` },
      redirect: "error",
      signal: AbortSignal.timeout(withinMs),
    });
    const answer: unknown = response.ok ? await response.json() : undefined;
    const state = typeof answer === "object" && answer !== null && "state" in answer ? answer.state : undefined;
    return states.find((one) => one === state) ?? "unknown";
  } catch {
    return "unknown";
  }
}

const states: readonly PublicState[] = ["known", "in-repair", "repaired"];
