/** Limits that the file of a route sets for the route or one of its actions. `timeout` is in seconds. */
export const ownLimitNames = ["timeout", "bodyBytes", "uploadBytes", "files"] as const;
