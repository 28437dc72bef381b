import type { ViteDevServer } from "vite";
import { expect, test } from "vitest";
import { printRefusals } from "./print-refusals.ts";

function sentencesAbout(...refusals: object[]): string[] {
  const said: string[] = [];
  const receivers: ((refusal: unknown) => void)[] = [];
  const server = {
    environments: { client: { hot: { on: (_name: string, receiver: () => void) => receivers.push(receiver) } } },
    config: { logger: { warn: (text: string) => said.push(text) } },
  };
  const { configureServer } = printRefusals();
  if (typeof configureServer !== "function") throw new Error("The plugin has no hook for the server.");
  configureServer.call(undefined as never, server as unknown as ViteDevServer);
  for (const refusal of refusals) for (const receive of receivers) receive(refusal);
  return said;
}

test("a refusal is printed once, with the advice that fits it", () => {
  const style = { directive: "style-src-elem", blocked: "inline", page: "/a" };
  const code = { directive: "script-src", blocked: "eval", page: "/a", source: "zod.js:263" };
  const image = { directive: "img-src", blocked: "https://images.example/a.png", page: "/a" };
  const [ofStyle, ofCode, ofImage, ...rest] = sentencesAbout(style, style, code, image, {});
  expect(ofStyle).toContain("refused a style written by a script on /a (style-src-elem). ");
  expect(ofStyle).toContain("Use a stylesheet");
  expect(ofCode).toContain("refused eval on /a (script-src, by zod.js:263). ");
  expect(ofCode).toContain("z.config({ jitless: true })");
  expect(ofCode).not.toContain("stylesheet");
  expect(ofImage).toContain("If the page needs it, allow it by `csp`");
  expect(rest).toEqual([]);
});
