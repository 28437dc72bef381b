import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Comment } from "../parts/issue/comment.tsx";
import { readComment } from "./comment-text.ts";

const issues = new Map([[12, "/1/issues/12"]]);

/** The comment as the browser gets it. */
function html(text: string): string {
  return renderToStaticMarkup(createElement(Comment, { of: readComment(text, issues) }));
}

describe("a comment", () => {
  it.each([
    ["two\nlines\n\nand a paragraph", "<p>two\nlines</p><p>and a paragraph</p>"],
    ["**bold**, *leaning* and _leaning_", "<p><strong>bold</strong>, <em>leaning</em> and <em>leaning</em></p>"],
    ["***both*** and *a **b** c*", "<p><strong><em>both</em></strong> and <em>a <strong>b</strong> c</em></p>"],
    ["snake_case_name, 2 * 3 * 4, **open", "<p>snake_case_name, 2 * 3 * 4, **open</p>"],
    ["`a * b` and ``a ` b``", "<p><code>a * b</code> and <code>a ` b</code></p>"],
    ["```ts\nconst a = `1`;\n**no**\n```\nafter", "<pre>const a = `1`;\n**no**</pre><p>after</p>"],
    ["~~~\nno end", "<pre>no end</pre>"],
    ["- one\n  goes on\n- two\n\nend", "<ul><li>one\ngoes on</li><li>two</li></ul><p>end</p>"],
    ["3. three\n4) four", '<ol start="3"><li>three</li><li>four</li></ol>'],
    ["It was in\n2026. A good year.", "<p>It was in\n2026. A good year.</p>"],
    ["> said\n> - a\n\nanswer", "<blockquote><p>said</p><ul><li>a</li></ul></blockquote><p>answer</p>"],
    ["\\*no\\* \\`no\\` \\#12 c:\\dir", "<p>*no* `no` #12 c:\\dir</p>"],
    ["# no heading", "<p># no heading</p>"],
    ["", ""],
  ])("%j becomes %j", (text, expected) => {
    expect(html(text)).toBe(expected);
  });

  const outside = (to: string, text: string) => `<a href="${to}" rel="nofollow noopener">${text}</a>`;

  it.each([
    ["see https://shop.test/a?b=1.", `see ${outside("https://shop.test/a?b=1", "https://shop.test/a?b=1")}.`],
    ["(http://shop.test)", `(${outside("http://shop.test/", "http://shop.test")})`],
    ["[**a** b](https://shop.test/)", outside("https://shop.test/", "<strong>a</strong> b")],
    ["[mail](mailto:ops@shop.test)", outside("mailto:ops@shop.test", "mail")],
    ["[https://a.test](https://b.test)", outside("https://b.test/", "https://a.test")],
  ])("links %j", (text, expected) => {
    expect(html(text)).toBe(`<p>${expected}</p>`);
  });

  it("links the issues that exist, and no other number", () => {
    expect(html("#12, (#12) #13 a#12 #12a /#12 [x #12](https://a.test)")).toBe(
      `<p><a href="/1/issues/12">#12</a>, (<a href="/1/issues/12">#12</a>) #13 a#12 #12a /#12 ${outside("https://a.test/", "x #12")}</p>`,
    );
    expect(html("`#12`\n```\n#12\n```")).not.toContain("href");
  });
});

describe("a hostile comment", () => {
  it.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "**<svg onload=alert(1)>**",
    '[<b>x</b>](https://a.test/"onmouseover=alert(1))',
    "```\n</pre><script>alert(1)</script>\n```",
    "> <iframe src=https://evil.test></iframe>",
    "- <a href=javascript:alert(1)>x</a>",
    "&lt;script&gt; &#60;script&#62;",
    '`"><script>alert(1)</script>`',
  ])("%j has no element and no attribute of its own", (text) => {
    const known =
      /<\/?(?:p|pre|blockquote|ul|li|code|strong|em)>|<a href="https?:[^"<>]*" rel="nofollow noopener">|<\/a>/g;
    const rest = html(text).replace(known, "");
    expect(rest).not.toMatch(/[<>]/);
  });

  it.each([
    "[x](javascript:alert(1))",
    "[x](javascript:alert%281%29)",
    "[x](JaVaScRiPt:alert`1`)",
    "[x](\u0001javascript:alert`1`)",
    "[x](java\tscript:alert`1`)",
    "[x](data:text/html,hello)",
    "[x](vbscript:x)",
    "[x](file:///etc/passwd)",
    "[x](//evil.test)",
    "[x](/1/settings)",
    "[x](https:evil.test)",
    "[x](https://)",
    "[x](https://[)",
    "![x](javascript:alert`1`)",
    "javascript:alert(1)",
    "xhttps://a.test",
  ])("%j is no link", (text) => {
    expect(html(text)).not.toContain("<a ");
  });

  it("an image is a link at most, so that reading a comment loads nothing", () => {
    expect(html("![x](https://evil.test/p.gif)")).toBe(
      '<p>!<a href="https://evil.test/p.gif" rel="nofollow noopener">x</a></p>',
    );
  });

  it.each([
    ["quotes", "> ".repeat(2_000)],
    ["emphasis", "*a **b ".repeat(600)],
    ["stars", "*".repeat(4_000)],
    ["open emphasis", "*a ".repeat(1_333)],
    ["words in emphasis", "_a*b_c*".repeat(571)],
    ["backticks", Array.from({ length: 88 }, (_, n) => "`".repeat(n + 1)).join(" ")],
    ["brackets", "[".repeat(4_000)],
    ["open links", "[a](".repeat(1_000)],
    ["lists", "- ".repeat(2_000)],
    ["backslashes", "\\".repeat(4_000)],
    ["fences", "```\n".repeat(1_000)],
    ["addresses", "https://a.test/".repeat(266)],
    ["numbers", "#12 ".repeat(1_000)],
  ])("%s without end are read, and at most six levels deep", (_name, text) => {
    const depthOf = (parts: ReturnType<typeof readComment>): number =>
      Math.max(0, ...parts.map((part) => (typeof part === "string" ? 0 : 1 + depthOf([...part.of]))));
    expect(depthOf(readComment(text, issues))).toBeLessThanOrEqual(6);
  });
});
