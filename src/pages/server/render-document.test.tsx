import { Suspense, useId } from "react";
import { expect, test } from "vitest";
import { Link } from "../react/index.ts";
import { testApplication } from "./test-application.ts";

function Part() {
  return <i>{useId()}</i>;
}

test("a document rendered at once is the one that React's stream renders, with the same ids", async () => {
  let isBroken = false;
  await using app = await testApplication({
    "_layout.tsx": {
      default: ({ children }: { children: React.ReactNode }) => (
        <>
          <title>{"A & <b>"}</title>
          <meta name="description" content="d" />
          <header>
            <nav>
              <Link to="/">Home</Link>
            </nav>
            <Part />
          </header>
          <main>{children}</main>
          text at the end
        </>
      ),
    },
    "index.tsx": {
      default: function Page() {
        const id = useId();
        // React's string renderer gives up, and the stream, which comes next, does not.
        if (isBroken) {
          isBroken = false;
          throw new Error("for the string renderer");
        }
        return (
          <Suspense fallback="wait">
            <p id={id}>
              <b>one</b> {1}
            </p>
            {[1, 2].map((key) => (
              <Part key={key} />
            ))}
          </Suspense>
        );
      },
    },
  });
  const document = async (): Promise<string> => {
    const { text, status } = await app.ask("/", { headers: { "accept-encoding": "identity" } });
    expect(status).toBe(200);
    return text.replaceAll(/nonce="[^"]+"/g, 'nonce=""').replace(/<noscript><style>[^<]*<\/style><\/noscript>/, "");
  };
  const atOnce = await document();
  isBroken = true;
  const streamed = await document();
  expect(isBroken).toBe(false);
  expect(atOnce).toBe(streamed);
  expect(atOnce).toMatch(/^<!DOCTYPE html><html lang="en"><head>.*<\/head><body>.*<\/body><\/html>$/s);
});
