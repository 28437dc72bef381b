import { type ReactNode, use, useSyncExternalStore } from "react";
import type { ErrorProps } from "../parts.ts";
import { PageContext, type PageContextValue } from "./page-context.ts";

/** What the page shows, and why. */
export type BuiltIn = (({ kind: "error" } & ErrorProps) | { kind: "not-found"; path: string }) & {
  /** Rendered inside a layout of the application, which has its own background and `<main>`. */
  inLayout?: boolean;
};

/**
 * Shown when the application has no page of its own for an error or a missing page: what happened, the digest, and
 * links that need no script. Its style is one constant text, so that the Content Security Policy can allow it by its
 * hash.
 */
export function BuiltInPage(shown: BuiltIn): ReactNode {
  const { title, text } = words(shown);
  const digest = shown.kind === "error" ? shown.digest : undefined;
  const page = use(PageContext);
  const path = page?.path ?? "/";
  const up = upFrom(path, page);
  const alive = useAlive();
  const Around = shown.inLayout ? "div" : "main";
  return (
    <Around className={shown.inLayout ? "holdfast-page" : "holdfast-page alone"}>
      <title>{title}</title>
      <meta name="robots" content="noindex" />
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of this file; as a child React would escape
          its quotes */}
      <style dangerouslySetInnerHTML={{ __html: builtInStyle }} />
      <h1>{title}</h1>
      <p>{text}</p>
      {digest && (
        <p className="digest">
          Digest: <code>{digest}</code>{" "}
          {alive && (
            <button type="button" onClick={() => void navigator.clipboard?.writeText(digest)}>
              Copy
            </button>
          )}
        </p>
      )}
      <nav aria-label="Ways out">
        {shown.kind === "error" && (
          <a href={path + (page?.search ?? "")} data-hard="" className="primary">
            Reload
          </a>
        )}
        {alive ? (
          <button type="button" onClick={() => history.back()}>
            Back
          </button>
        ) : (
          page?.back && <a href={page.back}>Back</a>
        )}
        {up && <a href={up}>Up to {up}</a>}
        {isPage("/", page) && <a href="/">Home</a>}
      </nav>
      {digest && (
        <form method="post" action="/_holdfast/note">
          <input type="hidden" name="digest" value={digest} />
          <label>
            What were you doing when this happened?
            <textarea name="note" rows={3} maxLength={2000} required />
          </label>
          <button type="submit">Send note</button>
        </form>
      )}
    </Around>
  );
}

function words(shown: BuiltIn): { title: string; text: string } {
  if (shown.kind === "not-found") return { title: "Page not found", text: `There is no page at ${shown.path}.` };
  if (shown.status === 401)
    return { title: "Sign-in needed", text: "This page is only for visitors who have signed in." };
  if (shown.status === 403) return { title: "Not allowed", text: "Your account may not see this page." };
  if (shown.status === 400)
    return { title: "Address not understood", text: "Part of this address has a value that the page cannot use." };
  if (shown.status === 413) return { title: "Too much was sent", text: "The form was larger than this page takes." };
  if (shown.status === 415) return { title: "Form not taken", text: "This page does not take files of this kind." };
  if (shown.reason === "redirect-loop")
    return { title: "Address leads in a circle", text: "The pages here send you to each other, again and again." };
  if (shown.reason === "loop")
    return { title: "Page does not load", text: "It was loaded several times in a row, and failed each time." };
  return {
    title: "Application error",
    text: `A ${shown.side === "server" ? "server" : "client"}-side exception has occurred.`,
  };
}

/** The nearest parent page without parameters: one with parameters may be missing too. */
function upFrom(path: string, page: PageContextValue | null): string {
  let up = path;
  do up = up.slice(0, up.lastIndexOf("/"));
  while (up && !isPage(up, page));
  return up;
}

/** Whether a page without parameters has this path. A page with parameters may not exist for every value. */
function isPage(path: string, context: PageContextValue | null): boolean {
  return !context || context.routes.some(({ id, page }) => page && id === path);
}

/** True after hydration: only then are buttons that need scripts rendered. */
function useAlive(): boolean {
  return useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  );
}

export const builtInStyle = `.holdfast-page{--g:#fbfcfb;--i:#14201b;--m:#4b5a53;--l:#d5ded9;--s:#eff3f0;--a:#0e6a4e;--o:#fff;box-sizing:border-box;max-width:68ch;padding:24px 0;font:16px/26px system-ui,sans-serif}.holdfast-page.alone{min-height:100vh;margin:0 auto;padding:12vh 24px 48px;background:var(--g);color:var(--i);box-shadow:0 0 0 100vmax var(--g);clip-path:inset(0 -100vmax)}@media(prefers-color-scheme:dark){.holdfast-page{--g:#0d1512;--i:#e6efe9;--m:#9fb0a7;--l:#2a3a32;--s:#0a110e;--a:#4cc79a;--o:#06281c}}.holdfast-page h1{font-size:26px;line-height:34px;margin:0 0 8px}.holdfast-page .digest{font-size:20px}.holdfast-page code{font-family:ui-monospace,monospace;background:var(--s);padding:4px 8px;border-radius:6px}.holdfast-page nav{display:flex;flex-wrap:wrap;gap:8px;margin:24px 0}.holdfast-page :is(a,button){display:inline-flex;align-items:center;min-height:44px;padding:0 16px;border:1px solid var(--l);border-radius:6px;background:transparent;color:inherit;font:inherit;text-decoration:none}.holdfast-page .primary{background:var(--a);border-color:var(--a);color:var(--o)}.holdfast-page label{display:block;color:var(--m)}.holdfast-page textarea{display:block;box-sizing:border-box;width:100%;margin:4px 0 8px;padding:8px;border:1px solid var(--l);border-radius:6px;background:var(--s);color:var(--i);font:inherit}.holdfast-page :focus-visible{outline:2px solid var(--a);outline-offset:2px}`;
