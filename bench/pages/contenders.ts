/** How one contender is built and started. `$PORT` in a command is replaced; it is also in the environment. */
export interface Contender {
  name: string;
  title: string;
  /** Folder of its sources, relative to this one. */
  sources: string;
  /** Folder of base sources, if `sources` contains only the differences. */
  over?: string;
  /** Target of the shared pages and items. Absent for Holdfast, which has its own pages. */
  shared?: string;
  build: readonly string[];
  start: readonly string[];
  env: Readonly<Record<string, string>>;
  /**
   * Address of the data request of a soft navigation to `/items`, if it is known in advance; otherwise it is read from
   * the browser.
   */
  pageData?: string;
}

/** How every application of Next is built and started. */
export const byNext = {
  build: ["node", "node_modules/next/dist/bin/next", "build"],
  start: ["node", "node_modules/next/dist/bin/next", "start", "-H", "127.0.0.1", "-p", "$PORT"],
  env: { NEXT_TELEMETRY_DISABLED: "1" },
} as const;

/** Every contender with its own default production server and all defaults on. */
export const contenders: readonly Contender[] = [
  {
    name: "holdfast",
    title: "Holdfast",
    sources: "app",
    build: ["node", "$HOLDFAST", "build", "."],
    start: ["node", "$HOLDFAST", "start", "."],
    env: { HOST: "127.0.0.1", HOLDFAST_DATA: ".holdfast/measured" },
    pageData: "/items/_data",
  },
  {
    name: "floor",
    title: "floor: node:http + react-dom",
    sources: "peers/floor",
    shared: "shared",
    build: ["node", "build.js"],
    start: ["node", "dist/server.js"],
    env: {},
    pageData: "/_data/items",
  },
  {
    name: "next-app",
    title: "Next.js 16, app router",
    sources: "peers/next-app",
    shared: "shared",
    ...byNext,
  },
  {
    name: "next-pages",
    title: "Next.js 16, pages router",
    sources: "peers/next-pages",
    shared: "shared",
    ...byNext,
  },
  {
    name: "react-router",
    title: "React Router 8",
    sources: "peers/react-router",
    shared: "app/shared",
    build: ["node", "node_modules/@react-router/dev/bin.cjs", "build"],
    start: ["node", "node_modules/@react-router/serve/bin.cjs", "build/server/index.js"],
    env: { HOST: "127.0.0.1" },
    pageData: "/items.data",
  },
  {
    name: "tanstack-start",
    title: "TanStack Start",
    sources: "peers/tanstack-start",
    shared: "src/shared",
    build: ["node", "node_modules/vite/bin/vite.js", "build"],
    start: ["node", ".output/server/index.mjs"],
    env: { HOST: "127.0.0.1" },
  },
];
