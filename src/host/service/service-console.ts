import {
  type HandlerOptions,
  OpenStreams,
  openUploadFolder,
  Posts,
  RunningActions,
  SubmissionMemory,
  serverLimits,
} from "#pages";
import type { ServiceConsole, ServiceConsoleDeps } from "#service";
import { silentServerSignals } from "#signals";
import { mountOf } from "../enter.ts";
import { hostErrors } from "../errors.ts";
import { createClientAddresses } from "../origin.ts";
import { warn } from "../process/warn.ts";
import { sealKeyOf } from "../submissions/seal-key.ts";
import { uploadsIn } from "../uploads.ts";
import { createApiMount } from "./api-mount.ts";
import { createConsoleMount, provideConsoleApi } from "./console-mount.ts";
import { createMcpMount } from "./mcp-mount.ts";

/** Opens the console of a standalone service. Its errors go to the operator's log. */
export async function openServiceConsole(deps: ServiceConsoleDeps): Promise<ServiceConsole> {
  const { service, dataFolder, access, origin, trustedProxies } = deps;
  const uploadFolder = uploadsIn(dataFolder);
  openUploadFolder(uploadFolder);
  const sealKey = sealKeyOf(dataFolder);
  const clientAddresses = createClientAddresses({ origin, trustedProxies });
  const options: HandlerOptions = {
    signals: {
      ...silentServerSignals,
      errorCaught: (error) => {
        warn("The console failed:", error);
        return { kind: "unrecorded" };
      },
    },
    limits: serverLimits,
    lang: "en",
    ...clientAddresses,
    posts: new Posts(serverLimits, clientAddresses.clientOf, service.refusals),
    trustedOrigins: [],
    redirectOrigins: [],
    policy: { csp: {}, hsts: true },
    headStart: "",
    uploadFolder,
    sealKey,
    memory: new SubmissionMemory({ store: undefined, reach: "local", sealKey }),
    actions: new RunningActions(),
    after: new RunningActions(),
    streams: new OpenStreams(serverLimits, clientAddresses.clientOf, service.refusals),
    development: false,
  };
  const mount = createConsoleMount(options);
  if (mount === undefined) throw hostErrors.noConsole();
  const { shared, change, changeFeedback, changeMonitor, drained, importLines } = service;
  const api = provideConsoleApi(
    { folder: dataFolder, store: undefined, shared, change, changeFeedback, changeMonitor, drained, importLines },
    { access },
  );
  const agents = createMcpMount({ api, ...clientAddresses });
  const mounts = [createApiMount(api, options), agents, mount];
  return {
    handle: async (incoming, response) => mountOf(incoming.url ?? "/", mounts)?.handle(incoming, response),
    close: api.close,
  };
}
