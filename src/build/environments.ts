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
import { growingFolder } from "./output/output-folders.ts";
import { quickToRead } from "./output/quick-to-read.ts";
import { runsFromSource, sourceCondition } from "./own-package.ts";
import { browserEntry, serverEntry } from "./virtual-modules.ts";

/** Every file name below this folder contains a content hash, so its files are immutable. */
export function assetsFolderOf(at: string): string {
  return `${at}/_assets`.slice(1);
}

const ownConditions = runsFromSource ? [sourceCondition] : [];

/**
 * Packages with compiled parts stay external: they load binaries relative to their own files. Everything else is
 * bundled, because a server that reads one file starts several times faster than one that reads a thousand.
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

/** On a busy machine Rolldown warns about the time of plugins, which a developer cannot change. */
const quietRolldown: Rolldown.InputOptions = { checks: { bundlerTimings: false } };

const deniedByVite = [".env", ".env.*", "*.{crt,pem}", "**/.git/**"];

/** Server files that Vite must not serve: code, settings, builds and stored data. */
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

/** Settings of both sides. */
export function commonSettings({ at, root }: Pick<ApplicationFiles, "at" | "root">, outDir: string): UserConfig {
  return {
    appType: "custom",
    envPrefix: "PUBLIC_",
    // The plugin reads the files that both sides use.
    envDir: false,
    // Folder of worker scripts, which Vite reads from the common settings.
    build: { assetsDir: assetsFolderOf(at) },
    // The build resolves `paths` of a tsconfig.json by itself; development must find the same files.
    resolve: { dedupe: ["react", "react-dom"], tsconfigPaths: true },
    server: { fs: { deny: [...deniedByVite, ...serversOwn(root, outDir)] } },
    builder: { sharedConfigBuild: true, sharedPlugins: true },
    environments: { client: {}, ssr: {} },
  };
}

export function browserSettings(
  outDir: string,
  { at, pagesFolder }: ApplicationFiles,
  userOptions: EnvironmentOptions,
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
      // One stylesheet for the application: one request, no page without its styles, and a rule order that no
      // navigation changes. An application with very many styles may choose one per page.
      cssCodeSplit: userOptions.build?.cssCodeSplit ?? false,
      rolldownOptions: {
        ...quietRolldown,
        // A constant costs more bytes than its inlined text, and keeps the text in the file that every page loads.
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

export function serverSettings(
  outDir: string,
  { at, nativePackages: further }: Pick<ApplicationFiles, "at" | "nativePackages">,
  command: "build" | "serve",
): EnvironmentOptions {
  return {
    // In development, Node loads packages itself: it is faster and supports CommonJS. This package is the exception,
    // because pages must import the instance that renders them, which Vite runs.
    resolve: {
      conditions: [...ownConditions, ...defaultServerConditions],
      externalConditions: ownConditions,
      ...(command === "build"
        ? { noExternal: true as const, external: [...nativePackages, ...further] }
        : { noExternal: ["holdfast"] }),
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
          ...quickToRead,
        },
      },
    },
  };
}

/** `orders/[id].tsx` is named `orders-id`, so that the page is recognizable in the browser's network panel. */
function chunkName(chunk: Rolldown.PreRenderedChunk, pagesFolder: string): string {
  const module = chunk.facadeModuleId && slashed(chunk.facadeModuleId);
  if (!module?.startsWith(`${pagesFolder}/`)) return chunk.name;
  const words = module
    .slice(pagesFolder.length + 1)
    .replace(/\.\w+$/, "")
    .match(/[\w-]+/g);
  return words?.join("-") ?? chunk.name;
}
