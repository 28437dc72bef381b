import { expect, onTestFinished, test } from "vitest";
import { digestOf, jsonItem, newEventId, writeEnvelope } from "#protocol";
import { dataFolder, RunningService } from "../faults/running-service.ts";
import { application, buildApp, openBrowser, type RunningApp, startBuiltApp } from "../kit/index.ts";
import { startPostgres } from "../kit/postgres.ts";

const shop = application({
  "src/pages/index.tsx": `export default function Home() { return <h1>Home</h1>; }`,
  "src/pages/broken.tsx": `export default function Broken() { return <h1>Broken</h1>; }`,
  "src/pages/broken.server.ts": `
    import { load } from "holdfast/server";
    export const data = load(() => { throw new TypeError("the cart is empty"); });`,
});

test("two applications and two services with one database show each other's errors, and an issue is resolved in all", {
  timeout: 180_000,
}, async () => {
  await using postgres = await startPostgres();
  const env = {
    HOLDFAST_STORE: await postgres.newDatabase(),
    HOLDFAST_SECRET: "the same long secret on all four of the machines",
  };
  await buildApp(shop);
  const services = [await serviceWith(env), await serviceWith(env)];
  const cookie = (await services[0]?.signIn()) ?? "";
  const apps = [await appWith(env), await appWith(env)];
  const consoles = [...apps.map(({ url }) => url), ...services.map(({ dsn }) => new URL(dsn).origin)];
  const eventAt = async (console: string, digest: string): Promise<string> => {
    const found = await fetch(`${console}/_holdfast/d/${digest}`, { headers: { cookie } });
    return found.status === 200 ? new URL(found.url).pathname : "";
  };

  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  for (const { url } of apps) {
    const answer = await page.goto(`${url}/broken`);
    expect(answer?.status()).toBe(500);
    const digest =
      /[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}/.exec((await page.locator("body").textContent()) ?? "")?.[0] ?? "";
    for (const console of consoles)
      await expect.poll(() => eventAt(console, digest), { timeout: 30_000 }).toMatch(/\/events\/[0-9a-f]{32}$/);
  }
  for (const service of services) {
    const eventId = newEventId();
    const exception = { values: [{ type: "RangeError", value: "by a client of a service" }] };
    await service.deliver(writeEnvelope({ eventId }, [jsonItem("event", { event_id: eventId, exception })]));
    for (const console of consoles)
      await expect.poll(() => eventAt(console, digestOf(eventId)), { timeout: 30_000 }).toContain(eventId);
  }

  await page.setExtraHTTPHeaders({ cookie });
  await page.goto(`${consoles[0]}/_holdfast/1/issues`);
  await page.getByRole("link", { name: /TypeError: the cart is empty/ }).click();
  await page.getByText("2 events").first().waitFor();
  await page
    .getByRole("button", { name: /^Resolve/ })
    .first()
    .click();
  await page
    .getByText(/[Rr]esolved/)
    .first()
    .waitFor();
  for (const console of consoles)
    await expect
      .poll(async () => (await fetch(`${console}/_holdfast/1/issues?tab=resolved`, { headers: { cookie } })).text(), {
        timeout: 30_000,
      })
      .toContain("the cart is empty");
});

async function serviceWith(env: Record<string, string>): Promise<RunningService> {
  const folder = dataFolder();
  const service = await RunningService.start(folder.path, { built: true, env });
  onTestFinished(async () => {
    await service[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });
  return service;
}

async function appWith(env: Record<string, string>): Promise<RunningApp> {
  const app = await startBuiltApp({ app: shop, env });
  onTestFinished(() => app.stop());
  return app;
}
