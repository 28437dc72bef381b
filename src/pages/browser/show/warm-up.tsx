import { type ReactNode, useEffect } from "react";
import { flushSync } from "react-dom";
import { hydrateRoot } from "react-dom/client";

/**
 * Shows one small page after another in an element that is not in the document. Browsers compile a function when it is
 * first called, and hydration calls few of those by which React replaces a page: now they are compiled while the
 * browser is idle, not while the visitor waits for the first click.
 */
export function warmUpWhenIdle(): void {
  // Safari has no idle callbacks.
  if (typeof requestIdleCallback === "undefined") setTimeout(warmUp, 0);
  else requestIdleCallback(warmUp);
}

function warmUp(): void {
  const place = document.createElement("div");
  const root = hydrateRoot(place, null);
  // Hydrates it: React reports another page before that as an error.
  flushSync(() => root.render(null));
  for (const id of ["1", "2"])
    flushSync(() =>
      root.render(
        <p id={id}>
          <Page key={id} id={id} />
        </p>,
      ),
    );
  // Not a link, which a browser follows from here too. It bubbles to `place`, where React listens.
  place.querySelector("p")?.click();
  root.unmount();
}

function Page({ id }: { id: string }): ReactNode {
  useEffect(() => () => undefined);
  return (
    <i id={id}>
      {id}
      {[<b key={id}>{id}</b>]}
    </i>
  );
}
