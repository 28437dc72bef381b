import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { digestOf, jsonItem, newEventId, writeEnvelope } from "#protocol";
import { root } from "../../scripts/root.js";
import { dataFolder, RunningService } from "../faults/running-service.ts";
import { type AlertReceiver, startAlertReceiver } from "../kit/alert-receiver.ts";
import {
  application,
  buildApp,
  openBrowser,
  type RunningApp,
  runHoldfast,
  startBuiltApp,
  writeFiles,
} from "../kit/index.ts";
import { keepProof } from "../kit/keep-proof.ts";
import { notifyReceiver } from "../kit/notify-receiver.ts";
import { startPostgres } from "../kit/postgres.ts";

/** The cart of release 2.0 fails on a machine whose data folder has a file `broken`. */
const sources = (release: string): Record<string, string> => ({
  "holdfast.config.ts": `export default { report: { release: "${release}" }, releases: { healing: "heal" } };`,
  "src/pages/index.tsx": `export default function Home() { return <h1>Home</h1>; }`,
  "src/pages/broken.tsx": `export default function Broken() { return <h1>Broken</h1>; }`,
  "src/pages/broken.server.ts": `
    import { load } from "holdfast/server";
    export const data = load(() => { throw new TypeError("the cart is empty"); });`,
  "src/pages/cart.tsx": `export default function Cart() { return <h1>{"The cart of ${release}"}</h1>; }`,
  "src/pages/cart.server.ts": `
    import { existsSync } from "node:fs";
    import { load } from "holdfast/server";
    export const data = load(() => {
      if ("${release}" === "2.0" && existsSync(process.env.HOLDFAST_DATA + "/broken")) throw new Error("no lamp is left");
      return null;
    });`,
});

const shop = application({ ...sources("1.0"), "machines.txt": "This folder is built in place." });

/** Outside of Git, so that each build has a release of its own. */
const ownRelease = { GIT_CEILING_DIRECTORIES: join(root, "tests") };

const isLong = process.env.HOLDFAST_TEST_LONG !== undefined;
/** An error is found by its digest in every console after this time. */
const promisedMs = 2_000;
/** A long run has the machine to itself. In a short run, ten processes of other tests share its two cores. */
const patienceMs = isLong ? promisedMs : 30 * promisedMs;
/** Rules look for alerts every 5 s. */
const alertedMs = 60_000;

const account = { email: "ada@example.org", password: "several words to remember" };

test("two applications and two services with one database show each other's errors, notify once, heal a route on both, and an issue is resolved in all and for the gate", {
  timeout: 480_000,
}, async () => {
  await using postgres = await startPostgres();
  await using hook = await startAlertReceiver();
  const store = await postgres.newDatabase();
  const env = { HOLDFAST_STORE: store, HOLDFAST_SECRET: "the same long secret on all four of the machines" };
  await build("1.0");
  const services = [await serviceWith(env), await serviceWith(env)];
  await services[0]?.signIn();
  const apps = [await appWith(env), await appWith(env)];
  const origins = [...apps.map(({ url }) => url), ...services.map(({ dsn }) => new URL(dsn).origin)];
  const consoles: SignedIn[] = [];
  // One after the other: an attempt counts before its password is checked, and all four are from one address.
  for (const origin of origins) consoles.push(await signedInAt(origin));
  await notifyReceiver(store, hook);

  const errors: readonly (() => Promise<string>)[] = [
    ...apps.map(
      ({ url }) =>
        () =>
          shownDigest(`${url}/broken`),
    ),
    ...services.map((service) => () => deliveredDigest(service)),
  ];
  const found: number[][] = [];
  for (const error of errors) {
    const digest = await error();
    found.push(await Promise.all(consoles.map((console) => console.foundAfterMs(digest))));
  }
  const lines = found.map((times, at) => `| ${names[at]} | ${times.join(" ms | ")} ms |`);
  console.log(`An error in this process is found in each console after:\n${lines.join("\n")}`);

  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`${origins[0]}/_holdfast/1/issues`);
  await page.getByLabel("E-mail address").fill(account.email);
  await page.getByLabel("Password").fill(account.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: /TypeError: the cart is empty/ }).click();
  await page
    .getByRole("button", { name: /^Resolve/ })
    .first()
    .click();
  await page
    .getByText(/[Rr]esolved/)
    .first()
    .waitFor();
  for (const { read } of consoles) {
    await expect
      .poll(() => read("1/issues?tab=resolved"), { timeout: patienceMs, interval: 20 })
      .toContain("the cart is empty");
    expect(await read("1/issues")).not.toContain("the cart is empty");
  }

  // The same build still fails: the gate reads that from the database too.
  using folder = dataFolder();
  const gate = await runHoldfast(["gate", shop, "--data", folder.path], env);
  expect(gate.log).toMatch(/^STOP +#\d+ +fixed and still failing +GET \/broken +TypeError: the cart is empty$/m);
  expect(gate.code).toBe(1);

  // A release breaks a route on the first machine. The second one answers it from the build before, too.
  await page.close();
  const [one, two] = apps;
  if (!one || !two) throw new Error("There are two applications.");
  for (const { url } of apps) for (let turn = 0; turn < 30; turn++) expect(await cartOf(url)).toBe("1.0");
  await build("2.0");
  for (const app of apps) await app.restart();
  expect(await cartOf(two.url)).toBe("2.0");
  writeFileSync(join(one.dataFolder, "broken"), "");
  await expect.poll(() => cartOf(one.url), { timeout: 30_000 }).toBe("1.0");
  await expect.poll(() => cartOf(two.url), { timeout: 30_000 }).toBe("1.0");
  const healed = (): AlertReceiver["received"] => hook.received.filter(({ body }) => body.title === healedTitle);
  await expect.poll(() => healed().length, { timeout: alertedMs, interval: 200 }).toBe(1);
  const { reason, route, release, link } = healed()[0]?.body ?? {};
  expect({ reason, route, release }).toEqual({ reason: "New issue", route: "/cart", release: "2.0" });
  expect(await consoles[1]?.read(new URL(String(link)).pathname.replace("/_holdfast/", ""))).toContain(healedTitle);

  // Found by a later look: what an earlier one would send twice has been sent by then.
  await services[1]?.deliver(anError(newEventId(), "a later error"));
  const expected = [
    "Error: a later error",
    "Error: no lamp is left",
    "RangeError: by a client of a service",
    healedTitle,
    "TypeError: the cart is empty",
  ];
  await expect.poll(() => titles(hook), { timeout: alertedMs, interval: 200 }).toContain(expected[0]);
  expect(titles(hook)).toEqual(expected);
  keepProof("four-consoles", [
    `Two applications and two services with one PostgreSQL. Promised is ${promisedMs} ms after the digest is shown, or`,
    "after the delivery is acknowledged.",
    "",
    "| error in | found in the console of application 1 | of application 2 | of service 1 | of service 2 |",
    "|---|---|---|---|---|",
    ...lines,
    "",
    "An issue resolved in one console was resolved in all four. Each of five new issues was notified of once.",
  ]);
});

const healedTitle = "ReleaseNotice: healed: /cart runs on 1.0";

async function build(release: string): Promise<void> {
  writeFiles(join(root, shop), sources(release));
  await buildApp(shop, ownRelease);
}

/** The release that answers the cart. */
async function cartOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/cart`);
  return /The cart of (\d\.0)/.exec(await answer.text())?.[1] ?? `${answer.status}`;
}

const names = ["application 1", "application 2", "service 1", "service 2"];

interface SignedIn {
  readonly read: (path: string) => Promise<string>;
  readonly foundAfterMs: (digest: string) => Promise<number>;
}

/** Signs in by the form of this console. */
async function signedInAt(origin: string): Promise<SignedIn> {
  const answer = await fetch(`${origin}/_holdfast/sign-in/_action/signIn`, {
    method: "POST",
    headers: { origin },
    body: new URLSearchParams(account),
    redirect: "manual",
  });
  expect([answer.status, answer.status < 400 ? "" : await answer.text()]).toEqual([303, ""]);
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ");
  const get = (path: string): Promise<Response> => fetch(`${origin}/_holdfast/${path}`, { headers: { cookie } });
  return {
    read: async (path) => (await get(path)).text(),
    async foundAfterMs(digest) {
      const begun = performance.now();
      const eventAt = async (): Promise<string> => {
        const found = await get(`d/${digest}`);
        await found.body?.cancel();
        return found.status === 200 ? new URL(found.url).pathname : `${found.status}`;
      };
      await expect
        .poll(eventAt, { timeout: patienceMs, interval: 20 })
        .toMatch(/^\/_holdfast\/1\/events\/[0-9a-f]{32}$/);
      return Math.round(performance.now() - begun);
    },
  };
}

function titles(hook: AlertReceiver): unknown[] {
  return hook.received.map(({ body }) => body.title).toSorted();
}

/** Visits a page that fails, and reads the digest that it shows. */
async function shownDigest(url: string): Promise<string> {
  const answer = await fetch(url, { headers: { accept: "text/html" } });
  expect(answer.status).toBe(500);
  return /[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(await answer.text())?.[0] ?? "";
}

async function deliveredDigest(service: RunningService): Promise<string> {
  const eventId = newEventId();
  await service.deliver(anError(eventId, "by a client of a service", "RangeError"));
  return digestOf(eventId);
}

function anError(eventId: string, value: string, type = "Error"): Uint8Array {
  return writeEnvelope({ eventId }, [
    jsonItem("event", { event_id: eventId, exception: { values: [{ type, value }] } }),
  ]);
}

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
  const app = await startBuiltApp({ app: shop, env: { ...env, ...ownRelease } });
  onTestFinished(() => app.stop());
  return app;
}
