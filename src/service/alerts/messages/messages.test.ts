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

Open in the console: https://errors.example/_holdfast/1/issues/7
`);
  });

  it("is a mail that loads nothing, with the failing line marked and one button", () => {
    const html = asHtml(aMessage);
    expect(html).not.toMatch(/<(?:img|link|script|iframe)|url\(|@import/);
    expect(html.match(/href=/g)).toHaveLength(1);
    expect(html).toMatch(
      /class="bad edge"[^>]*>10<\/td><td class="failing"[^>]*>&nbsp;&nbsp;return cart\.items\.length;/,
    );
    // A line that wraps goes on two letters further in than it began.
    expect(html).toMatch(/padding:0 12px 0 29px;text-indent:-29px;[^>]*>&nbsp;&nbsp;return/);
    expect(html).toMatch(/padding:0 12px 0 14px;text-indent:-14px;[^>]*>export/);
    for (const text of ["New issue", "/cart", "shop@2.4.1", "1,200", "38", "7K2M-9QXC", "16 Nov 2026, 12:00 UTC"])
      expect(html).toContain(text);
  });

  it("lists what a summary is about, each with its link, and says how many more there are", () => {
    const item = { label: "New", text: "RangeError: Invalid time value", note: "3 events", link: `${aMessage.link}1` };
    const summary = { ...aMessage, source: undefined, items: [item], itemsInAll: 12 };
    expect(asText(summary)).toContain(
      `• New: RangeError: Invalid time value (3 events)\n  ${item.link}\n\nand 11 more\n`,
    );
    const html = asHtml(summary);
    expect(html).toContain(`href="${item.link}"`);
    expect(html).toContain("New · 3 events");
    expect(html).toContain("and 11 more");
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
