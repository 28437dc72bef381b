import { type ComponentType, lazy, type ReactNode, Suspense } from "react";
import type { BuiltIn, Lazy } from "../parts.ts";
import { lastResort } from "./show/signs.ts";

interface Module {
  readonly BuiltInPage: ComponentType<BuiltIn>;
}

/** Placeholder for the built-in error page: shows its text at once and loads the rest. */
export function builtInLater(load: Lazy<Module>, loaded: () => Module | undefined): ComponentType<BuiltIn> {
  const Fetched = lazy(() =>
    load().then(
      ({ BuiltInPage }) => ({ default: BuiltInPage }),
      () => ({ default: WordsOnly }),
    ),
  );
  return (shown) => {
    const Loaded = loaded()?.BuiltInPage;
    return Loaded ? (
      <Loaded {...shown} />
    ) : (
      <Suspense fallback={<WordsOnly {...shown} />}>
        <Fetched {...shown} />
      </Suspense>
    );
  };
}

/** Only for errors: a not-found page is shown only after its code has loaded. */
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
