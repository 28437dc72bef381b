export { type HoldfastConfig, readConfig } from "./config.ts";
export { type DevelopOptions, type Sources, startDevelopment } from "./develop.ts";
export { hostErrors } from "./errors.ts";
export { type HostLimits, hostLimits } from "./limits.ts";
export { containerMemory } from "./memory.ts";
export type { RunningServer, ServeOptions } from "./serve.ts";
export { type StartOptions, startApplication } from "./start.ts";
export { untilEnded } from "./until-ended.ts";
export { isWorker, readWorkerCount, runWorkers } from "./workers.ts";
