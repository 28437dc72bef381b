import type { IncomingMessage } from "node:http";
import { answerMetrics, metricsPath, type SharedState } from "#service";
import type { Mount } from "../enter.ts";
import type { EmbeddedService } from "./embedded-service.ts";

export interface MetricsMountDeps {
  readonly embedded: Pick<EmbeddedService, "metrics">;
  readonly shared: Pick<SharedState, "tokens">;
  readonly clientOf: (incoming: IncomingMessage) => string;
}

/** The figures of the embedded service. An application may have a page `/metrics` of its own. */
export function createMetricsMount({ embedded, shared, clientOf }: MetricsMountDeps): Mount {
  return {
    path: metricsPath,
    handle: (incoming, response) =>
      answerMetrics(
        { incoming, response },
        { metrics: () => embedded.metrics(), tokens: () => shared.tokens, addressOf: clientOf },
      ),
  };
}
