import type { Refusals } from "#bounds";
import {
  type AddressRule,
  edgeDefaults,
  type HandlerOptions,
  OpenStreams,
  openUploadFolder,
  Posts,
  RunningActions,
  readAddressRules,
  readLanguages,
} from "#pages";
import type { ServerReporting } from "#reporting";
import { applicationName } from "./application-name.ts";
import { contentPolicyOf } from "./content-policy.ts";
import { createForwarder, type Forwarder, type ForwarderDeps } from "./forward/forward.ts";
import { createHeaderRules } from "./header-rules.ts";
import { type OpenKept, openKept } from "./kept/open-kept.ts";
import { serverLimitsOf } from "./limit-settings.ts";
import { hostLimits } from "./limits.ts";
import { createAcceptSocket } from "./live/accept-socket.ts";
import { openFolderRelay } from "./live/folder-relay.ts";
import { openWorkerRelay } from "./live/worker-relay.ts";
import type { LoggedFailures } from "./logged-failures.ts";
import type { OpenReports } from "./open-reports.ts";
import type { ClientAddresses } from "./origin.ts";
import { warn } from "./process/warn.ts";
import type { Served } from "./served.ts";
import { serviceFolderOf } from "./service/service-folder.ts";
import { openSubmissionMemory } from "./submissions/open-submission-memory.ts";
import { sealKeyOf } from "./submissions/seal-key.ts";
import { uploadsIn } from "./uploads.ts";

/** What the host gives to the pages of an application. */
export interface HandlerParts {
  options: HandlerOptions;
  keeping: OpenKept;
  close(): Promise<void>;
}

export interface HandlerPartsDeps {
  reports: OpenReports;
  clientAddresses: ClientAddresses;
  refusals: Refusals;
  failures: LoggedFailures;
}

/** Opens what submissions, channels and rewrites need. */
export function openHandlerParts(served: Served, dataFolder: string, deps: HandlerPartsDeps): HandlerParts {
  const { reports, clientAddresses, refusals, failures } = deps;
  const { config } = served;
  const { reporting, service } = reports;
  const { signals } = reporting;
  const limits = serverLimitsOf(config.limits, config.submissions);
  const sealKey = sealKeyOf(dataFolder);
  const isKeyGiven = process.env.HOLDFAST_SECRET !== undefined;
  const submissions = openSubmissionMemory(config, { dataFolder, sealKey, isKeyGiven, warn });
  const { memory } = submissions;
  const keeping = openKept(config, { dataFolder, sealKey, memory, signals, warn });
  const { rules } = readAddressRules(config.redirects, config.rewrites);
  const hasAnswers = reports.stateOf !== undefined;
  const forwarder = openForwarder(rules, { clientAddresses, signals, limits: hostLimits, hasAnswers });
  // A database reaches the workers of this machine too.
  const notices = service?.embedded.shared.openNotices?.({ application: applicationName(served.root), warn });
  const neighbours = notices || !isDeployed(served) ? undefined : openFolderRelay(serviceFolderOf(dataFolder), warn);
  return {
    options: {
      ...handlerOptions(served, reporting, dataFolder),
      rules,
      ...clientAddresses,
      sealKey,
      memory,
      kept: keeping.kept,
      posts: new Posts(limits, clientAddresses.clientOf, refusals),
      streams: new OpenStreams(limits, clientAddresses.clientOf, refusals),
      acceptSocket: createAcceptSocket(),
      relay: notices ?? openWorkerRelay() ?? neighbours,
      forward: forwarder?.forward,
      hasAnswers,
      onError: (incoming, error, digest) => failures.note(incoming, error, digest),
    },
    keeping,
    close: async () => {
      forwarder?.close();
      await notices?.close();
      neighbours?.close();
      await keeping.close();
      submissions.close();
    },
  };
}

/** Whether other processes may answer for the same visitors. */
function isDeployed({ buildFolder, isPrivate }: Served): boolean {
  return buildFolder !== undefined && !isPrivate;
}

/** Only where a rewrite names another server. */
function openForwarder(rules: readonly AddressRule[], deps: ForwarderDeps): Forwarder | undefined {
  const isUsed = rules.some(({ kind, to }) => kind === "rewrite" && to.origin !== "");
  return isUsed ? createForwarder(deps) : undefined;
}

/** What pages get from the configuration. */
export function handlerOptions(
  served: Served,
  reporting: ServerReporting,
  dataFolder: string,
): Omit<HandlerOptions, keyof ClientAddresses | "sealKey" | "memory" | "posts" | "streams"> {
  const { config, development } = served;
  const uploadFolder = uploadsIn(dataFolder);
  openUploadFolder(uploadFolder);
  return {
    signals: reporting.signals,
    limits: serverLimitsOf(config.limits, config.submissions),
    lang: config.lang ?? readLanguages(config.languages).languages?.table.default ?? "en",
    trustedOrigins: config.trustedOrigins ?? [],
    redirectOrigins: config.redirectOrigins ?? [],
    headersFor: createHeaderRules(config.headers, "pages"),
    policy: { csp: contentPolicyOf(served), hsts: config.hsts ?? true },
    edge: config.edge && { ...edgeDefaults, ...config.edge },
    headStart: reporting.headScript,
    uploadFolder,
    actions: new RunningActions(),
    after: new RunningActions(),
    warn,
    development,
  };
}
