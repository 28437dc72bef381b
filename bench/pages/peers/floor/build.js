import { build } from "vite";

const define = { "process.env.NODE_ENV": '"production"' };
const quiet = { configFile: false, logLevel: "warn", define, oxc: { jsx: { runtime: "automatic" } } };
await build({
  ...quiet,
  build: {
    outDir: "dist/browser",
    modulePreload: false,
    rolldownOptions: { input: "browser.tsx", output: { entryFileNames: "[name]-[hash].js" } },
  },
});
await build({
  ...quiet,
  ssr: { noExternal: true },
  build: { outDir: "dist", emptyOutDir: false, ssr: "server.tsx", target: "node24", minify: true },
});
