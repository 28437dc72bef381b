import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { root } from "../../scripts/root.js";
import { application, buildApp, journeyThrough, runHoldfast, startApp, writeFiles } from "../kit/index.ts";
import { breaksNoRule } from "./console/accessible.ts";

const names = ["cart", ...Array.from({ length: 9 }, (_, index) => `page-${index + 1}`)];

/** A page of a release fails while its file is here: `cart-2` breaks the cart of release 2. */
const broken = mkdtempSync(join(tmpdir(), "holdfast-broken-"));
const breaks = (page: string): void => writeFileSync(join(broken, page), "");
const works = (page: string): void => rmSync(join(broken, page));

function sources(release: number): Record<string, string> {
  const pages = names.flatMap((name) => [
    [
      `src/pages/${name}.tsx`,
      `import { Link } from "holdfast";
import { useState } from "react";
export default function Page() {
  const [clicks, setClicks] = useState(0);
  return <main>
    <h1>{"${name} of release ${release}"}</h1>
    <button type="button" onClick={() => setClicks(clicks + 1)}>{"Clicked " + clicks}</button>
    <Link to="/page-1">Page 1</Link> <Link to="/cart">Cart</Link>
  </main>;
}`,
    ],
    [
      `src/pages/${name}.server.ts`,
      `import { existsSync } from "node:fs";
import { action, load } from "holdfast/server";
export const data = load(() => {
  if (existsSync(${JSON.stringify(join(broken, `${name}-${release}`))})) throw new Error("${name} is broken.");
  return null;
});
export const actions = { add: action({}, () => {
  if (existsSync(${JSON.stringify(join(broken, `${name}-${release}-add`))})) throw new Error("Nothing is added.");
  return {};
}), ${name === "page-3" && release === 3 ? "empty: action({}, () => ({}))," : ""} };`,
    ],
  ]);
  const settings = { releases: { healing: "heal" }, limits: { healedSeconds: 1 }, report: { release: `${release}.0` } };
  const stock = `import { existsSync } from "node:fs";
export const GET = () => {
  if (existsSync(${JSON.stringify(join(broken, `stock-${release}`))})) throw new Error("The stock is unknown.");
  return Response.json(${release});
};`;
  const authorize = `({ headers }) => ({ name: "ada@example.org", roles: headers.get("x-role") ?? "owner" })`;
  const config = `export default { ...${JSON.stringify(settings)}, console: { authorize: ${authorize} } };`;
  return { "holdfast.config.ts": config, "src/pages/stock.server.ts": stock, ...Object.fromEntries(pages) };
}

const folder = application({ ...sources(1), "healing.txt": "This folder is built in place." });

const test = journeyThrough(async () => {
  await build(1);
  return startApp({ app: folder, args: ["--workers", "4"], env: ownRelease });
});

/** Outside of Git, so that each build has a release of its own. */
const ownRelease = { GIT_CEILING_DIRECTORIES: join(root, "tests") };

async function build(release: number): Promise<void> {
  writeFiles(join(root, folder), sources(release));
  await buildApp(folder, ownRelease);
}

test("a deployment to four workers that breaks one of ten routes loses only that page, and only for a moment", {
  timeout: 480_000,
}, async ({ app, visit }) => {
  let failed = 0;
  /** One visitor for each page: the release that answered. */
  const round = async (): Promise<string> => {
    const answers = names.map(async (name) => {
      const answer = await fetch(`${app.url}/${name}`, { headers: { connection: "close" } });
      if (answer.status >= 500) failed += 1;
      return /of release (\d)/.exec(await answer.text())?.[1] ?? "-";
    });
    return (await Promise.all(answers)).join("");
  };
  /** The release whose API route answers. */
  const stockOf = async (): Promise<string> => {
    const answer = await fetch(`${app.url}/stock`, { headers: { connection: "close" } });
    return answer.ok ? answer.text() : "-";
  };
  const becomes = (releases: string) => expect.poll(round, { timeout: 60_000 }).toBe(releases);
  const deploy = async (release: number): Promise<void> => {
    const replacements = app.log.split("All server processes are new.").length;
    await build(release);
    process.kill(app.pid, "SIGHUP");
    await expect
      .poll(async () => (await round()) && app.log.split("All server processes are new.").length, { timeout: 60_000 })
      .toBe(replacements + 1);
  };
  const releases = async (...words: string[]): Promise<string> =>
    (await runHoldfast(["releases", ...words, "--data", app.dataFolder])).log;
  /** The rows of a release in the console, without its times. */
  const rowsOf = async (release: string, role = "owner"): Promise<string> => {
    const page = await fetch(`${app.url}/_holdfast/1/releases/named?name=${release}`, { headers: { "x-role": role } });
    const [, section = ""] = /<section aria-labelledby="healed">(.*?)<\/section>/s.exec(await page.text()) ?? [];
    const rows = [...section.matchAll(/<tr data-row="">(.*?)<\/tr>/gs)].map(([, row = ""]) => row);
    return rows
      .map((row) => row.replaceAll(/<time.*?<\/time>|<!--.*?-->/gs, "").replaceAll(/(?:<[^>]*>)+/g, " "))
      .join("\n");
  };
  for (let turn = 0; turn < 30; turn++) await Promise.all([round(), stockOf()]);
  expect(failed).toBe(0);

  breaks("cart-2");
  await deploy(2);
  await becomes("1222222222");
  console.log(`${failed} visitors saw the error.`);
  expect(failed).toBeGreaterThan(0);
  expect(failed).toBeLessThanOrEqual(20);
  failed = 0;
  for (let turn = 0; turn < 10; turn++) expect(await round()).toBe("1222222222");
  expect(failed).toBe(0);
  expect(await releases()).toMatch(/\/cart +on 1\.0 .*\(healed/);
  await expect
    .poll(async () => (await runHoldfast(["issues", "--data", join(app.dataFolder, "data")])).log, { timeout: 30_000 })
    .toContain("healed: /cart runs on 1.0");
  await expect
    .poll(() => rowsOf("2.0"), { timeout: 30_000 })
    .toMatch(
      /\/cart (?:healed|trial) 1\.0 \d+ of \d+ requests failed, 0 of \d+ on 1\.0\..*#\d+ Stay on 1\.0 Run on 2\.0/,
    );
  expect(await rowsOf("2.0", "viewer")).toMatch(/\/cart (?:healed|trial) 1\.0 .*#\d+ $/);

  // The document, its scripts and its data are those of one build, and clicks lead from one to the other.
  const visitor = await visit("/cart");
  await visitor.sees("cart of release 1");
  await visitor.isAwake();
  await visitor.pressButton("Clicked 0");
  await visitor.page.getByRole("button", { name: "Clicked 1" }).waitFor();
  await visitor.clickLink("Page 1");
  await visitor.sees("page-1 of release 2");
  await visitor.clickLink("Cart");
  await visitor.sees("cart of release 1");

  // Its reports would meet the restart.
  await visitor.page.close();
  await app.restart();
  expect(await round()).toBe("1222222222");
  expect(failed).toBe(0);

  // The fix. The release that has lost a page is no measure for it: the build before is still the first one.
  await deploy(3);
  await becomes("3333333333");
  expect(await releases()).toContain("Release 3.0; before it 1.0");

  // A cause outside of the release goes away: the new build is tried in the background, and comes back.
  breaks("page-2-3");
  await becomes("3313333333");
  works("page-2-3");
  await becomes("3333333333");

  // What the page sends has changed, so the build before would not understand it.
  breaks("page-3-3");
  await expect
    .poll(async () => (await round()) && app.log, { timeout: 30_000 })
    .toContain("not healed: /page-3 fails on 3.0 (its actions changed)");
  expect(await round()).toBe("333-333333");
  works("page-3-3");

  // Failures of an action and of an API route count, too. Neither is run a second time, so both wait for a release.
  breaks("page-6-3-add");
  breaks("stock-3");
  const add = (): Promise<Response> =>
    fetch(`${app.url}/page-6/_action/add`, {
      method: "POST",
      headers: { origin: app.url },
      body: new URLSearchParams(),
    });
  await expect.poll(async () => (await add()).status < 400 && (await round()), { timeout: 30_000 }).toBe("3333331333");
  await expect.poll(stockOf, { timeout: 30_000 }).toBe("1");
  expect(await releases()).toMatch(/\/page-6 .*\(healed until the next release.*\n.*\n.*\/stock .*\(healed until/s);
  works("page-6-3-add");
  works("stock-3");
  for (const route of ["/page-6", "/stock"]) await releases("pin", route, "new");
  await becomes("3333333333");

  expect(await releases("pin", "/nowhere", "new")).toContain("unknown-route");
  expect(await releases("pin", "/page-3", "before")).toContain("cannot-heal");
  await releases("pin", "/page-5", "before");
  await becomes("3333313333");
  await expect.poll(() => rowsOf("3.0"), { timeout: 30_000 }).toMatch(/\/page-2 returned/);
  const operator = await visit("/_holdfast/1/releases/named?name=3.0");
  await operator.isAlive();
  const { page } = operator;
  const row = (route: string) => page.locator(".healed tr").filter({ hasText: route });
  await row("/page-3").getByText("Not healed: its actions changed.").waitFor();
  await row("/page-5").getByRole("button", { name: "Unpin" }).click();
  await page.getByText("The server decides again which build answers /page-5.").waitFor();
  await becomes("3333333333");
  await page.getByText("Run another route on 1.0").click();
  await page.locator("select[name=route]").selectOption("/page-4");
  await operator.pressButton("Pin it");
  await row("/page-4").getByText("pinned").waitFor();
  await becomes("3333133333");
  await breaksNoRule(operator, "a release with healed routes");
  const routePage = "/_holdfast/1/pages/route?route=/page-4";
  await expect.poll(async () => (await fetch(app.url + routePage)).status, { timeout: 30_000 }).toBe(200);
  await operator.goTo(routePage);
  await page.getByText("It runs on 1.0 instead of 3.0").waitFor();
  await operator.goTo("/_holdfast/1/settings");
  await page.getByText("pinned /page-4 to the build before").first().waitFor();
});
