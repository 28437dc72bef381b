import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "vite";

/**
 * Bundles `src/main.ts` of an application, and uploads its source map with the official plugin: node bundle.js vite
 * FOLDER APPLICATION, or webpack in place of vite. FOLDER has the plugins and webpack. Address, token and names are
 * those of the environment that `sentry-cli` reads.
 */
const [tool, folder = "", application = ""] = process.argv.slice(2);
const installed = createRequire(join(folder, "package.json"));
const entry = join(application, "src/main.ts");
const outDir = join(application, "dist");
const upload = { release: { name: "shop@1.0.0" }, telemetry: false };

if (tool === "webpack") await bundleWithWebpack();
else await bundleWithVite();

async function bundleWithWebpack() {
  const webpack = installed("webpack");
  const { sentryWebpackPlugin } = installed("@sentry/webpack-plugin");
  const compiler = webpack({
    mode: "production",
    target: "node",
    devtool: "source-map",
    context: application,
    entry,
    output: { path: outDir, filename: "main.cjs" },
    module: { rules: [{ test: /\.ts$/, loader: fileURLToPath(new URL("./typescript-loader.js", import.meta.url)) }] },
    plugins: [sentryWebpackPlugin(upload)],
  });
  const stats = await promisify(compiler.run.bind(compiler))();
  await promisify(compiler.close.bind(compiler))();
  if (stats.hasErrors()) throw new Error(stats.toString("errors-only"));
}

async function bundleWithVite() {
  const { sentryVitePlugin } = installed("@sentry/vite-plugin");
  await build({
    root: application,
    configFile: false,
    logLevel: "warn",
    plugins: [sentryVitePlugin(upload)],
    build: {
      ssr: entry,
      outDir,
      minify: true,
      sourcemap: true,
      rollupOptions: { output: { entryFileNames: "main.mjs" } },
    },
  });
}
