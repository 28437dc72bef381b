import { describe, expect, test } from "vitest";
import { readLanguages } from "#routes";
import { JsonLd } from "../react/json-ld.tsx";
import { OpenGraph } from "../react/open-graph.tsx";
import * as english from "../texts/english.ts";
import { robots } from "./author/robots.ts";
import { type SitemapOptions, sitemap } from "./author/sitemap.ts";
import { type TestOptions, testApplication } from "./test-application.ts";

const Page = () => <p>a</p>;
const says = () => new Response("");
const origin = "https://shop.example";

const name = '</script><script>alert(1)</script><!-- "é\u2028';
const Product = () => <JsonLd data={{ "@type": "Product", name, releaseDate: new Date(0), offers: undefined }} />;

const image = { src: "/_assets/a.jpg", width: 1_200, height: 630 };
const Shared = () => <OpenGraph title='Tea & "Co"' description="Tea" image={image} imageAlt="Cups" siteName="Shop" />;

const filesWith = (options: SitemapOptions) => ({
  "index.tsx": { default: Page },
  "about-us.tsx": { default: Page },
  "drafts/index.tsx": { default: Page },
  "drafts/old.tsx": { default: Page },
  "blog/[[page]].tsx": { default: Page },
  "orders/[id].tsx": { default: Page },
  "account/_layout.server.ts": { guard: () => undefined },
  "account/index.tsx": { default: Page },
  "feed.server.ts": { GET: says },
  "sitemap.xml.server.ts": { GET: sitemap(options) },
});

async function pathsOf(options: SitemapOptions, further: TestOptions = {}, path = "/sitemap.xml") {
  await using app = await testApplication(filesWith(options), { origin, ...further });
  const { status, text } = await app.ask(path);
  const listed = [...text.matchAll(/<loc>https:\/\/shop\.example([^<]*)<\/loc>/g)].map(([, one]) => one);
  return { status, text, listed, recorded: app.recorded.map(({ error }) => String(error)) };
}

describe("a sitemap", () => {
  test("a sitemap lists the pages without parameters that no guard protects", async () => {
    const { listed, text } = await pathsOf({ exclude: ["/drafts"] });
    expect(listed.sort()).toEqual(["/", "/about-us", "/blog"]);
    expect(text).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<urlset xmlns=/);
    expect((await pathsOf({ pages: "all" })).listed).toContain("/account");
    expect((await pathsOf({ pages: "none" })).listed).toEqual([]);
  });

  test("a sitemap lists entries with the time of their last change, in any letters", async () => {
    const entries = async function* () {
      yield "/orders/Größe?a=1&b=2";
      yield { path: "/orders/8", lastModified: new Date("2026-11-18T06:00:00Z") };
      yield { path: "/orders/9", lastModified: "2026-11-18" };
    };
    const { text } = await pathsOf({ pages: "none", entries });
    expect(text).toContain("<loc>https://shop.example/orders/Gr%C3%B6%C3%9Fe?a=1&amp;b=2</loc></url>");
    expect(text).toContain("/orders/8</loc><lastmod>2026-11-18T06:00:00.000Z</lastmod>");
    expect(text).toContain("/orders/9</loc><lastmod>2026-11-18</lastmod>");
  });

  test("a sitemap of many pages is an index of files within the limits", async () => {
    const entries = () => Array.from({ length: 7 }, (_, index) => `/orders/${index}`);
    const byUrls: SitemapOptions = { pages: "none", entries, limits: { urls: 3 } };
    expect((await pathsOf(byUrls)).listed).toEqual([1, 2, 3].map((part) => `/sitemap.xml?part=${part}`));
    expect((await pathsOf(byUrls, {}, "/sitemap.xml?part=3")).listed).toEqual(["/orders/6"]);
    expect((await pathsOf(byUrls, {}, "/sitemap.xml?part=4")).status).toBe(404);
    const byBytes: SitemapOptions = { pages: "none", entries, limits: { bytes: 300 } };
    const first = await pathsOf(byBytes, {}, "/sitemap.xml?part=1");
    expect(first.text.length).toBeLessThanOrEqual(300);
    expect(first.listed.length).toBeGreaterThan(0);
    expect(() => sitemap({ limits: { urls: 50_001 } })).toThrow(
      /limits\.urls of a sitemap is 50001.*\[wrong-sitemap-limit\]/,
    );
  });

  test("a sitemap names the addresses of a page in all its languages", async () => {
    const { languages } = readLanguages({ list: ["en", { lang: "de", except: ["/drafts"] }] });
    if (!languages) throw new Error("The languages are wrong.");
    const inTwo: TestOptions = { languages: { table: languages.table, texts: { en: english } } };
    const { listed, text } = await pathsOf({ exclude: ["/blog"], entries: () => ["/de/orders/7"] }, inTwo);
    expect(listed.sort()).toEqual(
      ["/", "/about-us", "/de", "/de/about-us", "/de/orders/7", "/drafts", "/drafts/old", "/orders/7"].sort(),
    );
    const links =
      '<xhtml:link rel="alternate" hreflang="en" href="https://shop.example/orders/7"/>' +
      '<xhtml:link rel="alternate" hreflang="de" href="https://shop.example/de/orders/7"/>' +
      '<xhtml:link rel="alternate" hreflang="x-default" href="https://shop.example/orders/7"/>';
    expect(text).toContain(`<url><loc>https://shop.example/de/orders/7</loc>${links}</url>`);
  });

  test("a sitemap refuses what is no path or no time, by its name", async () => {
    const wrong = await pathsOf({ entries: () => ["https://other.example/"] });
    expect(wrong.status).toBe(500);
    expect(wrong.recorded.join()).toContain('"https://other.example/"');
    const never = await pathsOf({ entries: () => [{ path: "/a", lastModified: "yesterday" }] });
    expect(never.recorded.join()).toContain('"yesterday"');
    await expect(sitemap()(new Request(origin))).rejects.toThrow(/\[sitemap-outside-request\]/);
  });
});

test("robots.txt has groups of rules, and whole addresses of sitemaps", async () => {
  const text = (options?: Parameters<typeof robots>[0]) => robots(options)(new Request(`${origin}/robots.txt`)).text();
  expect(await text()).toBe("User-agent: *\nDisallow:\n");
  const rules = [
    { disallow: ["/cart"], allow: ["/cart/help"] },
    { agents: ["A", "B"], disallow: ["/"] },
  ];
  expect(await text({ rules, sitemaps: ["/sitemap.xml"] })).toBe(
    "User-agent: *\nAllow: /cart/help\nDisallow: /cart\n\nUser-agent: A\nUser-agent: B\nDisallow: /\n\nSitemap: https://shop.example/sitemap.xml\n",
  );
  expect(() => robots({ rules: [{ disallow: ["/a\nAllow: /"] }] })).toThrow(/\[wrong-robots-line\]/);
});

test("structured data contains any text, and cannot end its element", async () => {
  await using app = await testApplication({ "index.tsx": { default: Product } });
  const { text } = await app.ask("/");
  const [, json = ""] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text) ?? [];
  expect(json).not.toContain("<");
  expect(JSON.parse(json)).toEqual({
    "@context": "https://schema.org",
    "@type": "Product",
    name,
    releaseDate: "1970-01-01T00:00:00.000Z",
  });
});

test("a preview of links has whole addresses, in the head of the document", async () => {
  await using app = await testApplication({ "tea.tsx": { default: Shared } }, { origin });
  const { text } = await app.ask("/tea?utm_source=a");
  const [head = ""] = text.split("</head>", 1);
  for (const [name, content] of Object.entries({
    title: "Tea &amp; &quot;Co&quot;",
    type: "website",
    url: "https://shop.example/tea",
    image: "https://shop.example/_assets/a.jpg",
    "image:width": "1200",
    "image:alt": "Cups",
    site_name: "Shop",
  }))
    expect(head).toContain(`<meta property="og:${name}" content="${content}"/>`);
  expect(head).toContain('<meta name="twitter:card" content="summary_large_image"/>');
});
