import { type Contender, contenders } from "../pages/contenders.ts";

/** One reporting configuration of a server. The others of its group are compared with the first. */
export interface Manner {
  title: string;
  contender: Contender;
  env?: Readonly<Record<string, string>>;
  /** `holdfast.config.mjs` of this server. */
  config?: string;
}

const holdfast = one("holdfast");
const next = one("next-app");

/** Next.js as in `bench/pages`, with Sentry's package set up as its guide describes. */
const nextWithSentry: Contender = {
  ...next,
  name: "next-sentry",
  title: "Next.js 16 with @sentry/nextjs",
  sources: "peers/next-sentry",
  over: next.sources,
};

/** Port of the server that receives the peer's envelopes. */
export const sinkPort = 4_890;
const sentry = (rate: number) => ({ SENTRY_DSN: `http://key@127.0.0.1:${sinkPort}/1`, SENTRY_RATE: String(rate) });

/** Each group is measured separately; its first member is the baseline. */
export const groups: Readonly<Record<string, readonly Manner[]>> = {
  holdfast: [
    { title: "no request traced", contender: holdfast, config: "export default { report: { sampleRate: 0 } };" },
    { title: "default", contender: holdfast, config: "export default {};" },
    { title: "every request traced", contender: holdfast, config: "export default { report: { sampleRate: 1 } };" },
  ],
  next: [
    { title: "Next.js 16 without Sentry", contender: next },
    { title: "Next.js 16, @sentry/nextjs, a tenth traced", contender: nextWithSentry, env: sentry(0.1) },
    { title: "Next.js 16, @sentry/nextjs, every request traced", contender: nextWithSentry, env: sentry(1) },
  ],
};

function one(name: string): Contender {
  const found = contenders.find((contender) => contender.name === name);
  if (!found) throw new Error(`${name} is not among the contenders.`);
  return found;
}
