import type { HoldfastConfig } from "holdfast/server";
import { languages } from "./src/languages/settings.ts";

/** Names of this machine. A name that another site points to it (DNS rebinding) is not one of them. */
const ownNames = new Set(["localhost", "127.0.0.1", "[::1]", "::1"]);

/** The tour is reachable from this machine only, unless it was started for others. */
const isForThisMachine =
  ownNames.has(process.env.HOST ?? "localhost") && !process.argv.some((given) => given.startsWith("--host"));

export default {
  languages,
  // There is one visitor, who wants to see every step, so everything is traced.
  report: { environment: "tour", sampleRate: 1 },
  console: {
    authorize: ({ url, headers }) =>
      isForThisMachine &&
      ownNames.has(url.hostname) &&
      !headers.has("x-forwarded-for") && { name: "you", roles: "owner" },
  },
} satisfies HoldfastConfig;
