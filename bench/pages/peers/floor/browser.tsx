import { hydrateRoot } from "react-dom/client";
import { Shown, type View } from "./view";

/** The minimum in a browser: hydrate, handle clicks, fetch, render. */
declare const first: View;
const root = hydrateRoot(document.querySelector("#app") as Element, <Shown view={first} />);
const early = new Map<string, Promise<View>>();

const fetchView = async (path: string): Promise<View> => (await fetch(`/_data${path}`)).json();
const linkOf = (event: Event): HTMLAnchorElement | null => (event.target as Element).closest("a");

addEventListener("pointerover", (event) => {
  const link = linkOf(event);
  if (link?.dataset.early !== undefined && !early.has(link.pathname))
    early.set(link.pathname, fetchView(link.pathname));
});
addEventListener("click", async (event) => {
  const link = linkOf(event);
  if (!link) return;
  event.preventDefault();
  const view = await (early.get(link.pathname) ?? fetchView(link.pathname));
  early.delete(link.pathname);
  history.pushState(null, "", link.href);
  root.render(<Shown view={view} />);
});
addEventListener("popstate", async () => root.render(<Shown view={await fetchView(location.pathname)} />));
