import type { Receipt } from "#signals";
import type { About, BehindTheDoor, Level } from "../door.ts";
import { createLogBook } from "../log-book.ts";
import { type Moment, type Report, type ReporterParts, reportError, reportMessage } from "../report-error.ts";
import type { ReportSettings } from "../settings.ts";
import { momentOf } from "./moment.ts";
import type { Outbox } from "./outbox.ts";
import { whereabouts } from "./request-context.ts";
import type { SeenErrors } from "./seen-errors.ts";
import { runInSpan } from "./trace-request.ts";

export interface DoorParts {
  parts: ReporterParts;
  settings: ReportSettings;
  now: () => number;
  outbox: Outbox;
  keepReport: (report: Report) => Receipt;
  seen: SeenErrors;
}

/** `holdfast/report` on the server: everything belongs to the request whose code calls it. */
export function doorOnServer({
  parts,
  settings,
  now,
  outbox,
  keepReport,
  seen,
}: DoorParts): BehindTheDoor & { flushLogs(): void } {
  const moment = (about: About, here: string | undefined): Moment => ({
    ...momentOf(now(), settings),
    here,
    ...about,
  });
  const digestOf = (receipt: Receipt): string | undefined => (receipt.kind === "recorded" ? receipt.digest : undefined);
  const logs = createLogBook(parts, (envelope) => outbox.keep("rest", "log_item", envelope));

  return {
    captureError: (error, about, here) =>
      digestOf(
        seen.receiptFor(error, whereabouts.getStore()?.request, () =>
          keepReport(reportError(error, { type: "generic", handled: true }, undefined, moment(about, here), parts)),
        ),
      ),
    captureMessage: (text, level, about, here) =>
      digestOf(keepReport(reportMessage(text, level, undefined, moment(about, here), parts))),
    span: (name, run, attributes) => {
      const where = whereabouts.getStore();
      if (!where?.request.segment.sampled) return run();
      const span = where.request.segment.begin(where.span, "function", parts.scrub.text(name), now());
      span.data = parts.scrub.value(attributes) as Record<string, unknown>;
      return runInSpan({ request: where.request, span }, run, now);
    },
    setUser: (user) => {
      const where = whereabouts.getStore();
      if (where) where.request.user = user;
    },
    addStep: (message, data) => {
      whereabouts.getStore()?.request.steps.add({ timestamp: now() / 1000, category: "step", message, data });
    },
    log: (level: Level, text, attributes) => {
      const where = whereabouts.getStore();
      logs.add({ timeMs: now(), level, text, attributes, segment: where?.request.segment, span: where?.span });
    },
    flushLogs: logs.flush,
  };
}
