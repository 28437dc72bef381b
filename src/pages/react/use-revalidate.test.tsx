import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import { useRevalidate } from "./use-revalidate.ts";

function Page({ every }: { every: number }) {
  useRevalidate({ every });
  return <p>shown</p>;
}

test("useRevalidate accepts a second to a day", () => {
  for (const every of [1_000, 86_400_000]) expect(renderToString(<Page every={every} />)).toBe("<p>shown</p>");
  for (const every of [999, 0, -1, 86_400_001, Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => renderToString(<Page every={every} />)).toThrow(/every: /);
});
