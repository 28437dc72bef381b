import type { ReactNode } from "react";
import type { LanguageAddresses } from "#routes";
import type { PageContextValue } from "./page-context.ts";

interface AlternatesProps {
  page: PageContextValue;
  languages: LanguageAddresses;
}

/**
 * The page's one address, and its addresses in all its languages, for search engines. React moves the elements into the
 * head, and changes them with the page: browsers offer the canonical address when a page is shared.
 */
export function Alternates({ page, languages }: AlternatesProps): ReactNode {
  const { path, search, view } = page;
  const { table, absolute } = languages;
  if (!table.canonical || view.kind !== "page" || view.status !== 200) return null;
  const plain = languages.without(path);
  const address = plain + withoutTracking(search);
  const canonical = absolute(address);
  // While the build makes a page, the origin may not be known. Then the browser adds the elements.
  if (canonical.startsWith("/")) return null;
  const all = languages.of(plain);
  return (
    <>
      <link rel="canonical" href={canonical} />
      {all.length > 1 && (
        <>
          {all.map(({ lang }) => (
            <link key={lang} rel="alternate" hrefLang={lang} href={absolute(address, lang)} />
          ))}
          <link rel="alternate" hrefLang="x-default" href={absolute(address, table.default)} />
        </>
      )}
    </>
  );
}

/** The search without what advertisers add: it never changes what a page shows. */
function withoutTracking(search: string): string {
  if (search === "") return search;
  const kept = [...new URLSearchParams(search)].filter(([name]) => !tracking.test(name));
  return kept.length === 0 ? "" : `?${new URLSearchParams(kept)}`;
}

const tracking = /^(?:utm_\w+|gclid|fbclid|msclkid)$/;
