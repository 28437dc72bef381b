import { envelopeUrl } from "#protocol";
import { dsnOfSettings, expressionOf } from "#reporting";
import type { Served } from "../served.ts";

/**
 * A folder of files has no server that takes reports: its browsers send them to the service of `report.dsn` itself.
 * Undefined without a service.
 */
export function reportingDirectly(served: Served): Served | undefined {
  const { report = {}, csp = {} } = served.config;
  const dsn = dsnOfSettings(report);
  if (!dsn) return undefined;
  const address = new URL(envelopeUrl(dsn));
  address.search = new URLSearchParams({ sentry_key: dsn.publicKey, sentry_version: "7" }).toString();
  return {
    ...served,
    config: {
      ...served.config,
      report: {
        ...report,
        tunnelPath: address.href,
        // Rules travel as texts, and a text such as `/tmp/` would be read as an expression.
        ...(report.scrub && { scrub: report.scrub.map(expressionOf) }),
      },
      csp: { ...csp, "connect-src": [...(csp["connect-src"] ?? []), address.origin] },
    },
  };
}

/** Names the rules of `report.scrub` that some of the browsers for which the build makes its code cannot read. */
export function problemsOfDirectRules({ report = {} }: Served["config"]): string[] {
  if (!dsnOfSettings(report)) return [];
  return (report.scrub ?? []).flatMap((rule) => {
    if (typeof rule === "string") return [];
    const problem = problemOfSyntax(rule);
    return problem ? [`report.scrub of holdfast.config: the expression ${rule} ${problem}`] : [];
  });
}

function problemOfSyntax({ flags, source }: RegExp): string | undefined {
  // Chrome 112, Firefox 116, Safari 17.
  if (flags.includes("v")) return "has the flag v, which browsers know since 2023. Write it with the flag u.";
  // Chrome 125, Firefox 132, Safari 26.
  if (/(?<!\\)\(\?[ims]*-?[ims]+:/.test(source))
    return "sets flags inside it, which browsers know since 2025. Write two expressions instead.";
  return undefined;
}
