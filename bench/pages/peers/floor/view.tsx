import type { ComponentProps } from "react";
import type { Item, ItemSummary } from "./shared/items";
import { About, Frame, Home, ItemArticle, Items, type LinkComponent, NotFound } from "./shared/pages";

export type View =
  | { at: "home" | "about" | "not-found" }
  | { at: "items"; items: readonly ItemSummary[] }
  | { at: "item"; item: Item };

function Link({ to, id, early, children }: ComponentProps<LinkComponent>) {
  return (
    <a href={to} id={id} data-early={early ? "" : undefined}>
      {children}
    </a>
  );
}

export function Shown({ view }: { view: View }) {
  return <Frame Link={Link}>{inside(view)}</Frame>;
}

function inside(view: View) {
  switch (view.at) {
    case "home":
      return <Home Link={Link} />;
    case "items":
      return <Items Link={Link} items={view.items} />;
    case "item":
      return <ItemArticle item={view.item} />;
    case "about":
      return <About />;
    default:
      return <NotFound />;
  }
}
