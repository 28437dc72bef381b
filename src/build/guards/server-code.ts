import { builtinModules } from "node:module";
import type { Plugin } from "vite";
import { fileActions } from "#routes";
import { slashed } from "../application-files.ts";
import { buildErrors } from "../errors.ts";
import { entryPoints } from "../own-package.ts";
import { runsTests } from "../test-run.ts";
import { type ImportChains, nameOf, withoutQuery } from "./import-chain.ts";

/** Packages that only work on a server. In the browser they fail late and obscurely, or expose private data. */
const serverPackages = new Set([
  "@aws-sdk/client-s3",
  "@prisma/client",
  "@prisma/adapter-pg",
  "argon2",
  "bcrypt",
  "better-sqlite3",
  "drizzle-orm",
  "express",
  "fastify",
  "ioredis",
  "jsonwebtoken",
  "kysely",
  "knex",
  "mongodb",
  "mongoose",
  "mssql",
  "mysql",
  "mysql2",
  "nodemailer",
  "pg",
  "pino",
  "postgres",
  "redis",
  "sequelize",
  "sharp",
  "sqlite3",
  "stripe",
  "typeorm",
  "vite",
  "winston",
]);
const serverEntryPoints = new Set(
  [...entryPoints.keys()].filter((name) => !["holdfast", "holdfast/report", "holdfast/protocol"].includes(name)),
);
const serverSubpaths = /^react-dom\/(?:server|static)/;

/**
 * Two of the four guards. Names: `*.server.*` and `src/server/**` never reach the browser. Packages: no Node modules,
 * no database, no server code of the framework.
 */
export function serverCodeGuard(root: () => string, chains: ImportChains): Plugin {
  return {
    name: "holdfast:server-code",
    sharedDuringBuild: true,
    enforce: "pre",
    applyToEnvironment: (environment) => environment.name === "client" && !runsTests(environment),
    async resolveId(source, importer, options) {
      if (importer === undefined || isInPackage(importer)) return undefined;
      // Vite's dependency scan serves nothing; modules are checked when they are served. Vite's types lack this option.
      if ("scan" in options && options.scan === true) return undefined;
      if (isServerPackage(source)) throw buildErrors.serverPackageInBrowser(source, chains.describe(source, importer));
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
      if (!resolved) return resolved;
      // Components may import files of actions: they get their names, by `action-files.ts`.
      if (isServerFile(root(), resolved.id) && actionsIn(root(), resolved.id) === undefined) {
        throw buildErrors.serverFileInBrowser(nameOf(root(), resolved.id), chains.describe(resolved.id, importer));
      }
      chains.record(resolved.id, importer);
      return resolved;
    },
    // In development, a browser may also request a file by its address, without any import.
    load(id) {
      if (isServerFile(root(), id)) throw buildErrors.serverFileInBrowser(nameOf(root(), id), nameOf(root(), id));
      return undefined;
    },
  };
}

export function isServerFile(root: string, id: string): boolean {
  const file = slashed(withoutQuery(id));
  return !isInPackage(file) && (/\.server\.[^/.]+$/.test(file) || file.startsWith(`${root}/src/server/`));
}

/** The start of the names of a file's actions; undefined for other files. */
export function actionsIn(root: string, id: string): string | undefined {
  const file = slashed(withoutQuery(id));
  return file.startsWith(`${root}/src/`) ? fileActions(file.slice(root.length + "/src/".length)) : undefined;
}

function isServerPackage(source: string): boolean {
  if (source.startsWith("node:") || builtinModules.includes(source)) return true;
  const name = source.split("/", source.startsWith("@") ? 2 : 1).join("/");
  return serverPackages.has(name) || serverEntryPoints.has(source) || serverSubpaths.test(source);
}

/** Imports between packages are not checked: many import Node modules that they never use in a browser. */
function isInPackage(file: string): boolean {
  return file.includes("/node_modules/");
}
