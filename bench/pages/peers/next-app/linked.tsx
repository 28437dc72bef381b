"use client";
import type { ReactNode } from "react";
import { AppLink } from "./link";
import type { ItemSummary } from "./shared/items";
import { Frame, Home, Items } from "./shared/pages";

/** A server component cannot pass a link component to a client component, so it is bound here. */
export function LinkedFrame({ children }: { children: ReactNode }) {
  return <Frame Link={AppLink}>{children}</Frame>;
}

export function LinkedHome() {
  return <Home Link={AppLink} />;
}

export function LinkedItems({ items }: { items: readonly ItemSummary[] }) {
  return <Items Link={AppLink} items={items} />;
}
