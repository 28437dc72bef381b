import { Agent, get } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

export interface LoadOptions {
  perSecond: number;
  seconds: number;
  /** Every so many requests one fails; none when left out. */
  failEvery?: number;
}

export interface Load {
  asked: number;
  /** Of the pages that came well, from the moment each was due: a server that stands still is not spared the requests it held up. */
  pageMs: number[];
  /** That visitors were shown. */
  digests: Set<string>;
}

/** Asks an application for pages at an even pace, whether or not it keeps up. */
export async function steadyLoad(url: string, { perSecond, seconds, failEvery }: LoadOptions): Promise<Load> {
  const agent = new Agent({ keepAlive: true });
  const load: Load = { asked: perSecond * seconds, pageMs: [], digests: new Set() };
  const begun = performance.now();
  const asking: Promise<void>[] = [];
  for (let n = 0; n < load.asked; n++) {
    const dueMs = begun + (n * 1_000) / perSecond;
    const early = dueMs - performance.now();
    if (early > 0) await wait(early);
    const fails = failEvery !== undefined && n % failEvery === 0;
    asking.push(ask(agent, `${url}/?n=${n}${fails ? "&fail=1" : ""}`, fails, dueMs, load));
  }
  await Promise.all(asking);
  agent.destroy();
  return load;
}

async function ask(agent: Agent, url: string, fails: boolean, dueMs: number, load: Load): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  get(url, { agent }, (answer) => {
    answer.resume();
    answer.once("error", reject);
    answer.once("end", () => {
      const digest = answer.headers["x-digest"];
      if (answer.statusCode !== (fails ? 500 : 200)) return reject(new Error(`${url} answered ${answer.statusCode}.`));
      if (fails) load.digests.add(String(digest));
      else load.pageMs.push(performance.now() - dueMs);
      resolve();
    });
  }).once("error", reject);
  await promise;
}

/** The share `at` of all values lies below it. */
export function quantile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN;
}
