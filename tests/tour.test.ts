import { describe, expect, test } from "vitest";
import { contents, findGuide } from "../tour/src/server/guides.ts";
import { highlight } from "../tour/src/server/highlight.ts";
import { readMarkdown } from "../tour/src/server/markdown.ts";
import { searchGuides } from "../tour/src/server/search-guides.ts";

const asItIs = (href: string): string => href;

describe("the tour's documentation", () => {
  test("takes HTML in a guide as text, wherever it stands", () => {
    const blocks = readMarkdown('<script>alert(1)</script>\n\nan <img src="x"> and `<b>`\n\n- <i>item</i>', asItIs);
    expect(JSON.stringify(blocks)).toContain(JSON.stringify("<script>alert(1)</script>").slice(1, -1));
    const kinds = new Set(blocks.map(({ kind }) => kind));
    expect([...kinds]).toEqual(["paragraph", "list"]);
    expect(JSON.stringify(blocks)).toContain(JSON.stringify('<img src="x">').slice(1, -1));
  });

  test("colours code without changing it", () => {
    const code = 'import { a } from "b"; // why\nconst c = `d` + 2_000;\n<A b="c">text</A>';
    const pieces = highlight(code, "tsx");
    expect(pieces.map(([, text]) => text).join("")).toBe(code);
    expect(new Set(pieces.map(([kind]) => kind))).toEqual(new Set(["", "word", "text", "comment", "number", "tag"]));
    expect(highlight(code, "unknown")).toEqual([["", code]]);
  });

  test("leads from guide to guide by address, as the files do by name", () => {
    const names = contents.flatMap(({ guides }) => guides.map(({ name }) => name));
    expect(names.length).toBeGreaterThan(12);
    const [first = "", second] = names;
    expect(findGuide(first)?.next?.name).toBe(second);
    expect(JSON.stringify(findGuide(first)?.blocks)).toContain('"/docs/deployment"');
    expect(findGuide("no-such-guide")).toBeUndefined();
  });

  test("finds sections that have all the words, and says where they stand", () => {
    const hits = searchGuides("secret openssl");
    expect(hits.map(({ to }) => to)).toContain("/docs/guards-and-sessions#a-session");
    // A word in the heading counts for more than many in the text.
    const [best] = hits;
    expect(best?.to).toMatch(/^\/docs\/error-catalogue#.*secret-too-short$/);
    expect(best?.excerpt.filter((_, index) => index % 2 === 1).join(" ")).toMatch(/secret|openssl/i);
    expect(searchGuides("")).toEqual([]);
    expect(searchGuides("xyzzy")).toEqual([]);
    // Signs that mean something in an expression are letters like any other here.
    expect(searchGuides("(((")).toEqual([]);
  });
});
