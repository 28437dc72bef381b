import { marked } from "marked";
import { describe, expect, it } from "vitest";
import { type AlertMessage, cut, sourceText } from "./alert-message.ts";
import { asHtml } from "./as-html.ts";
import { asMarkdown } from "./as-markdown.ts";
import { asText } from "./as-text.ts";
import { aMessage } from "./message-examples.ts";

const hostile: AlertMessage = {
  ...aMessage,
  title: "<script>alert(1)</script> @channel **bold** [x](https://evil.example)\nBcc: all@example.org",
  route: "/`a`|b",
};

describe("a message", () => {
  it("has the failing line, the facts and the link as text", () => {
    expect(asText(aMessage)).toBe(`New issue: TypeError: Cannot read properties of undefined (reading 'items')

src/cart.ts:10
   9 | export function totalOf(cart: Cart) {
> 10 |   return cart.items.length;
  11 | }

Project: Shop
Route: /cart
Release: shop@2.4.1
Environment: production
Events: 1,200
Visitors: 38
Digest: 7K2M-9QXC

https://errors.example/_holdfast/1/issues/7
`);
  });

  it("shows hostile text as text, in Markdown and in HTML", async () => {
    const rendered = await marked(asMarkdown(hostile));
    expect(rendered).not.toMatch(/<script|<b>|href="https:\/\/evil/);
    expect(rendered).toContain(`href="${aMessage.link}"`);
    expect(asMarkdown(hostile)).not.toMatch(/@channel/);
    const html = asHtml(hostile);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(html).not.toContain("<script");
  });

  it("is cut by characters, and its source has a mark before the failing line", () => {
    expect(cut("abcdef", 4)).toBe("abc…");
    expect(cut("ab😀😀", 4)).toBe("ab…");
    expect(cut("abcd", 4)).toBe("abcd");
    expect(sourceText({ file: "a.ts", lines: [{ number: 1, text: "x", isFailing: true }] })).toBe("> 1 | x");
  });
});
