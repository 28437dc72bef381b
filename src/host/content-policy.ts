import type { Served } from "./served.ts";

/** `files`: of the build whose pages get it. */
interface PolicySource extends Pick<Served, "config" | "development" | "styleNonce"> {
  files: Pick<Served["files"], "assets">;
}

type ContentPolicy = Readonly<Record<string, readonly string[]>>;

/** What pages may load beyond the defaults: as the configuration says, and what the build or Vite needs. */
export function contentPolicyOf({ config, files, development, styleNonce }: PolicySource): ContentPolicy {
  const csp = allowAssets(config.csp ?? {}, files.assets);
  return development ? { ...csp, ...whatViteNeeds(csp, styleNonce) } : csp;
}

/** Scripts load each other; everything else that the build may have written is named by its origin. */
function allowAssets(csp: ContentPolicy, assets: string | undefined): ContentPolicy {
  if (assets === undefined) return csp;
  const { origin } = new URL(assets);
  const own = Object.keys(csp).filter((name) => /^(?:style-src-elem|media-src)$/.test(name));
  const names = ["default-src", "style-src", "img-src", "font-src", "connect-src", ...own];
  return { ...csp, ...Object.fromEntries(names.map((name) => [name, [...(csp[name] ?? []), origin]])) };
}

/**
 * In development, Vite's client inserts styles into the page and listens to a socket. Nothing else is allowed that
 * production refuses: styles that a library writes at run time would look right in development and be missing in
 * production.
 */
function whatViteNeeds(csp: ContentPolicy, styleNonce = ""): Record<string, readonly string[]> {
  const all: Record<string, readonly string[]> = { "style-src": [], ...csp };
  const styles = Object.entries(all).filter(([name]) => /^style-src(?:-elem)?$/.test(name));
  return {
    // Browsers ignore `'unsafe-inline'` beside a nonce, so an application that allows all styles gets none.
    ...Object.fromEntries(
      styles
        .filter(([, sources]) => !sources.includes("'unsafe-inline'"))
        .map(([name, sources]) => [name, [...sources, `'nonce-${styleNonce}'`]]),
    ),
    "connect-src": [...(csp["connect-src"] ?? []), "ws:"],
  };
}
