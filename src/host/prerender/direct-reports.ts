import { envelopeUrl } from "#protocol";
import { dsnOfSettings } from "#reporting";
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
      report: { ...report, tunnelPath: address.href },
      csp: { ...csp, "connect-src": [...(csp["connect-src"] ?? []), address.origin] },
    },
  };
}
