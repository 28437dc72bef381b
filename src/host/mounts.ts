import type { Refusals } from "#bounds";
import type { HandlerOptions, PageHandler } from "#pages";
import { createInvalidateMount } from "./cache/invalidate-mount.ts";
import type { Mount } from "./enter.ts";
import { hostLimitsOf } from "./limit-settings.ts";
import type { OpenReports, OwnService } from "./open-reports.ts";
import type { ClientAddresses } from "./origin.ts";
import { warn } from "./process/warn.ts";
import { createTunnelMount } from "./reporting.ts";
import { createByHandMount } from "./schedules/by-hand-mount.ts";
import type { Served } from "./served.ts";
import { createAnswerMount, noAnswerMount } from "./service/answer-mount.ts";
import { createApiMount } from "./service/api-mount.ts";
import { createConsoleMount } from "./service/console-mount.ts";
import { createFeedbackMount } from "./service/feedback-mount.ts";
import { createFormReply } from "./service/form-reply.ts";
import { createMcpMount } from "./service/mcp-mount.ts";
import { createMetricsMount } from "./service/metrics-mount.ts";
import { createNoteMount } from "./service/note-mount.ts";

export interface MountsDeps {
  reports: OpenReports;
  pages: PageHandler;
  /** Of the application's pages. The console uses them too. */
  options: HandlerOptions;
  clientAddresses: ClientAddresses;
  refusals: Refusals;
  /** Without it nothing can be invalidated from outside. */
  invalidateToken: string | undefined;
}

/** Everything that answers beside pages and files. The first mount that has an address answers it. */
export function createMounts(served: Served, deps: MountsDeps): Mount[] {
  const { reports, pages, clientAddresses, refusals, invalidateToken: token } = deps;
  const { reporting, service } = reports;
  const { clientOf } = clientAddresses;
  const reply = createFormReply(pages);
  const { invalidate } = pages;
  return [
    createNoteMount({ reporting, clientOf, refusals, reply }),
    createFeedbackMount({ reporting, clientOf, refusals, reply }),
    answerMount(served, deps),
    createTunnelMount(reporting, clientAddresses),
    ...(token !== undefined && invalidate
      ? [createInvalidateMount({ token, invalidate, clientOf, refusals, log: warn })]
      : []),
    ...(served.development ? [createByHandMount({ pages, reporting })] : []),
    ...(service ? mountsOfService(service, served, deps) : []),
  ];
}

function answerMount({ config }: Served, { reports, pages, clientAddresses, refusals }: MountsDeps): Mount {
  const { stateOf } = reports;
  if (!stateOf) return noAnswerMount;
  const { answersPerMinute: perMinute } = hostLimitsOf(config.limits);
  return createAnswerMount({ stateOf, pages, clientOf: clientAddresses.clientOf, perMinute, refusals });
}

function mountsOfService(
  { api, embedded }: OwnService,
  { developer }: Served,
  { options, clientAddresses }: MountsDeps,
): Mount[] {
  const { open, shared } = embedded;
  const mounts = [
    // Before reports, whose addresses begin with the same path.
    createApiMount(api, options, open),
    embedded.ingest,
    createMetricsMount({ embedded, shared, clientOf: clientAddresses.clientOf }),
    createMcpMount({ api, ...clientAddresses, development: developer, openService: open }),
    // Last, because the console answers every address that no other mount has.
    createConsoleMount(options, open),
  ];
  return mounts.filter((mount) => mount !== undefined);
}
