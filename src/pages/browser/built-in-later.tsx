import { type ComponentType, lazy, type ReactNode, Suspense } from "react";
import type { BuiltIn } from "../react/built-in-page.tsx";

type Page = ComponentType<BuiltIn>;

/** Stands for the built-in page where something breaks before that is here: its words at once, its ways out as soon as it is fetched. */
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

function WordsOnly(shown: BuiltIn): ReactNode {
  return shown.kind === "error" ? (
    <main>
      <h1>Application error</h1>
      <p>A {shown.side === "server" ? "server" : "client"}-side exception has occurred.</p>
      {shown.digest && <p>Digest: {shown.digest}</p>}
      <a href={location.href} data-hard="">
        Reload
      </a>{" "}
      <a href="/" data-hard="">
        Home
      </a>
    </main>
  ) : null;
}
