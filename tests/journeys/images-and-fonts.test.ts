import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { expect } from "vitest";
import { root } from "../../scripts/root.js";
import { application, journey, type Visitor, withoutJavaScript } from "../kit/index.ts";

/** The same bytes in each run, so that the application is built once. */
const drawn = (width: number, height: number, colour: string) =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs><radialGradient id="a"><stop stop-color="${colour}"/><stop offset="1" stop-color="#124"/></radialGradient></defs><rect width="100%" height="100%" fill="url(#a)"/></svg>`,
    ),
  );

const app = application({
  "holdfast.config.ts": "export default { images: { widths: [400, 800, 1280, 2560], quality: { jpeg: 70 } } };\n",
  "src/harbour.jpg": await drawn(2_560, 640, "#e84").jpeg({ quality: 95 }).toBuffer(),
  "src/upright.jpg": await drawn(600, 300, "#4a8").withMetadata({ orientation: 6 }).jpeg({ quality: 95 }).toBuffer(),
  "src/logo.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 20"><rect width="60" height="20"/></svg>',
  "src/inter.woff2": readFileSync(
    join(root, "node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"),
  ),
  "src/look.css": `body { margin: 0 } img { max-width: 100%; height: auto }
article { width: 620px; font-size: 17px } .adjusted { font-family: Inter, "Inter Fallback" } .other { font-family: Inter, serif }
`,
  "src/pages/_layout.tsx":
    'import "../look.css"; export default ({ children }: LayoutProps<"/">) => <main>{children}</main>;',
  "src/pages/index.tsx": `import { Image, Link } from "holdfast";
import harbour from "../harbour.jpg?image";
import logo from "../logo.svg?image";
import upright from "../upright.jpg?image";
export default function Home() {
  return (
    <>
      <Image src={harbour} alt="Harbour" sizes="100vw" priority />
      <h1>Below the harbour</h1>
      <Image src={logo} alt="Logo" />
      <p>Between</p>
      <Image src={upright} alt="Upright" width={200} />
      <p>Last</p>
      <Link to="/far">Far</Link>
    </>
  );
}
`,
  "src/pages/far.tsx": `import { Image, JsonLd, OpenGraph } from "holdfast";
import upright from "../upright.jpg?image";
export default function Far() {
  return (
    <>
      <h1>Far</h1>
      <OpenGraph title="Far away" image={upright} />
      <JsonLd data={{ "@type": "Thing", name: "</script><script>document.title = 'run'</script>" }} />
      <div style={{ height: 9000 }} />
      <Image src={upright} alt="Upright" />
    </>
  );
}
`,
  "src/letter.tsx": `import { Font } from "holdfast";
import inter from "./inter.woff2?font";
const text =
  "The build reads how wide the letters of a font are and how high its lines. Until the font is there, a font of the system is shown in its place. ";
export function Letter({ className }: { className: string }) {
  return (
    <article className={className}>
      <Font src={inter} />
      <h1>Letter</h1>
      {[1, 2, 3, 4, 5].map((number) => <p key={number}>{text.repeat(2)}</p>)}
      <p>The end</p>
    </article>
  );
}
`,
  "src/pages/letter.tsx": `import { Letter } from "../letter.tsx";
export default () => <Letter className="adjusted" />;
`,
  "src/pages/unadjusted.tsx": `import { Letter } from "../letter.tsx";
export default () => <Letter className="other" />;
`,
});

const test = journey({ app });

/** Waits until every image near the window has loaded. */
async function imagesLoaded(page: Page): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => [...document.images].every((image) => image.complete && image.naturalWidth > 0)))
    .toBe(true);
}

const chosen = (page: Page, alt: string): Promise<string> =>
  page.getByAltText(alt).evaluate((image: HTMLImageElement) => new URL(image.currentSrc).pathname);

/** The sum of layout shifts, and where the last paragraph is. */
const layout = (page: Page) =>
  page.evaluate(async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    let shifts = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts += (entry as PerformanceEntry & { value: number }).value;
    }).observe({ type: "layout-shift", buffered: true });
    // Entries are delivered after the next frame.
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(shifts))));
    const last = [...document.querySelectorAll("p")].at(-1)?.getBoundingClientRect().top;
    return { shifts: await promise, last };
  });

test("nothing moves when images arrive late, and a preview is in their place", async ({ visit, proxy }) => {
  const gate = proxy.when(/\.(?:avif|webp|jpg|svg)$/).hold();
  const visitor = await visit("/far");
  const page = visitor.page;
  await page.goto(`${proxy.url}/`, { waitUntil: "commit" });
  await gate.taken();
  await visitor.sees("Below the harbour");
  const before = await layout(page);
  const preview = await page.getByAltText("Harbour").evaluate((image) => getComputedStyle(image).backgroundImage);
  expect(preview).toMatch(/^url\("data:image\/webp;base64,/);
  gate.release();
  await imagesLoaded(page);
  expect(await layout(page)).toEqual({ shifts: 0, last: before.last });
  expect(before.shifts).toBe(0);
});

test.for([
  { width: 390, deviceScaleFactor: 1, version: 400 },
  { width: 390, deviceScaleFactor: 2, version: 800 },
  { width: 1_280, deviceScaleFactor: 1, version: 1_280 },
  { width: 1_280, deviceScaleFactor: 2, version: 2_560 },
])("$width points of $deviceScaleFactor pixels load the version of $version", async (screen, { visit }) => {
  const { width, deviceScaleFactor, version } = screen;
  const { page } = await visit("/", { viewport: { width, height: 900 }, deviceScaleFactor });
  await imagesLoaded(page);
  expect(await chosen(page, "Harbour")).toMatch(new RegExp(`^/_assets/harbour-${version}-[\\w-]{8}\\.avif$`));
});

test("an image with priority is preloaded, and is requested once", async ({ visit, proxy }) => {
  const { page } = await visit("/");
  await imagesLoaded(page);
  const head = await page.evaluate(() => document.head.querySelector("link[rel=preload][as=image]")?.outerHTML);
  expect(head).toContain('fetchpriority="high"');
  expect(head).toContain('type="image/avif"');
  expect(proxy.requestsFor(/harbour/)).toHaveLength(1);
});

test("images far below wait, also after a soft navigation", async ({ visit, proxy }) => {
  const visitor = await visit("/", { viewport: { width: 390, height: 300 } });
  await visitor.isAwake();
  const before = proxy.requestsFor(/upright/).length;
  await visitor.clickLink("Far");
  await visitor.sees("Far");
  expect(visitor.documentsLoaded).toBe(1);
  expect(proxy.requestsFor(/upright/)).toHaveLength(before);
  await visitor.page.getByAltText("Upright").scrollIntoViewIfNeeded();
  await imagesLoaded(visitor.page);
});

test("images need no script, and have their size in the document", async ({ visit }) => {
  const { page } = await visit("/", withoutJavaScript);
  await imagesLoaded(page);
  const sizes = await page
    .locator("img")
    .evaluateAll((images) =>
      images.map((image) => [image.getAttribute("width"), image.getAttribute("height"), image.getAttribute("loading")]),
    );
  // The second photo is turned by its Exif data.
  expect(sizes).toEqual([
    ["2560", "640", null],
    ["60", "20", "lazy"],
    ["200", "400", "lazy"],
  ]);
});

test("a build makes all versions, without the metadata of the photo", async () => {
  const files = readdirSync(join(root, app, "dist/browser/_assets"));
  expect(files.filter((name) => /^harbour-\d+-.{8}\.(?:avif|webp)$/.test(name))).toHaveLength(8);
  const [fallback = ""] = files.filter((name) => /^upright-.{8}\.jpg$/.test(name));
  const { width, height, exif } = await sharp(join(root, app, "dist/browser/_assets", fallback)).metadata();
  expect({ width, height, exif }).toEqual({ width: 300, height: 600, exif: undefined });
});

/** Shows a page whose font arrives late, and how much moves then. */
async function withLateFont({ page, proxy }: Visitor, path: string): Promise<{ shifts: number; moved: number }> {
  const gate = proxy.when(/inter-.*\.woff2$/).hold();
  await page.goto(proxy.url + path, { waitUntil: "commit" });
  await gate.taken();
  await page.getByRole("heading", { name: "Letter" }).waitFor();
  const before = await layout(page);
  gate.release();
  await expect
    .poll(() =>
      page.evaluate(() =>
        [...document.fonts].some((face) => face.family.includes("Inter") && face.status === "loaded"),
      ),
    )
    .toBe(true);
  await page.evaluate(() => document.fonts.ready);
  const after = await layout(page);
  return { shifts: after.shifts, moved: Math.abs((after.last ?? 0) - (before.last ?? 0)) };
}

test("nothing moves when a font arrives late, because its fallback has the same size", async ({ visit }) => {
  const visitor = await visit("/far");
  const adjusted = await withLateFont(visitor, "/letter");
  expect(adjusted.shifts).toBe(0);
  expect(adjusted.moved).toBeLessThan(3);
  // The same page with another fallback does move, so this test would notice.
  const other = await visit("/far");
  expect((await withLateFont(other, "/unadjusted")).shifts).toBeGreaterThan(0);
});

test("a font is preloaded in the head, and requested once", async ({ visit, proxy }) => {
  const { page } = await visit("/letter");
  await page.evaluate(() => document.fonts.ready);
  const preload = page.locator("head link[rel=preload][as=font]");
  expect(await preload.getAttribute("href")).toMatch(/^\/_assets\/inter-.{8}\.woff2$/);
  expect(await preload.getAttribute("crossorigin")).toBe("");
  expect(proxy.requestsFor(/\.woff2$/)).toHaveLength(1);
});

test("previews of links and structured data follow a soft navigation, and the policy has nothing against them", async ({
  visit,
}) => {
  const visitor = await visit("/");
  await visitor.isAwake();
  await visitor.clickLink("Far");
  await visitor.sees("Far");
  expect(visitor.documentsLoaded).toBe(1);
  for (const again of [false, true]) {
    if (again) await visitor.goTo("/far");
    const { page } = visitor;
    expect(await page.locator('head meta[property="og:url"]').getAttribute("content")).toMatch(/^http.*\/far$/);
    const json = JSON.parse((await page.locator('script[type="application/ld+json"]').textContent()) ?? "");
    expect(json.name).toContain("</script>");
    expect(await page.title()).not.toBe("run");
  }
});
