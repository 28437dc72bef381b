export { type HoldfastConfig, readConfig } from "./config.ts";
export { hostErrors } from "./errors.ts";
export { type HostLimits, hostLimits } from "./limits.ts";
export { type RunningServer, type StartOptions, startApplication } from "./start.ts";
export { isWorker, readWorkerCount, runWorkers } from "./workers.ts";
