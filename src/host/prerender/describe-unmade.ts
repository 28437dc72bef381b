import type { PlannedPage, UnmadePage } from "#pages";
import { describeFailure, readThrown } from "../failures/failure.ts";

/** More calls are rarely the application's. */
const callsShown = 6;

/** Describes a page that could not be made: its address and parameters, what failed and where, and the digest. */
export async function describeUnmade(
  { route, params, address }: PlannedPage,
  unmade: UnmadePage,
  root: string,
): Promise<string> {
  const page = `${address} (${route}${Object.keys(params).length > 0 ? `, ${JSON.stringify(params)}` : ""})`;
  if (unmade.kind === "other") return `  ${page}\n    It ${unmade.why}.`;
  const digest = unmade.kind === "failed" ? unmade.digest : undefined;
  const findSource = async (): Promise<undefined> => undefined;
  const failure = await describeFailure(readThrown(unmade.error), { place: {}, digest }, { root, findSource });
  const { excerpt, name, message, stack } = failure;
  const failing = excerpt?.lines.find(({ number }) => number === excerpt.line);
  const lines = [
    unmade.kind === "refused" ? message : `${name}: ${message}`,
    excerpt && `${excerpt.file}:${excerpt.line}:${excerpt.column}`,
    failing && `${failing.number} | ${failing.text.trim()}`,
    ...stack
      .filter(({ inApp }) => inApp && unmade.kind === "failed")
      .slice(0, callsShown)
      .map((call) => `at ${call.function} (${call.file}:${call.line}:${call.column})`),
    digest && `Digest ${digest}`,
  ];
  return [`  ${page}`, ...lines.filter((line) => line).map((line) => `    ${line}`)].join("\n");
}
