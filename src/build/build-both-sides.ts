import { createHash } from "node:crypto";
import type { BuildEnvironment, ViteBuilder } from "vite";
import { HoldfastError } from "#errors";
import { describeBundlerError } from "./describe-bundler-error.ts";
import { assetsFolderOf } from "./environments.ts";
import { buildErrors } from "./errors.ts";
import { readEnvironment, scanForSecrets } from "./guards/secret-scan.ts";
import { readBrowserAssets, readLaterFiles } from "./output/browser-assets.ts";
import { writeCommits } from "./output/commits.ts";
import { compressFiles, readEffort } from "./output/compress-files.ts";
import { finishBrowserChunks, finishServerChunks, type Output } from "./output/finish-chunks.ts";
import { type BuildManifest, writeManifest } from "./output/manifest.ts";
import {
  discardOutput,
  type OutputFolders,
  outputFolders,
  prepareOutput,
  replaceOutput,
} from "./output/output-folders.ts";
import { writeRelease } from "./output/release.ts";
import { writeSizeTable } from "./output/size-table.ts";
import { readBudgets } from "./page-budgets.ts";
import { runPrerenderStep } from "./prerender/prerender-step.ts";
import { buildIdMark } from "./virtual-modules.ts";
import type { Work } from "./work.ts";

/** Builds the browser first, because the server names the browser's files in its documents. */
export async function buildBothSides(builder: ViteBuilder, work: Work): Promise<void> {
  const { root, table, pagesFolder } = work.application;
  if (table.routes.length === 0) throw buildErrors.noPages(pagesFolder);
  const folders = outputFolders(root, work.outDir);
  await prepareOutput(folders);
  try {
    const manifest = await buildInto(builder, work, folders);
    refuseOverBudget(manifest);
    await runPrerenderStep(builder, work.application, folders);
    await replaceOutput(folders);
    builder.config.logger.info(writeSizeTable(manifest));
  } catch (error) {
    await discardOutput(folders);
    throw error;
  }
}

async function buildInto(builder: ViteBuilder, work: Work, folders: OutputFolders): Promise<BuildManifest> {
  const effort = readEffort(process.env.HOLDFAST_COMPRESSION);
  const budgets = await readBudgets(work.application);
  const { root } = work.application;
  const browserFiles = await buildSide(builder, "client", root);
  const build = nameBuild(browserFiles);
  const assets = readBrowserAssets(work.application, browserFiles);
  const later = readLaterFiles(browserFiles);
  const browser = { build, assets, later, hashed: hashedFiles(browserFiles, assetsFolderOf(work.application.at)) };
  work.browser = browser;
  const serverFiles = await buildSide(builder, "ssr", root);

  await finishBrowserChunks(folders, browserFiles, browser);
  await finishServerChunks(folders, serverFiles);
  await writeCommits(folders);
  await writeRelease(folders);
  await scanForSecrets(folders.browser, await readEnvironment(work.application.root), browserFiles, work.chains);
  const served = await compressFiles(folders.browser, effort);
  const { table, assets: prefix } = work.application;
  return await writeManifest(folders, { table, assets: prefix, browser, served, budgets });
}

/** Runs before the last build is replaced, so that a page over budget is not deployed by accident. */
function refuseOverBudget({ routes }: BuildManifest): void {
  const over = routes.flatMap(({ id, firstLoadBytes, budget }) =>
    budget?.firstLoadBytes !== undefined && firstLoadBytes > budget.firstLoadBytes
      ? [{ route: id, bytes: firstLoadBytes, budget: budget.firstLoadBytes }]
      : [],
  );
  if (over.length > 0) throw buildErrors.budgetExceeded(over);
}

async function buildSide(builder: ViteBuilder, name: "client" | "ssr", root: string): Promise<Output> {
  const environment: BuildEnvironment | undefined = builder.environments[name];
  const result = environment && (await builder.build(environment).catch((error) => throwOwnError(error, root)));
  if (!result || Array.isArray(result) || !("output" in result)) {
    throw new Error(`Vite gave no single output for the environment "${name}".`);
  }
  return result.output;
}

/**
 * Vite wraps errors of plugins and gives them its own code. The developer gets the original error, or the text of the
 * compiler or plugin.
 */
function throwOwnError(error: unknown, root: string): never {
  const wrapped: unknown[] =
    error instanceof Error && "errors" in error && Array.isArray(error.errors) ? error.errors : [];
  const frameworkError = wrapped.find((one) => one instanceof HoldfastError);
  if (!frameworkError) throw buildErrors.cannotBuild(describeBundlerError(error, root));
  throw Object.assign(frameworkError, {
    code: "pluginCode" in frameworkError ? frameworkError.pluginCode : frameworkError.code,
  });
}

/**
 * Excludes files that a plugin emits under fixed names, such as a service worker at the root: their content can change.
 */
function hashedFiles(output: Output, assetsFolder: string): Set<string> {
  return new Set(output.map((file) => file.fileName).filter((name) => name.startsWith(`${assetsFolder}/`)));
}

/** File names contain content hashes, so the hash of all names identifies the build. */
function nameBuild(output: Output): string {
  const names = output.map((file) => file.fileName).sort();
  return createHash("sha256").update(names.join("\n")).digest("hex").slice(0, buildIdMark.length);
}
