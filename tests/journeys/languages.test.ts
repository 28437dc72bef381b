import { join } from "node:path";
import { expect } from "vitest";
import { root } from "../../scripts/root.js";
import * as english from "../../src/pages/texts/english.ts";
import { application, journey, type Visitor } from "../kit/index.ts";

const nav = `import { href, Link, useLanguage } from "holdfast";
export function Nav() {
  const { all } = useLanguage();
  return (
    <nav>
      <Link to="/">Start</Link> <Link to="/orders/[id]" params={{ id: 7 }}>Order</Link>{" "}
      <a href={href("/about", undefined, { tab: 1 })}>About</a> <Link to="/fails">Fails</Link>{" "}
      <Link to="/shown/[word]" params={{ word: "de" }}>Word</Link> <Link to="/about" lang="ar">Arabic about</Link>{" "}
      <Link to="/legal">Legal</Link> <Link to="/legal" lang="de">German legal</Link> <a href="/ar/legal">Arabic legal</a>{" "}
      {all.map(({ lang, href }) => <a key={lang} href={href} hrefLang={lang}>{"to " + lang}</a>)}
    </nav>
  );
}
`;

const shown = (title: string): string => `import { useLanguage } from "holdfast";
import { Nav } from "../nav.tsx";
export default () => <main><title>${title}</title><h1>${title} {useLanguage().lang}</h1><Nav /></main>;
`;

const test = journey({
  app: application({
    "holdfast.config.ts": `import * as english from ${JSON.stringify(join(root, "src/pages/texts/english.ts"))};
const texts = { ...english, applicationError: "خطأ في التطبيق", pageNotFound: "الصفحة غير موجودة" };
export default { languages: { list: ["en", "de", { lang: "ar", texts }], except: ["/legal"] } };
`,
    "src/nav.tsx": nav,
    "src/pages/index.tsx": shown("Start"),
    "src/pages/about.tsx": shown("About"),
    "src/pages/legal.tsx": shown("Legal"),
    "src/pages/fails.tsx": 'export default () => { throw new Error("broken"); };',
    "src/pages/shown/[word].tsx": `import { Nav } from "../../nav.tsx";
export default ({ params }: { params: { word: string } }) => <main><h1>Word {params.word}</h1><Nav /></main>;
`,
    "src/pages/orders/[id].tsx": `import { Form, useLanguage } from "holdfast";
import { Nav } from "../../nav.tsx";
export default ({ actions, params }: PageProps<"/orders/[id]">) => (
  <main>
    <h1>Order {params.id} {useLanguage().lang}</h1>
    <Form action={actions.say}>{(form) => <><button type="submit">Say</button><p>{String(form.result ?? "")}</p></>}</Form>
    <Form action={actions.leave}><button type="submit">Leave</button></Form>
    <Nav />
  </main>
);
`,
    "src/pages/orders/[id].server.ts": `import { action, redirect } from "holdfast/server";
export const actions = {
  say: action({ changesNothing: true }, ({ lang }) => "said in " + lang),
  leave: action({}, () => redirect("/about")),
};
`,
  }),
});

const html = ({ page }: Visitor): Promise<string> =>
  page.evaluate(() => `${document.documentElement.lang} ${document.documentElement.getAttribute("dir")}`);

const path = ({ page }: Visitor): string => new URL(page.url()).pathname;

test("links keep the language, another one can be chosen, and Back brings the earlier one", async ({ visit }) => {
  const visitor = await visit("/de");
  await visitor.sees("Start de");
  await visitor.isAwake();
  await visitor.clickLink("Order");
  await visitor.sees("Order 7 de");
  await visitor.clickLink("About");
  await visitor.sees("About de");
  expect(new URL(visitor.page.url()).href).toMatch(/\/de\/about\?tab=1$/);
  await visitor.clickLink("to ar");
  await visitor.sees("About ar");
  expect([path(visitor), await html(visitor)]).toEqual(["/ar/about", "ar rtl"]);
  await visitor.clickLink("Start");
  await visitor.sees("Start ar");
  await visitor.page.goBack();
  await visitor.page.goBack();
  await visitor.sees("About de");
  expect([path(visitor), await html(visitor)]).toEqual(["/de/about", "de null"]);
  await visitor.clickLink("to en");
  await visitor.sees("About en");
  expect([path(visitor), await html(visitor)]).toEqual(["/about", "en null"]);
  await visitor.clickLink("Arabic about");
  await visitor.sees("About ar");
  expect(visitor.documentsLoaded).toBe(1);
});

test("the name of a language is a value of a parameter like any other", async ({ visit }) => {
  const visitor = await visit("/");
  await visitor.isAwake();
  await visitor.clickLink("Word");
  await visitor.sees("Word de");
  expect(path(visitor)).toBe("/shown/~~de");
  await visitor.goTo("/shown/~~de");
  await visitor.sees("Word de");
});

test.for([true, false])(
  "forms answer and redirect in the language, scripts: %s",
  async (javaScriptEnabled, { visit }) => {
    const visitor = await visit("/de/orders/7", { javaScriptEnabled });
    await visitor.sees("Order 7 de");
    if (javaScriptEnabled) await visitor.isAwake();
    await visitor.pressButton("Say");
    await visitor.page.getByText("said in de").waitFor();
    await visitor.pressButton("Leave");
    await visitor.sees("About de");
    expect(path(visitor)).toBe("/de/about");
  },
);

test.for([true, false])(
  "the root leads a visitor from elsewhere to their language, and keeps what they choose, scripts: %s",
  async (javaScriptEnabled, { visit }) => {
    const visitor = await visit("/", { locale: "de-DE", javaScriptEnabled });
    await visitor.sees("Start de");
    expect(path(visitor)).toBe("/de");
    if (javaScriptEnabled) await visitor.isAwake();
    await visitor.clickLink("to en");
    await visitor.sees("Start en");
    expect(path(visitor)).toBe("/");
    const [cookie] = await visitor.page.context().cookies();
    expect([cookie?.name, cookie?.value]).toEqual(["holdfast-language", "en"]);
    await visitor.goTo("/");
    await visitor.sees("Start en");
    expect(path(visitor)).toBe("/");
  },
);

test("the head names the page in every language, also after a click", async ({ app, visit }) => {
  const read = (text: string): string[] =>
    [...text.matchAll(/<link rel="(?:canonical|alternate)"[^>]*>/g)].map(([one]) =>
      one.replaceAll(app.url, "").replaceAll(/<link rel="|"\/?>/g, ""),
    );
  const german = await (await fetch(`${app.url}/de/about?page=2&utm_source=mail`)).text();
  const about = (search: string): string[] => [
    `canonical" href="/de/about${search}`,
    `alternate" hrefLang="en" href="/about${search}`,
    `alternate" hrefLang="de" href="/de/about${search}`,
    `alternate" hrefLang="ar" href="/ar/about${search}`,
    `alternate" hrefLang="x-default" href="/about${search}`,
  ];
  expect(read(german)).toEqual(about("?page=2"));
  for (const missing of ["/de/nowhere", "/de/fails"])
    expect(read(await (await fetch(app.url + missing)).text())).toEqual([]);

  const visitor = await visit("/de");
  await visitor.isAwake();
  await visitor.clickLink("About");
  await visitor.sees("About de");
  const inHead = await visitor.page.evaluate(() =>
    [...document.querySelectorAll<HTMLLinkElement>("link[rel=canonical],link[rel=alternate]")].map(
      ({ hreflang, href }) => `${hreflang} ${new URL(href).pathname}${new URL(href).search}`,
    ),
  );
  expect(inHead.toSorted()).toEqual(
    [" /de/about", "ar /ar/about", "de /de/about", "en /about", "x-default /about"]
      .map((one) => `${one}?tab=1`)
      .toSorted(),
  );
});

test("a page that is not translated has one address and language, and is no choice of one", async ({ app, visit }) => {
  const visitor = await visit("/de");
  await visitor.isAwake();
  await visitor.clickLink("Legal");
  await visitor.sees("Legal en");
  expect([path(visitor), await html(visitor)]).toEqual(["/legal", "en null"]);
  expect(await visitor.page.locator("a[hreflang]").allTextContents()).toEqual(["Arabic about", "to en"]);
  expect(await visitor.page.context().cookies()).toEqual([]);
  await visitor.page.goBack();
  await visitor.sees("Start de");
  await visitor.clickLink("Arabic legal");
  await visitor.sees("Legal en");
  expect([path(visitor), visitor.documentsLoaded]).toEqual(["/legal", 1]);
  const document = await (await fetch(`${app.url}/ar/legal`)).text();
  expect(document.match(/<link rel="(?:canonical|alternate)"[^>]*>/g)).toEqual([
    `<link rel="canonical" href="${app.url}/legal"/>`,
  ]);
});

test("missing and failing pages are in the language, and their links lead on in it", async ({ visit }) => {
  const visitor = (await visit("/ar/nowhere")).expecting(/404/);
  await visitor.sees("الصفحة غير موجودة");
  await visitor.isAwake();
  expect(await html(visitor)).toBe("ar rtl");
  expect(await visitor.page.locator("nav a").last().getAttribute("href")).toBe("/ar");
  const failing = await visit("/de");
  await failing.isAwake();
  await failing.clickLink("Fails");
  await failing.sees("Anwendungsfehler");
  await failing.page.getByText("Schon gemeldet.").waitFor();
  expect([path(failing), await html(failing)]).toEqual(["/de/fails", "de null"]);
  await failing.clickLink("Startseite");
  await failing.sees("Start de");
  expect(path(failing)).toBe("/de");
});

test("the browser has the texts of the page's language only, and loads others with their pages", async ({
  app,
  visit,
}) => {
  const visitor = await visit("/de");
  await visitor.isAwake();
  const texts = (): string[] =>
    visitor
      .requestsFor(/_assets\/.*\.js/)
      .map(({ path: file }) => /\/((?:en|de|ar)-)[\w-]+\.js/.exec(file)?.[1] ?? "")
      .filter((name) => name !== "");
  expect(texts()).toEqual(["de-"]);
  for (const page of ["/", "/de"]) await preloadsWhatItImports(app.url + page);
  for (const { path: file } of visitor.requestsFor(/_assets\/.*\.js/))
    expect(await (await fetch(app.url + file)).text(), file).not.toContain(english.lostNotReceived);
  await visitor.clickLink("to ar");
  await visitor.sees("Start ar");
  expect(texts()).toEqual(["de-", "ar-"]);
  await visitor.expecting(/./).page.context().setOffline(true);
  await visitor.enterLink("About");
  await visitor.page.getByRole("alert").getByText("Connection lost. Trying again.").waitFor();
  await visitor.page.context().setOffline(false);
  await visitor.sees("About ar");
});

/** A file that another one imports is otherwise requested only once that has arrived, before the page is alive. */
async function preloadsWhatItImports(page: string): Promise<void> {
  const html = await (await fetch(page)).text();
  const files = [...html.matchAll(/<link rel="modulepreload" href="([^"]+)"/g)].map(([, file = ""]) => file);
  expect(
    files.some((file) => /\/(?:en|de)-/.test(file)),
    `${page} preloads ${files.join(" ")}`,
  ).toBe(true);
  for (const file of files)
    for (const [, name] of (await (await fetch(new URL(file, page))).text()).matchAll(/\bfrom ?"\.\/([^"]+)"/g))
      expect(files, `${file}, on ${page}`).toContain(`/_assets/${name}`);
}
