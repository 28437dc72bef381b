import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/**
 * Folder of the packages that Vite prepares for the browser. Applications below one package.json would share Vite's
 * default, and a server that starts would remove the files that the pages of another are loading.
 */
export function preparedPackagesFolder(root: string): string | undefined {
  const owner = nearestPackage(root);
  if (owner === undefined || owner === root) return;
  const name = relative(owner, root).replaceAll(/[\\/]/g, "-");
  return join(owner, "node_modules/.vite", name);
}

function nearestPackage(folder: string): string | undefined {
  if (existsSync(join(folder, "package.json"))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : nearestPackage(above);
}
