import type { View } from "../../view.ts";
import type { NavigationTarget } from "../navigation/navigation-events.ts";

/** A page on screen and the place of its history entry. */
export interface Layer {
  url: string;
  view: View;
  place: number;
}

export interface DialogQuestion {
  target: NavigationTarget;
  /** Of the page that the navigation has loaded. */
  view: View;
  /** The page on screen: the one in the dialog, if one is open. */
  shown: Layer;
  /** The page below the open dialog. */
  below: Layer | undefined;
  /** For a step in the history: the place over which its entry was a dialog. */
  entry: number | undefined;
}

/**
 * Decides whether a page is shown as a dialog, and over which place. Undefined: as a whole page. Errors, pages that do
 * not exist and pages in another language are whole pages, and so is a page whose page below has gone.
 */
export function dialogBelow({ target, view, shown, below, entry }: DialogQuestion): number | undefined {
  const { url, view: viewBelow, place } = below ?? shown;
  const path = pathOf(target.to);
  if (view.kind !== "page" || viewBelow.kind !== "page" || view.html?.lang !== viewBelow.html?.lang) return undefined;
  if (path === pathOf(url)) return undefined;
  if (target.how === "traverse") return entry === place ? place : undefined;
  // The page in the dialog has changed its own search, or is loaded again.
  const isOwn = below !== undefined && path === pathOf(shown.url);
  return isOwn || target.manner?.dialog ? place : undefined;
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}
