import { describe, expect, test } from "vitest";
import { readHydrationMismatch } from "./hydration-mismatch.ts";

const explained = `Hydration failed because the server rendered text didn't match the client. As a result this tree will be regenerated on the client. This can happen if a SSR-ed Client Component used:

- A server/client branch \`if (typeof window !== 'undefined')\`.
- Date formatting in a user's locale which doesn't match the server.

https://react.dev/link/hydration-mismatch

  <html lang="en">
    <Day date={Date}>
      <time>
`;

describe("a hydration mismatch", () => {
  test.each([
    [
      "+       Sat Feb 28 2026\n-       Sun Mar 01 2026\n",
      "The server rendered “Sun Mar 01 2026”, and the browser “Sat Feb 28 2026”.",
    ],
    ["+       <p>\n-       <div>\n", "The server rendered <div>, and the browser <p>."],
    [
      '+       className="day"\n-       className="night"\n',
      'The server rendered className="night", and the browser className="day".',
    ],
    ["+       <p>\n", "The browser rendered <p>, which the server had not."],
    ["-       <p>\n", "The server rendered <p>, which the browser did not."],
    ["", "The browser rendered something else than the server."],
  ])("is one sentence, whatever differs: %j", (difference, sentence) => {
    const mismatch = readHydrationMismatch(explained + difference);
    expect(mismatch?.message).toBe(sentence);
    expect(mismatch?.details).toContain("- A server/client branch");
    expect(mismatch?.details).toContain(difference.trimEnd());
    expect(mismatch?.details).not.toContain("Hydration failed because");
  });

  test("is no other error", () => {
    expect(readHydrationMismatch("+ 1 is not - 1")).toBeUndefined();
  });
});
