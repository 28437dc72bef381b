import { type ComponentType, lazy, type ReactNode, Suspense } from "react";
import type { BuiltIn } from "../react/built-in-page.tsx";
import { lastResort } from "./show/signs.ts";

type Page = ComponentType<BuiltIn>;

/**
 * Stands for the built-in page where something breaks before that is here: its words at once, the rest as soon as it is
 * fetched.
 */
export function builtInLater(here: () => Page | undefined, fetched: () => Promise<Page>): Page {
  const Fetched = lazy(async () => ({ default: await fetched().catch(() => WordsOnly) }));
  return (shown) => {
    const Here = here();
    return Here ? (
      <Here {...shown} />
    ) : (
      <Suspense fallback={<WordsOnly {...shown} />}>
        <Fetched {...shown} />
      </Suspense>
    );
  };
}

/** Only for errors: a page that does not exist is shown when everything for it is here. */
function WordsOnly(shown: BuiltIn): ReactNode {
  if (shown.kind !== "error") return null;
  const { side, digest } = shown;
  return (
    <>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: constant words, the same that are shown when React
          itself has failed */}
      <main dangerouslySetInnerHTML={{ __html: lastResort(side === "server" ? side : "client") }} />
      {digest && <p>Digest: {digest}</p>}
    </>
  );
}
