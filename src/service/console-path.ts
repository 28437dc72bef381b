/** Base path of all addresses of the service, also inside an application. */
export const consolePath = "/_holdfast";
