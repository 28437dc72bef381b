import type { DevelopedFailure } from "#service";
import { headline } from "./failure-lines.ts";
import type { PastFailure } from "./failures.ts";

/** A failure for agents, with what the page shows of it. */
export function developedFailure({ at, failure }: PastFailure): DevelopedFailure {
  const { message, digest, route, address, excerpt, stack } = failure;
  return {
    at,
    headline: headline(failure),
    message,
    digest,
    route,
    address,
    excerpt,
    stack: stack
      .filter(({ inApp }) => inApp)
      .map(({ function: name, file, line, column }) => {
        const place = [file, line, column].filter((part) => part !== undefined).join(":");
        return `${name} (${place})`;
      }),
  };
}
