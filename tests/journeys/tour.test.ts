import { readFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { groups } from "../../tour/src/try/experiments.ts";
import {
  inKolkata,
  inLongRuns,
  inNewYork,
  inTheDark,
  isLong,
  journey,
  onAPhone,
  runHoldfast,
  type Visitor,
  withoutJavaScript,
} from "../kit/index.ts";

const test = journey({ app: "tour" });

/** Pages that fail on every request. */
const broken: ReadonlySet<string> = new Set(
  ["load", "value", "render", "layout", "error-page"].map((what) => `/try/break/${what}`),
);
/** Expected statuses other than 200 of the tour's links. */
const meant: ReadonlyMap<string, number> = new Map([
  ...[...broken].map((path) => [path, 500] as const),
  ...["/try/orders/10", "/no-such-page", "/docs/errors/no-such-code"].flatMap(
    (path) =>
      [
        [path, 404],
        [`${path}/_data`, 404],
      ] as const,
  ),
  ...["null", "text", "frozen", "trap", "loop"].map((what) => [`/try/break/anything?what=${what}`, 500] as const),
  ["/try/gate/prices", 500],
  ["/try/answer/desk", 500],
  ["/try/orders/%2537", 400],
  ...["", "/de", "/ar"].flatMap(
    (prefix) =>
      [
        [`${prefix}/languages/nowhere`, 404],
        [`${prefix}/languages/storm`, 500],
      ] as const,
  ),
]);
/** Pages whose late part or first render fails. */
const breaksLater: ReadonlySet<string> = new Set(["/try/break/late", "/try/break/hydration"]);

/**
 * One item of the shelf and one page of the list are enough, no test waits twelve seconds, and the console has its own
 * tests.
 */
const passedOver = /^\/try\/slow\?|^\/try\/list\?|^\/try\/shelf\/(?!1$)|^\/_holdfast\/./;

const experiments = groups.flatMap((group) => group.experiments.map(({ path }) => path));
const sources = new Map(groups.flatMap((group) => group.experiments.map(({ path, sources }) => [path, sources])));
const guides = ["tutorial", "navigation", "reference", "error-catalogue", "specification"].map(
  (name) => `/docs/${name}`,
);
const pages = [
  "/",
  "/try",
  ...experiments,
  "/try/sign-in",
  "/try/shelf/1",
  "/languages",
  "/de/languages/bay",
  "/ar/languages",
  "/docs",
  "/docs/search?q=digest",
  ...guides,
];

describe("the tour", () => {
  test("can be read from end to end by its links, without a dead one", { timeout: 240_000 }, async ({ app }) => {
    const seen = new Map<string, number>();
    const found: [path: string, from: string][] = [["/", "the address bar"]];
    const nowhere: string[] = [];
    for (const [path, from] of found) {
      if (seen.has(path)) continue;
      const answer = await fetch(app.url + path, { headers: { accept: "text/html" } });
      const html = answer.headers.get("content-type")?.startsWith("text/html") ? await answer.text() : "";
      seen.set(path, answer.status);
      if (answer.status !== (meant.get(path) ?? 200)) nowhere.push(`${from} leads to ${path} (${answer.status})`);
      for (const source of sources.get(path) ?? [])
        if (!html.includes(`tour/src/${source}`)) nowhere.push(`${path} does not show ${source}`);
      for (const [, href = ""] of html.matchAll(/<a [^>]*?href="(\/[^"#]*)/g))
        if (!passedOver.test(href)) found.push([href.replaceAll("&amp;", "&"), path]);
    }
    expect(nowhere).toEqual([]);
    for (const path of [...experiments, ...guides]) expect(seen.has(path), path).toBe(true);
    for (const path of meant.keys()) expect(seen.has(path), path).toBe(true);
  });

  const some = ["/", "/try/form", "/try/live", "/try/prefetch", "/try/break/load", "/ar/languages", "/docs/reference"];
  // The pages share a layout, and the walk along the links asks for each of them. A long run opens all.
  const opened = isLong ? pages : some;

  test("is complete without JavaScript", { timeout: 240_000 }, async ({ visit }) => {
    const visitor = await visit("/", withoutJavaScript);
    for (const path of opened) {
      if (broken.has(path)) visitor.expecting(/500/);
      await visitor.goTo(path);
      expect(await visitor.page.locator("h1").count(), path).toBe(1);
      expect((await visitor.page.locator("main").textContent())?.length, path).toBeGreaterThan(80);
    }
  });

  const wide = { viewport: { width: 1280, height: 800 } };
  // Each width, each colour and each zone is in the two looks of a short run.
  const looks = [
    ["a wide window by day, in New York", { ...wide, ...inNewYork }],
    ["a telephone by night, in Kolkata", { ...onAPhone, ...inTheDark, ...inKolkata }],
    ...inLongRuns(
      ["a wide window by night", { ...wide, ...inTheDark }] as const,
      ["a telephone by day", onAPhone] as const,
    ),
  ] as const;

  test.for(looks)("is accessible and fits into %s", { timeout: 240_000 }, async ([, look], { visit }) => {
    const visitor = await visit("/", look);
    const { page } = visitor;
    visitor.expecting(/500/);
    for (const path of opened) {
      await visitor.goTo(path);
      await page.locator("h1").first().waitFor();
      if (path === "/try/break/hydration") {
        // The page reports it after it is shown; leaving it sooner would miss it.
        await expect.poll(() => visitor.surprises().join()).toContain("hydration error");
        visitor.expecting(/hydration error/);
      }
      expect(await visitor.accessibilityProblems(), path).toEqual([]);
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(beyond, `${path} is wider than the window`).toBeLessThanOrEqual(0);
    }
  });
});

describe("the pages in three languages", () => {
  const html = ({ page }: Visitor): Promise<string> =>
    page.evaluate(() => `${document.documentElement.lang} ${document.documentElement.dir}`);

  test.for([true, ...inLongRuns(false)])(
    "pages change their language and direction by a link, and by Back, scripts: %s",
    async (javaScriptEnabled, { visit }) => {
      const visitor = await visit("/try/languages", { javaScriptEnabled });
      if (javaScriptEnabled) await visitor.isAwake();
      await visitor.clickLink("/de/languages");
      await visitor.sees("Fähren ab Hafen Holm");
      await visitor.clickLink("Robbenbucht");
      await visitor.sees("Robbenbucht");
      await visitor.page.getByText("14 freie Plätze").waitFor();
      await visitor.clickLink("العربية");
      await visitor.sees("خليج الفقمات");
      expect([new URL(visitor.page.url()).pathname, await html(visitor)]).toEqual(["/ar/languages/bay", "ar rtl"]);
      const brand = await visitor.page.getByRole("link", { name: "Holdfast", exact: true }).boundingBox();
      expect(brand?.x, "the frame begins on the right").toBeGreaterThan(640);
      await visitor.page.goBack();
      await visitor.sees("Robbenbucht");
      expect(await html(visitor)).toBe("de ");
      await visitor.clickLink("English");
      await visitor.sees("Seal Bay");
      // The experiment and the guides have one address.
      await visitor.page.goBack();
      await visitor.clickLink("Über diesen Versuch");
      await visitor.sees("Three languages");
      expect([new URL(visitor.page.url()).pathname, await html(visitor)]).toEqual(["/try/languages", "en "]);
      if (javaScriptEnabled) expect(visitor.documentsLoaded).toBe(1);
    },
  );

  test("pages that are missing or fail are in the language of their address", async ({ visit }) => {
    const visitor = (await visit("/de/languages")).expecting(/404|500/);
    await visitor.isAwake();
    await visitor.clickLink("Eine Fähre, die es nicht gibt");
    await visitor.sees("Seite nicht gefunden");
    await visitor.clickLink("Alle Fähren");
    await visitor.clickLink("Eine Seite, die scheitert");
    await visitor.sees("Anwendungsfehler");
    await visitor.page.getByText("Schon gemeldet.").waitFor();
    expect(await html(visitor)).toBe("de ");
    await visitor.goTo("/ar/no-such-page");
    await visitor.sees("الصفحة غير موجودة");
    expect(await html(visitor)).toBe("ar rtl");
  });

  test("only pages that are translated name other languages", async ({ app }) => {
    const languagesOf = async (path: string): Promise<string[]> => {
      const text = await (await fetch(app.url + path)).text();
      return [...text.matchAll(/<link rel="alternate" hrefLang="([^"]*)"/g)].map(([, lang = ""]) => lang);
    };
    expect(await languagesOf("/de/languages/bay")).toEqual(["en", "de", "ar", "x-default"]);
    for (const path of ["/", "/docs/languages", "/try/languages"]) expect(await languagesOf(path)).toEqual([]);
  });
});

describe("an experiment", () => {
  test("an experiment with lamps shows in one tab what another switches, and goes on after a cut", async ({
    visit,
    proxy,
  }) => {
    const [one, two] = [await visit("/try/live"), await visit("/try/live")];
    const lamp = ({ page }: Visitor, number: number) =>
      page.getByRole("button", { name: `Lamp ${number}`, exact: true });
    for (const { page } of [one, two]) await page.getByRole("status").getByText("● Connected, 2 tabs here").waitFor();
    await lamp(one, 3).click();
    await two.page.locator('[aria-pressed="true"]', { hasText: "Lamp 3" }).waitFor();
    await two.page.getByText("Lamp 3 on").waitFor();
    // Dropped by the server, it comes back by itself.
    await one.pressButton("Drop my connection");
    await one.page.getByRole("status").getByText("Connection lost, reconnecting").waitFor();
    await one.page.getByRole("status").getByText("● Connected, 2 tabs here").waitFor();
    // Cut in the network: what is switched meanwhile is sent afterwards, and the feed misses nothing.
    for (const visitor of [one, two]) visitor.expecting(/WebSocket|ERR_|net::/);
    await proxy.offline();
    await one.page.getByRole("status").getByText("Connection lost, reconnecting").waitFor();
    await lamp(one, 4).click();
    await one.page.getByRole("status").getByText("1 switch waits for it").waitFor();
    await proxy.online();
    await two.page.locator('[aria-pressed="true"]', { hasText: "Lamp 4" }).waitFor();
    await two.page.getByText("Lamp 4 on").waitFor();
    await one.page.getByRole("status").getByText("● Connected, 2 tabs here").waitFor();
  });

  test("an experiment with lamps works without JavaScript, and says that it is not live", async ({ visit }) => {
    const visitor = await visit("/try/live", withoutJavaScript);
    await visitor.page.locator("noscript p").waitFor();
    expect(await visitor.page.getByRole("status").count()).toBe(0);
    await visitor.pressButton("Lamp 9");
    await visitor.page.locator('[aria-pressed="true"]', { hasText: "Lamp 9" }).waitFor();
    await visitor.page.getByText("Lamp 9 on").waitFor();
  });

  test("an experiment with an upload shows the share that was sent, and what arrived", async ({ visit }) => {
    const visitor = await visit("/try/upload");
    await visitor.isAwake();
    await visitor.pressButton("Choose 20 MB of zeros for me");
    await visitor.pressButton("Send");
    const share = () => visitor.page.getByRole("progressbar", { name: "Sent" }).getAttribute("value");
    await expect.poll(async () => Number(await share())).toBeGreaterThan(0);
    await visitor.page.getByText("20000000 bytes arrived").waitFor();
    const plain = await visit("/try/upload", withoutJavaScript);
    await plain.page
      .getByLabel("A file")
      .setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") });
    await plain.pressButton("Send");
    // The SHA-256 of the letter a.
    await plain.page.getByText("ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb").waitFor();
  });

  test("an experiment with a form keeps what was typed, with and without JavaScript", async ({ visit }) => {
    for (const options of [{}, withoutJavaScript]) {
      const visitor = (await visit("/try/form", options)).expecting(/422/);
      await visitor.fillIn("Name", "Ada");
      await visitor.pressButton("Book");
      await visitor.page.getByText("Choose a day.").waitFor();
      expect(await visitor.page.getByLabel("Name").inputValue()).toBe("Ada");
    }
  });

  test("an experiment that keeps an order shows its code, and the operator's command places the order", async ({
    app,
    visit,
  }) => {
    for (const options of [{}, ...inLongRuns(withoutJavaScript)]) {
      const lamp = options === withoutJavaScript ? "a paper lamp" : "a brass lamp";
      const visitor = (await visit("/try/kept", options)).expecting(/500/);
      await visitor.pressButton("Break it");
      await visitor.page.getByRole("button", { name: "Mend it" }).waitFor();
      await visitor.fillIn("Which one", lamp);
      await visitor.pressButton("Order");
      const command = visitor.page.locator("code", { hasText: /kept run \w{4}-/ });
      const code = (await command.textContent())?.split(" ").at(-1) ?? "";
      await visitor.page.getByText(`We have kept what you sent, under ${code}.`).waitFor();
      await visitor.pressButton("Mend it");
      await visitor.page.getByRole("button", { name: "Break it" }).waitFor();
      const data = ["--app", "tour", "--data", app.dataFolder];
      const { log } = await runHoldfast(["kept", "run", code, ...data], { HOLDFAST_DATA: app.dataFolder });
      expect(log).toContain(`${code}  done`);
      await visitor.goTo("/try/kept");
      await visitor.page.getByText(`${lamp}, run again`).waitFor();
    }
  });

  test("an experiment with the gate says whether a build repairs the page that failed", async ({ visit }) => {
    const visitor = (await visit("/try/gate")).expecting(/500/);
    await visitor.clickLink("Open the price list");
    await expect.poll(() => visitor.digestShown()).toBeDefined();
    await visitor.goTo("/try/gate");
    const asked = visitor.page.locator("main p[role=status]");
    // The event is filed soon after its page was sent.
    const known = async (): Promise<string> => {
      await visitor.pressButton("Check a build without the fix");
      await visitor.page.getByRole("button", { name: "Check a build without the fix" }).waitFor();
      return (await asked.textContent()) ?? "";
    };
    await expect.poll(known, { timeout: 40_000 }).toMatch(/^#\d+ GET \/try\/gate\/prices\S* known, still fails/);
    await visitor.pressButton("Check a build with the fix");
    await visitor.page.locator(".state.good", { hasText: "passes now" }).waitFor();
  });

  test("an experiment with a release that breaks a page serves two builds, and loses that page for a moment", {
    timeout: 300_000,
  }, async ({ visit }) => {
    const visitor = await visit("/try/release");
    const status = visitor.page.locator("main [role=status]");
    // One press is enough, except on a very slow machine.
    const said = async (): Promise<string> => {
      await visitor.pressButton("Deploy a release that breaks the cart");
      await visitor.page
        .getByRole("button", { name: "Deploy a release that breaks the cart" })
        .waitFor({ timeout: 60_000 });
      return (await status.textContent()) ?? "";
    };
    await expect.poll(said, { timeout: 240_000 }).toContain("healed: /try/release/cart runs on 2.4.0");
    const rows = await visitor.page.locator("tbody tr").allTextContents();
    // By page: visitors who saw an error, and those whom each release answered.
    expect(rows[0]).toMatch(/^\/try\/release\/cart[1-9]\d?05$/);
    for (const row of rows.slice(1)) expect(row).toMatch(/^\/try\/[a-z]+0[1-9]\d?0$/);
  });

  test("an experiment with the balance counts a visitor who got through, and names a report that was lost", async ({
    visit,
  }) => {
    const visitor = (await visit("/try/balance")).expecting(/500/);
    await visitor.pressButton("Open the till");
    await visitor.digestShown();
    await visitor.page.waitForFunction(() => localStorage.getItem("holdfast-shown") !== null);
    await visitor.page.reload();
    await visitor.page.getByRole("status").getByText("You tried again and got through.").waitFor();
    await visitor.pressButton("Lose a report");
    const digest = (await visitor.page.locator("p[role=status] code").last().textContent()) ?? "";
    const balance = async (): Promise<string | null> => {
      await visitor.goTo("/_holdfast/1/balance");
      return visitor.page.locator("main").textContent();
    };
    await expect.poll(balance).toMatch(/[1-9]\d* tried again and got through/);
    await expect.poll(balance).toContain(`error page being looked for: ${digest}`);
  });

  test("an experiment with a digest says to its visitor that it is known, and once it is resolved that it is repaired", async ({
    visit,
  }) => {
    const visitor = (await visit("/try/answer")).expecting(/500/);
    await visitor.clickLink("Go to the desk");
    await visitor.clickLink("See whether it is repaired");
    await visitor.sees("We know about it");
    const answer = visitor.page.url();
    await visitor.goTo("/try/answer");
    await visitor.pressButton("Repair it");
    await visitor.clickLink("the list of issues");
    await visitor.clickLink(/The desk has lost its drawer/);
    await visitor.isAwake();
    await visitor.pressButton(/^Resolve e$|^Resolve$/);
    const asked = async (): Promise<string | null> => {
      await visitor.page.goto(answer);
      return visitor.page.locator("h1").textContent();
    };
    await expect.poll(asked).toBe("It is repaired");
    await visitor.goTo("/try/answer/desk");
    await visitor.page.getByText("The desk has its drawer").waitFor();
  });

  test("an experiment with a guard sends to the sign-in page, and lets in a visitor who has signed in", async ({
    visit,
  }) => {
    const visitor = await visit("/try/guarded");
    await visitor.sees("Sign in");
    await visitor.fillIn("Name", "Ada");
    await visitor.pressButton("Sign in");
    await visitor.page.getByText("Signed in as Ada").waitFor();
    await visitor.pressButton("Sign out");
    await visitor.sees("Sign in");
  });

  test.for([
    ["The connection breaks", "handed-over: network"],
    ["The answer is cut off in the middle", "handed-over: cut-data"],
    ["A proxy answers with a page of its own", "handed-over: wrong-content-type"],
  ] as const)(
    "an experiment that breaks a navigation (%s) ends at its target, and its panel says how",
    async ([fault, end], { visit }) => {
      const visitor = await visit("/try/faults");
      await visitor.isAwake();
      await visitor.page.getByLabel(fault).check();
      await visitor.clickLink("Go to order 8");
      await visitor.sees("Order 8");
      expect(visitor.documentsLoaded).toBe(2);
      await visitor.page.getByText(end).waitFor();
    },
  );

  test("an experiment that loses the connection stays, and resumes when it is back", async ({ visit }) => {
    const visitor = await visit("/try/offline");
    await visitor.isAwake();
    await visitor.page.getByLabel("The server cannot be reached").check();
    await visitor.clickLink("Go to order 8");
    await visitor.page.getByText("Connection lost").waitFor();
    expect(visitor.address).toBe("/try/offline");
    await visitor.page.getByLabel("Nothing").check();
    await visitor.pressButton("Retry");
    await visitor.sees("Order 8");
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("the last of several choices stays, and one that the server refuses goes back with its message", async ({
    visit,
  }) => {
    const visitor = (await visit("/try/stars")).expecting(/422/);
    await visitor.isAwake();
    const emma = visitor.page.getByRole("form", { name: "Stars of Emma" });
    const shown = () => emma.locator("[aria-pressed=true]").textContent();
    const choose = (stars: number) => emma.getByRole("button", { name: `${stars} ★` }).click();
    for (const stars of [1, 2, 3]) {
      await choose(stars);
      await expect.poll(shown).toBe(`${stars} ★`);
    }
    await emma.getByText("Saved: 3 ★").waitFor();
    expect(await shown()).toBe("3 ★");
    await choose(0);
    await expect.poll(shown).toBe("0 ★");
    await visitor.page.getByRole("alert").getByText("The server refuses zero stars.").waitFor();
    await expect.poll(shown).toBe("3 ★");
  });

  test("rows of a form are added, refused and removed without JavaScript", async ({ visit }) => {
    const visitor = (await visit("/try/invoice", withoutJavaScript)).expecting(/422/);
    // The page shows its source as well, with the same messages.
    const card = visitor.page.locator(".card");
    await card.getByLabel("For").fill("Tea");
    await visitor.pressButton("Add a line");
    await card.getByLabel("Amount").nth(1).fill("12");
    await visitor.pressButton("Send");
    await card.getByText("Say who pays.").waitFor();
    expect(await card.getByText("Say an amount above zero.").count()).toBe(1);
    await visitor.pressButton("Remove line 1");
    await card.getByLabel("Name").fill("Ada");
    await card.getByLabel("City").fill("London");
    await card.getByLabel("For").fill("Milk");
    await visitor.pressButton("Send");
    await card.getByText("Sent: 1 line, 12.00 to Ada.").waitFor();
  });

  test("a list of ten thousand rows is where it was, after Back and after a reload, with few rows in the document", async ({
    visit,
  }) => {
    const visitor = await visit("/try/list");
    await visitor.isAwake();
    const { page } = visitor;
    const box = page.locator(".parts");
    const rows = async () => Number(/^\d+/.exec((await page.locator(".card [aria-live]").textContent()) ?? "")?.[0]);
    await expect
      .poll(async () => {
        await box.evaluate((element) => element.scrollBy(0, 10_000));
        return rows();
      })
      .toBeGreaterThanOrEqual(500);
    await box.evaluate((element) => element.scrollTo(0, 9_000));
    // Not by the mouse, for which the test would scroll.
    await expect.poll(() => box.locator("tbody tr").count()).toBeLessThan(60);
    await box.locator("td a").nth(15).dispatchEvent("click");
    await page.getByRole("heading", { name: /^Item/ }).waitFor();
    await page.goBack();
    const at = () => box.evaluate((element) => element.scrollTop);
    await expect.poll(at).toBe(9_000);
    await expect.poll(() => box.locator("tbody tr").count()).toBeLessThan(60);
    await page.reload();
    await expect.poll(at).toBe(9_000);
    await expect.poll(rows).toBeGreaterThanOrEqual(500);
  });

  test("an experiment with many links never runs more than five prefetches", async ({ visit }) => {
    const visitor = await visit("/try/prefetch?when=seen");
    await visitor.page.mouse.move(10, 10);
    await visitor.page.getByText("5 of 5").waitFor();
    await visitor.page.getByText("fresh").first().waitFor();
    expect(await visitor.page.locator(".slots .taken").count()).toBeLessThanOrEqual(5);
  });

  test("an experiment that changes something discards prefetched pages", async ({ visit }) => {
    const visitor = await visit("/try/ahead");
    await visitor.isAwake();
    const ahead = visitor.page.locator(".panel", { hasText: "Fetched ahead" });
    await visitor.page.getByRole("link", { name: "Rest on item 41" }).hover();
    await ahead.getByText("/try/shelf/41").waitFor();
    await visitor.pressButton("Change something");
    await ahead.getByText("Nothing.").waitFor();
  });

  test("an experiment with noise reports only the application's own errors", async ({ visit }) => {
    const visitor = (await visit("/try/noise")).expecting(/./);
    // An envelope may also count what was left out: "event, client_report".
    const envelopes = visitor.page.locator(".panel", { hasText: "Last envelopes" }).getByText(/^event\b/);
    const buttons = visitor.page.getByRole("button", { name: "Throw" });
    // They appear after hydration.
    await buttons.first().waitFor();
    for (const button of await buttons.all()) await button.click();
    await envelopes.waitFor();
    expect(await envelopes.count()).toBe(1);
  });

  test("an experiment with a tunnel shows the result of each envelope, and the server survives", async ({ visit }) => {
    const visitor = await visit("/try/tunnel", withoutJavaScript);
    const answers = [
      ["A report of this application", "200"],
      ["One that names another service", "403"],
      ["One that another site sent", "403"],
      ["One of two megabytes", "413"],
      ["Something that is no report", "400"],
    ] as const;
    for (const [letter, status] of answers) {
      await visitor.pressButton(letter);
      // Not in the text beside it, where an id may have the same digits.
      await visitor.page.getByRole("status").locator(".state", { hasText: status }).waitFor();
    }
  });

  test("each page that fails shows a new digest each time", async ({ visit }) => {
    const visitor = (await visit("/try")).expecting(/500/);
    const shown = new Set<string>();
    for (const path of [...broken, ...(isLong ? broken : [...broken].slice(0, 1))]) {
      await visitor.goTo(path);
      const digest = await visitor.digestShown();
      expect(digest, path).toBeDefined();
      expect([...shown], path).not.toContain(digest);
      shown.add(digest ?? "");
    }
  });

  test("links from its digest to the thrown error", async ({ visit }) => {
    const visitor = (await visit("/try")).expecting(/500/);
    await visitor.goTo("/try/break/load");
    const digest = await visitor.digestShown();
    await visitor.clickLink("See what was thrown, in the console");
    // Filing takes a moment: until then there is no such event.
    await expect
      .poll(
        async () => {
          await visitor.page.reload();
          return visitor.page.locator("h1").textContent();
        },
        { timeout: 20_000 },
      )
      .toContain("The orders database does not answer.");
    expect(await visitor.digestShown()).toBe(digest);
  });

  test("an experiment with a file shows the error and its file in the console, without the password", async ({
    app,
    visit,
  }) => {
    const visitor = await visit("/try/attachment", withoutJavaScript);
    await visitor.pressButton("Import the price list");
    const link = visitor.page.getByRole("link", { name: "See the error and its file, in the console" });
    const address = (await link.getAttribute("href")) ?? "";
    expect(address).toBe(`/_holdfast/1/events/${await visitor.digestShown()}`);
    // Filing takes a moment: until then there is no such event.
    await expect.poll(async () => (await fetch(app.url + address)).status, { timeout: 20_000 }).toBe(200);
    const operator = await visit(address);
    const files = operator.page.getByRole("region", { name: "Attached files" });
    const [download] = await Promise.all([
      operator.page.waitForEvent("download"),
      files.getByRole("link", { name: "prices.csv" }).click(),
    ]);
    const kept = readFileSync(await download.path(), "utf8");
    expect(kept).toContain("rope,1250");
    expect(kept).not.toContain("correct-horse");
  });

  test("an experiment with feedback shows in the console what was written, with and without JavaScript", async ({
    visit,
  }) => {
    const texts = ["A page about maps.", "A page without scripts."];
    for (const [index, text] of texts.entries()) {
      const visitor = await visit("/try/feedback", index === 0 ? {} : withoutJavaScript);
      if (index === 0) await visitor.isAlive();
      await visitor.page.getByLabel("What would you like to try that is not here?").fill(text);
      await visitor.pressButton("Send");
      await visitor.page.getByText(/received/).waitFor();
    }
    const operator = await visit("/_holdfast/1/feedback");
    await expect
      .poll(
        async () => {
          await operator.page.reload();
          const articles = await operator.page.getByRole("article").allInnerTexts();
          return texts.every((text) => articles.some((article) => article.includes(text)));
        },
        { timeout: 20_000 },
      )
      .toBe(true);
  });

  // Tasks run at full minutes, so two runs take up to two of them.
  test("an experiment with a task shows its runs, and a run that fails is an issue", { timeout: 240_000 }, async ({
    app,
    visit,
  }) => {
    const visitor = await visit("/try/schedule");
    await visitor.pressButton("Let the next run fail");
    await visitor.page.getByRole("status").filter({ hasText: "The next run fails." }).waitFor();
    // A request is less work than a page, and up to a minute of them is made.
    const failed = async (): Promise<boolean> =>
      /class="state error"/.test(await (await fetch(`${app.url}/try/schedule`)).text());
    await expect.poll(failed, { timeout: 90_000, interval: 1_000 }).toBe(true);
    await visitor.page.reload();
    expect(await visitor.page.locator("main .state.error").count()).toBe(1);
    const operator = await visit("/_holdfast/1/schedules");
    await operator.page.getByRole("link", { name: "remove-past-bookings" }).waitFor();
    const issues = await visitor.page.getByRole("link", { name: "the issues of this one" }).getAttribute("href");
    await operator.goTo(issues ?? "");
    await expect
      .poll(
        async () => {
          await operator.page.reload();
          return operator.page.locator("main [data-row]").allInnerTexts();
        },
        { timeout: 60_000, interval: 1_000 },
      )
      .toContainEqual(expect.stringContaining("FailedRun"));
  });

  test.for([...breaksLater])("%s responds, and continues after its failure", async (path, { visit }) => {
    const visitor = await visit(path);
    await visitor.page
      .getByText(path.endsWith("late") ? "This part of the page could not be loaded." : "your browser.")
      .first()
      .waitFor();
    expect(await visitor.page.locator("h1").count()).toBe(1);
    if (path.endsWith("hydration")) visitor.expecting(/hydration error/);
    await expect.poll(() => visitor.surprises()).toEqual([]);
  });
});

describe("the documentation", () => {
  test("can be searched without JavaScript", async ({ visit }) => {
    const visitor = await visit("/docs", withoutJavaScript);
    await visitor.page.getByRole("searchbox").fill("heartbeat");
    await visitor.page.getByRole("searchbox").press("Enter");
    await visitor.sees("heartbeat");
    await visitor.clickLink("When it is handed over");
    await visitor.sees("Navigation and prefetching");
  });

  test("has a page for every error, also in a form for programs", async ({ app }) => {
    const catalogue = await (await fetch(`${app.url}/docs/markdown/error-catalogue`)).text();
    const codes = [...catalogue.matchAll(/^## (.+)$/gm)].map(([, code = ""]) => code);
    expect(codes.length).toBeGreaterThan(40);
    for (const code of codes) expect((await fetch(`${app.url}/docs/errors/${code}`)).status, code).toBe(200);
    expect((await fetch(`${app.url}/docs/errors/no-such-code`)).status).toBe(404);
    expect(await (await fetch(`${app.url}/llms.txt`)).text()).toContain(`${app.url}/docs/markdown/tutorial`);
  });
});
