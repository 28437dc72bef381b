import { relative } from "node:path";
import { slashed } from "../application-files.ts";

/** Records the first importer of each module, to show how a module reached the browser's code. */
export class ImportChains {
  readonly #root: () => string;
  readonly #importers = new Map<string, string>();

  constructor(root: () => string) {
    this.#root = root;
  }

  record(module: string, importer: string): void {
    const file = withoutQuery(module);
    if (!this.#importers.has(file)) this.#importers.set(file, withoutQuery(importer));
  }

  /** Formats `src/pages/index.tsx → src/money.ts → pg`, from the page to the forbidden module. */
  describe(last: string, importer?: string): string {
    const chain = [nameOf(this.#root(), last)];
    const seen = new Set<string>();
    let at = importer === undefined ? this.#importers.get(withoutQuery(last)) : withoutQuery(importer);
    // Vite treats modules that a browser requests by address as imported by a nonexistent index.html.
    const noImporter = `${this.#root()}/index.html`;
    while (at !== undefined && at !== noImporter && !at.startsWith("\0") && !seen.has(at)) {
      seen.add(at);
      chain.unshift(nameOf(this.#root(), at));
      at = this.#importers.get(at);
    }
    return chain.join(" → ");
  }
}

/** Returns a file relative to the application; packages and generated modules by their own names. */
export function nameOf(root: string, module: string): string {
  const file = slashed(withoutQuery(module));
  return file.startsWith("/") ? slashed(relative(root, file)) : file;
}

export function withoutQuery(id: string): string {
  return id.replace(/[?#].*$/, "");
}
