/** Base path of all addresses of the service, also inside an application. */
export const consolePath = "/_holdfast";

/** Reports of clients are at `/_holdfast/api/<number of the project>`, which no version of the API begins with. */
export const apiPath: "/_holdfast/api/v1" = `${consolePath}/api/v1`;
/** Figures of the service for Prometheus. */
export const metricsPath = "/_holdfast/metrics";
