"use client";
import { type ComponentType, type ReactNode, useEffect } from "react";
import type { Item, ItemSummary } from "./items";

/** The pages of the measured application for all contenders except Holdfast. Each passes its own link component. */
export type LinkComponent = ComponentType<{ to: string; id?: string; early?: boolean; children: ReactNode }>;

export function Frame({ Link, children }: { Link: LinkComponent; children: ReactNode }) {
  useEffect(() => {
    performance.mark("alive");
  }, []);
  return (
    <>
      <header>
        <nav>
          <Link to="/" id="nav-home">
            Home
          </Link>
          <Link to="/items" id="nav-items">
            Items
          </Link>
          <Link to="/about" id="nav-about">
            About
          </Link>
        </nav>
      </header>
      <main>{children}</main>
      <footer>Measured application</footer>
    </>
  );
}

export function Home({ Link }: { Link: LinkComponent }) {
  return (
    <>
      <h1>Hello</h1>
      <p>The same small application in every contender.</p>
      <ul>
        <li>
          <Link to="/items/7" id="cold">
            Item 7, not prefetched
          </Link>
        </li>
        <li>
          <Link to="/items/8" id="warm" early>
            Item 8, prefetched
          </Link>
        </li>
      </ul>
    </>
  );
}

export function Items({ Link, items }: { Link: LinkComponent; items: readonly ItemSummary[] }) {
  return (
    <>
      <h1>Items</h1>
      <ul>
        {items.map((item) => (
          <li key={item.id}>
            <Link to={`/items/${item.id}`}>{item.title}</Link>
          </li>
        ))}
      </ul>
    </>
  );
}

export function ItemArticle({ item }: { item: Item }) {
  return (
    <article>
      <h1>{item.title}</h1>
      <dl>
        <dt>Price</dt>
        <dd>{item.price}</dd>
        <dt>Updated</dt>
        <dd>{item.updated}</dd>
      </dl>
      <ul>
        {item.tags.map((tag) => (
          <li key={tag}>{tag}</li>
        ))}
      </ul>
      {item.paragraphs.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </article>
  );
}

export function About() {
  return (
    <>
      <h1>About</h1>
      <p>This page has no data.</p>
    </>
  );
}

export function NotFound() {
  return <h1>Not found</h1>;
}
