import type { Receipt } from "#signals";
import { createLogBuffer } from "../log-buffer.ts";
import type { ReporterApi } from "../report-api.ts";
import { type ErrorContext, type Report, type ReporterDeps, reportError, reportMessage } from "../report-error.ts";
import type { About, Level } from "../report-types.ts";
import type { ReportSettings } from "../settings.ts";
import { errorContextOf } from "./error-context.ts";
import type { Outbox } from "./outbox/outbox.ts";
import { requestScope } from "./request-context.ts";
import type { SeenErrors } from "./seen-errors.ts";
import { runInSpan } from "./trace-request.ts";

export interface ReportApiDeps {
  reporterDeps: ReporterDeps;
  settings: ReportSettings;
  now: () => number;
  outbox: Outbox;
  keepReport: (report: Report) => Receipt;
  seen: SeenErrors;
}

/** `holdfast/report` on the server: every call belongs to the request whose code makes it. */
export function serverReportApi({
  reporterDeps,
  settings,
  now,
  outbox,
  keepReport,
  seen,
}: ReportApiDeps): ReporterApi & { flushLogs(): void } {
  const errorContext = (about: About, callStack: string | undefined): ErrorContext => ({
    ...errorContextOf(now(), settings),
    callStack,
    ...about,
  });
  /** A process may have two builds. */
  const depsOfBuild = (): ReporterDeps => {
    const { identity } = reporterDeps;
    const { release = identity.release } = requestScope.getStore()?.request ?? {};
    return release === identity.release ? reporterDeps : { ...reporterDeps, identity: { ...identity, release } };
  };
  const digestOf = (receipt: Receipt): string | undefined => (receipt.kind === "recorded" ? receipt.digest : undefined);
  const logs = createLogBuffer(reporterDeps, (envelope) => outbox.keep("rest", "log_item", envelope));

  return {
    captureError: (error, about, callStack) =>
      digestOf(
        seen.receiptFor(error, requestScope.getStore()?.request, () =>
          keepReport(
            reportError(
              error,
              { mechanism: { type: "generic", handled: true }, context: errorContext(about, callStack) },
              depsOfBuild(),
            ),
          ),
        ),
      ),
    captureMessage: (text, level, about, callStack) =>
      digestOf(keepReport(reportMessage(text, level, errorContext(about, callStack), depsOfBuild()))),
    span: (name, run, attributes) => {
      const where = requestScope.getStore();
      if (!where?.request.segment.sampled) return run();
      const span = where.request.segment.begin(where.span, "function", reporterDeps.scrub.text(name), now());
      span.data = reporterDeps.scrub.value(attributes) as Record<string, unknown>;
      return runInSpan({ request: where.request, span }, run, now);
    },
    setUser: (user) => {
      const where = requestScope.getStore();
      if (where) where.request.user = user;
    },
    addStep: (message, data) => {
      requestScope.getStore()?.request.steps.add({ timestamp: now() / 1000, category: "step", message, data });
    },
    log: (level: Level, text, attributes) => {
      const where = requestScope.getStore();
      const { segment, release } = where?.request ?? {};
      const named = release === undefined ? attributes : { "sentry.release": release, ...attributes };
      logs.add({ timeMs: now(), level, text, attributes: named, segment, span: where?.span });
    },
    flushLogs: logs.flush,
  };
}
