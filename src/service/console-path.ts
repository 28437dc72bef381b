/** Everything of the service that people and clients reach lies below this path, also inside an application. */
export const consolePath = "/_holdfast";
