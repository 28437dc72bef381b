import { byNext, type Contender } from "../pages/contenders.ts";

/** The same list from servers that are known for cached pages, each with its own default production server. */
export const peers: readonly (Contender & { rows: Readonly<Record<string, string>> })[] = [
  {
    name: "cached-next",
    title: "Next.js 16, app router",
    sources: "../caching/peers/next",
    over: "../caching/app/src/parts",
    shared: "shared",
    ...byNext,
    rows: { "Next, ISR": "/items", "Next, prerendered": "/made" },
  },
  {
    name: "cached-astro",
    title: "Astro, static",
    sources: "../caching/peers/astro",
    over: "../caching/app/src/parts",
    shared: "src/shared",
    build: ["node", "node_modules/astro/bin/astro.mjs", "build"],
    start: ["node", "dist/server/entry.mjs"],
    env: { HOST: "127.0.0.1", ASTRO_TELEMETRY_DISABLED: "1" },
    rows: { "Astro, static": "/made/" },
  },
];
