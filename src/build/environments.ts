import { builtinModules } from "node:module";
import { posix, resolve } from "node:path";
import {
  defaultClientConditions,
  defaultServerConditions,
  type EnvironmentOptions,
  type Rolldown,
  type UserConfig,
} from "vite";
import { type ApplicationFiles, slashed } from "./application-files.ts";
import { scannedPackages } from "./dev/scanned-packages.ts";
import { entryGroup } from "./output/entry-chunk.ts";
import { growingFolder } from "./output/output-place.ts";
import { runsFromSource, sourceCondition } from "./own-package.ts";
import { browserEntry, serverEntry } from "./virtual-modules.ts";

/** Below this folder every file name carries a hash of its content and may be kept for ever. */
export function assetsFolderOf(at: string): string {
  return `${at}/_assets`.slice(1);
}

const ownConditions = runsFromSource ? [sourceCondition] : [];

/**
 * Packages with compiled parts: they find their binaries beside their own files, which a bundle would tear apart.
 * Everything else is bundled, because a server that reads one file starts several times sooner than one that reads a
 * thousand.
 */
const nativePackages = [
  "@node-rs/argon2",
  "@prisma/client",
  "argon2",
  "bcrypt",
  "better-sqlite3",
  "canvas",
  "libpq",
  "lightningcss",
  "pg-native",
  "sharp",
  "sqlite3",
];

/**
 * On a busy machine Rolldown warns of the time that plugins took, which is nothing that an application's author could
 * mend.
 */
const quietRolldown: Rolldown.InputOptions = { checks: { bundlerTimings: false } };

const deniedByVite = [".env", ".env.*", "*.{crt,pem}", "**/.git/**"];

/** What is the server's may not be asked for by its address either: its code, settings, build, and what it keeps. */
function serversOwn(root: string, outDir: string): string[] {
  const folders = [resolve(root, ".holdfast"), resolve(root, outDir), resolve(root, growingFolder(outDir))];
  if (process.env.HOLDFAST_DATA) folders.push(resolve(process.env.HOLDFAST_DATA));
  return [
    "**/*.server.*",
    "**/src/server/**",
    "holdfast.config.*",
    "vite.config.*",
    "*.{db,sqlite,sqlite3}{,-wal,-shm}",
    ...folders.map((folder) => `${slashed(folder).replace(globCharacters, "\\$&")}/**`),
  ];
}

const globCharacters = /[\\*?[\]{}()!+@|]/g;

/** What both sides share. */
export function commonSettings({ at, root }: Pick<ApplicationFiles, "at" | "root">, outDir: string): UserConfig {
  return {
    appType: "custom",
    envPrefix: "PUBLIC_",
    // Vite would read .env.local and others too, which the server does not: the plugin reads the one file that counts
    // for both sides.
    envDir: false,
    // Where the scripts of workers go; Vite asks the common settings for it.
    build: { assetsDir: assetsFolderOf(at) },
    resolve: { dedupe: ["react", "react-dom"] },
    server: { fs: { deny: [...deniedByVite, ...serversOwn(root, outDir)] } },
    builder: { sharedConfigBuild: true, sharedPlugins: true },
    environments: { client: {}, ssr: {} },
  };
}

export function browserSettings(
  outDir: string,
  { at, pagesFolder }: ApplicationFiles,
  own: EnvironmentOptions,
): EnvironmentOptions {
  const assetsFolder = assetsFolderOf(at);
  return {
    resolve: { conditions: [...ownConditions, ...defaultClientConditions] },
    optimizeDeps: scannedPackages,
    build: {
      outDir: posix.join(outDir, "browser"),
      emptyOutDir: true,
      sourcemap: "hidden",
      modulePreload: { polyfill: false },
      // One stylesheet for the application: one request, no page without its styles, and an order of rules that no
      // navigation changes. An application with very many styles may ask for one per page.
      cssCodeSplit: own.build?.cssCodeSplit ?? false,
      rolldownOptions: {
        ...quietRolldown,
        // A name that stands for a text costs more than the text, and keeps it in the file that every page loads.
        optimization: { inlineConst: true },
        input: { entry: browserEntry },
        output: {
          codeSplitting: { groups: [entryGroup()] },
          entryFileNames: `${assetsFolder}/[name]-[hash].js`,
          chunkFileNames: (chunk) => `${assetsFolder}/${chunkName(chunk, pagesFolder)}-[hash].js`,
          assetFileNames: `${assetsFolder}/[name]-[hash][extname]`,
        },
      },
    },
  };
}

export function serverSettings(outDir: string, at: string, command: "build" | "serve"): EnvironmentOptions {
  return {
    // While developing, packages are loaded by Node itself: quicker, and CommonJS works there. Not this package: what
    // pages import of it must be the instance that renders them, and that one is run by Vite.
    resolve: {
      conditions: [...ownConditions, ...defaultServerConditions],
      externalConditions: ownConditions,
      ...(command === "build" ? { noExternal: true as const, external: nativePackages } : { noExternal: ["holdfast"] }),
      builtins: [...builtinModules, /^node:/],
    },
    ...(command === "build" && { define: { "process.env.NODE_ENV": '"production"' } }),
    build: {
      outDir: posix.join(outDir, "server"),
      emptyOutDir: true,
      copyPublicDir: false,
      sourcemap: true,
      target: "node24",
      rolldownOptions: {
        ...quietRolldown,
        input: { application: serverEntry },
        output: {
          entryFileNames: "[name].js",
          chunkFileNames: "chunks/[name]-[hash].js",
          assetFileNames: `${assetsFolderOf(at)}/[name]-[hash][extname]`,
        },
      },
    },
  };
}

/** `orders/[id].tsx` is named `orders-id`, so that the page can be recognised in the browser's network panel. */
function chunkName(chunk: Rolldown.PreRenderedChunk, pagesFolder: string): string {
  const module = chunk.facadeModuleId && slashed(chunk.facadeModuleId);
  if (!module?.startsWith(`${pagesFolder}/`)) return chunk.name;
  const words = module
    .slice(pagesFolder.length + 1)
    .replace(/\.\w+$/, "")
    .match(/[\w-]+/g);
  return words?.join("-") ?? chunk.name;
}
