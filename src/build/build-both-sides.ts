import { createHash } from "node:crypto";
import type { BuildEnvironment, ViteBuilder } from "vite";
import { HoldfastError } from "#errors";
import { describeBundlerError } from "./describe-bundler-error.ts";
import { assetsFolderOf } from "./environments.ts";
import { buildErrors } from "./errors.ts";
import { readEnvironment, scanForSecrets } from "./guards/secret-scan.ts";
import { readBrowserAssets, readLaterFiles } from "./output/browser-assets.ts";
import { writeCommits } from "./output/commits.ts";
import { compressFiles } from "./output/compress-files.ts";
import { finishBrowserChunks, finishServerChunks, type Output } from "./output/finish-chunks.ts";
import { type BuildManifest, writeManifest } from "./output/manifest.ts";
import { abandonPlace, type OutputPlace, outputPlace, preparePlace, putInPlace } from "./output/output-place.ts";
import { writeRelease } from "./output/release.ts";
import { writeSizeTable } from "./output/size-table.ts";
import { readBudgets } from "./page-budgets.ts";
import { buildIdMark } from "./virtual-modules.ts";
import type { Work } from "./work.ts";

/** Builds the browser first, because the server names the browser's files in its documents. */
export async function buildBothSides(builder: ViteBuilder, work: Work): Promise<void> {
  const { root, table, pagesFolder } = work.application;
  if (table.routes.length === 0) throw buildErrors.noPages(pagesFolder);
  const place = outputPlace(root, work.outDir);
  await preparePlace(place);
  try {
    const manifest = await buildInPlace(builder, work, place);
    refuseOverBudget(manifest);
    await putInPlace(place);
    builder.config.logger.info(writeSizeTable(manifest));
  } catch (error) {
    await abandonPlace(place);
    throw error;
  }
}

async function buildInPlace(builder: ViteBuilder, work: Work, place: OutputPlace): Promise<BuildManifest> {
  const budgets = await readBudgets(work.application);
  const { root } = work.application;
  const browserFiles = await buildSide(builder, "client", root);
  const build = nameBuild(browserFiles);
  const assets = readBrowserAssets(work.application, browserFiles);
  const later = readLaterFiles(browserFiles);
  const browser = { build, assets, later, hashed: hashedFiles(browserFiles, assetsFolderOf(work.application.at)) };
  work.browser = browser;
  const serverFiles = await buildSide(builder, "ssr", root);

  await finishBrowserChunks(place, browserFiles, build);
  await finishServerChunks(place, serverFiles);
  await writeCommits(place);
  await writeRelease(place);
  await scanForSecrets(place.browser, await readEnvironment(work.application.root), browserFiles, work.chains);
  const served = await compressFiles(place.browser);
  return await writeManifest(place, { table: work.application.table, browser, served, budgets });
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
  const own = wrapped.find((one) => one instanceof HoldfastError);
  if (!own) throw buildErrors.cannotBuild(describeBundlerError(error, root));
  throw Object.assign(own, { code: "pluginCode" in own ? own.pluginCode : own.code });
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
