import type { WireSdk } from "./wire.ts";

/** Equals the version in package.json; a test compares them. */
const version = "0.1.0";

export const serverSdk: WireSdk = { name: "holdfast.server", version };
export const browserSdk: WireSdk = { name: "holdfast.browser", version };
