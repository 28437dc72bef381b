import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuildEnvironment, Rolldown, ViteBuilder } from "vite";
import { readBrowserAssets } from "./browser-output.ts";
import { buildIdMark } from "./entries.ts";
import { buildErrors } from "./errors.ts";
import type { Work } from "./plugin.ts";

/** The build, step by step. The browser comes first, because the server names the browser's files in its documents. */
export async function buildBothSides(builder: ViteBuilder, work: Work): Promise<void> {
  const { application } = work;
  if (application.table.routes.length === 0) throw buildErrors.noPages(application.pagesFolder);

  const browser = await buildSide(builder, "client");
  const build = nameBuild(browser);
  work.browser = { build, assets: readBrowserAssets(application, browser) };
  await buildSide(builder, "ssr");
  await setBuildId(join(application.root, work.outDir, "browser"), browser, build);
}

async function buildSide(builder: ViteBuilder, name: "client" | "ssr"): Promise<Rolldown.RolldownOutput["output"]> {
  const environment: BuildEnvironment | undefined = builder.environments[name];
  const result = environment && (await builder.build(environment));
  if (!result || Array.isArray(result) || !("output" in result))
    throw new Error(`Vite gave no single output for the environment "${name}".`);
  return result.output;
}

/** File names carry hashes of their contents, so all names together name the whole. */
function nameBuild(output: Rolldown.RolldownOutput["output"]): string {
  const names = output.map((file) => file.fileName).sort();
  return createHash("sha256").update(names.join("\n")).digest("hex").slice(0, buildIdMark.length);
}

async function setBuildId(folder: string, output: Rolldown.RolldownOutput["output"], build: string): Promise<void> {
  for (const chunk of output) {
    if (chunk.type !== "chunk" || !chunk.code.includes(buildIdMark)) continue;
    const file = join(folder, chunk.fileName);
    await writeFile(file, (await readFile(file, "utf8")).replaceAll(buildIdMark, build));
  }
}
