import { Agent, get, type IncomingMessage } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

export interface LoadOptions {
  perSecond: number;
  seconds: number;
  /** One of this many requests fails. None by default. */
  failEvery?: number;
}

export interface Load {
  asked: number;
  /**
   * Durations of successful pages, in windows of five seconds, measured from the planned start: a blocked server also
   * counts the requests it delayed.
   */
  pageMs: number[][];
  /** Digests that visitors were shown. */
  digests: Set<string>;
}

const windowSeconds = 5;

/** Requests pages at an even pace, whether the application keeps up or not. */
export async function steadyLoad(url: string, { perSecond, seconds, failEvery }: LoadOptions): Promise<Load> {
  const agent = new Agent({ keepAlive: true });
  const windows = Math.ceil(seconds / windowSeconds);
  const load: Load = {
    asked: perSecond * seconds,
    pageMs: Array.from({ length: windows }, () => []),
    digests: new Set(),
  };
  const begun = performance.now();
  const asking: Promise<void>[] = [];
  for (let n = 0; n < load.asked; n++) {
    const dueMs = begun + (n * 1_000) / perSecond;
    const early = dueMs - performance.now();
    if (early > 0) await wait(early);
    const fails = failEvery !== undefined && n % failEvery === 0;
    const page = ask(agent, `${url}/?n=${n}${fails ? "&fail=1" : ""}`).then(({ statusCode, headers }) => {
      if (statusCode !== (fails ? 500 : 200)) throw new Error(`Page ${n} was answered with ${statusCode}.`);
      if (fails) load.digests.add(String(headers["x-digest"]));
      else load.pageMs[Math.floor(n / perSecond / windowSeconds)]?.push(performance.now() - dueMs);
    });
    // Handled below, with all others.
    page.catch(() => undefined);
    asking.push(page);
  }
  await Promise.all(asking);
  agent.destroy();
  return load;
}

/**
 * Resolves at the end of the response. An idle connection may be closed just when it is reused, with 408 or without a
 * response. Then the request is repeated, as browsers do, and its time continues.
 */
async function ask(agent: Agent, url: string, tries = 5): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const asked = get(url, { agent }, (answer) => {
    answer.resume();
    answer.once("error", reject);
    answer.once("end", () => resolve(answer.statusCode === 408 && tries > 1 ? ask(agent, url, tries - 1) : answer));
  });
  asked.once("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "ECONNRESET" && tries > 1) resolve(ask(agent, url, tries - 1));
    else reject(error);
  });
  return promise;
}

/**
 * Median of the windows' quantiles. Other work of the machine comes in bursts, which would dominate a quantile over all
 * values.
 */
export function typicalQuantile({ pageMs }: Load, at: number): number {
  return quantile(
    pageMs.map((window) => quantile(window, at)),
    0.5,
  );
}

/** The share `at` of all values is below the result. */
function quantile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN;
}
