import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { QuickResponse } from "#http";
import { ByteBudget, Refusals, Turns } from "../../src/bounds/index.ts";
import { attachmentRules } from "../../src/service/accept/attachment-rules.ts";
import { createAddressOf } from "../../src/service/accept/client-address.ts";
import { AcceptCounters } from "../../src/service/accept/counters.ts";
import { handleIngestRequest } from "../../src/service/accept/handle-request.ts";
import { IntakeCounts } from "../../src/service/accept/intake-counts.ts";
import { acceptLimits, attachmentLimits } from "../../src/service/accept/limits.ts";
import { Quota } from "../../src/service/accept/quota.ts";
import { Spikes } from "../../src/service/accept/spikes.ts";
import { systemClock } from "../../src/service/clock.ts";
import { folderDisk } from "../../src/service/journal/disk.ts";
import { Journal } from "../../src/service/journal/journal.ts";
import { Projects } from "../../src/service/projects.ts";
import { beMeasured } from "../kit/measured-process.ts";

/** One of the two compared servers, in its own process. Reports its CPU time on request. */
const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
const listener = process.argv[2] === "empty" ? emptyHandler : await acknowledging();
const { all: projects } = await Projects.open(folder);
// The service's own servers have it.
const responses = process.argv[2] === "empty" ? {} : { ServerResponse: QuickResponse };
const server = createServer({ noDelay: true, ...responses }, listener);
server.listen(0, "127.0.0.1", () =>
  beMeasured({
    port: (server.address() as AddressInfo).port,
    keys: projects.map(({ publicKey }) => publicKey),
    end: () => rmSync(folder, { recursive: true }),
  }),
);

/** The least that any server does: reads the body and responds. */
function emptyHandler(request: Parameters<RequestListener>[0], response: Parameters<RequestListener>[1]): void {
  request.on("data", () => undefined);
  request.on("end", () => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": 2 });
    response.end("{}");
  });
}

async function acknowledging(): Promise<RequestListener> {
  const limits = { ...acceptLimits, requestsPerSecond: 1e9, requestBurst: 1e9, itemsPerSecond: 1e9, itemBurst: 1e9 };
  const journal = await Journal.open({ disk: folderDisk(join(folder, "journal")) });
  const projects = await Projects.open(folder);
  const parts = {
    journal,
    projects,
    limits,
    attachments: () => attachmentRules(attachmentLimits, limits.protocol),
    clock: systemClock,
    counters: new AcceptCounters(),
    quota: new Quota(limits, systemClock),
    intake: new IntakeCounts(systemClock),
    spikes: new Spikes(systemClock, { began: () => undefined, continued: () => undefined, ended: () => undefined }),
    addressOf: createAddressOf([]),
    budget: new ByteBudget(limits.underWayBytes, limits.projectBytes),
    decoders: {
      turns: new Turns({ atOnce: limits.decoders, waiting: limits.decodersWaiting }),
      refusals: new Refusals(),
    },
  };
  return (request, response) => {
    handleIngestRequest(parts, { incoming: request, response }, request.url ?? "");
  };
}
