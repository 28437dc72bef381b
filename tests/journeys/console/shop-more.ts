import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { digestOf, jsonItem, newEventId } from "#protocol";
import type { FiledCheckIn } from "../../../src/service/stores/filed.ts";
import { openStore } from "../../../src/service/stores/open-store.ts";
import { storeAddressOf } from "../../../src/service/stores/store-address.ts";
import type { RunningApp } from "../../kit/running-app.ts";
import { postForm } from "./forms.ts";
import { anError, holds, report, reportErrors } from "./reports.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

interface Task {
  name: string;
  environment: string;
  crontab: string;
  every: number;
  /** Good, late, failed, too long, missed; the newest is last. */
  runs: string;
  tookMs: number;
}

const tasks: readonly Task[] = [
  {
    name: "nightly-report",
    environment: "production",
    crontab: "0 3 * * *",
    every: day,
    runs: "ggggfggggggggglggggggggggmgggg",
    tookMs: 214_000,
  },
  {
    name: "nightly-report",
    environment: "staging",
    crontab: "0 3 * * *",
    every: day,
    runs: "ggmmgggg",
    tookMs: 61_000,
  },
  {
    name: "renew-exchange-rates",
    environment: "production",
    crontab: "5 * * * *",
    every: hour,
    runs: "ggggggggggglgggggggggggtgggggf",
    tookMs: 4_200,
  },
  {
    name: "send-receipts",
    environment: "production",
    crontab: "*/15 * * * *",
    every: 15 * minute,
    runs: "g".repeat(30),
    tookMs: 1_800,
  },
];

/** Runs of the last days. Written before the application starts, because a service dates check-ins by their arrival. */
export async function fillTasks(dataFolder: string, now = Date.now()): Promise<void> {
  const store = await openStore(storeAddressOf(`${dataFolder}/data`, undefined), {});
  try {
    const from = await store.appliedUpTo();
    const filed = tasks.flatMap((task) => runsOf(task, now).flatMap(({ letter, at }) => checkInsOf(task, letter, at)));
    await store.commit({
      upTo: from + filed.length + 1,
      items: filed.map((item, n) => ({ ...item, rowId: from + n + 1 })),
    });
    for (const { plan, project, name, environment } of await store.monitors(1)) {
      const task = tasks.find((one) => one.name === name && one.environment === environment);
      const runs = task === undefined ? [] : runsOf(task, now);
      const those = (letter: string) => runs.filter((run) => run.letter === letter).map(({ at }) => at);
      const watch = {
        schedule: plan && JSON.stringify(plan.schedule),
        upTo: now,
        serial: runs.length - 1,
        failuresInRow: 0,
        goodInRow: 1,
        lateInRow: 0,
        missed: those("m"),
        late: those("l"),
        tooLong: those("t"),
        problems: [],
      };
      await store.changeMonitor({ kind: "watched", project, name, environment, watch: JSON.stringify(watch) });
    }
    await store.setWatchedAt(now);
    await store.settled();
  } finally {
    store.close();
  }
}

function runsOf({ every, runs }: Task, now: number): { letter: string; at: number }[] {
  const newest = Math.floor(now / every) * every + (every === day ? 2 * hour : every === hour ? 5 * minute : 0);
  const last = newest > now - minute ? newest - every : newest;
  return [...runs].map((letter, n) => ({
    letter,
    at: last - (runs.length - 1 - n) * every + (letter === "l" ? 7 * minute : 1_200),
  }));
}

function checkInsOf(task: Task, letter: string, startedAt: number): FiledCheckIn[] {
  if (letter === "m") return [];
  const durationMs = letter === "t" ? 45 * minute : Math.round(task.tookMs * (0.8 + ((startedAt / 7_000) % 40) / 100));
  const expression = task.crontab;
  const at = startedAt + durationMs;
  return [
    {
      kind: "check-in",
      rowId: 0,
      project: 1,
      receivedAt: at,
      at,
      monitor: task.name,
      checkInId: undefined,
      status: letter === "f" ? "error" : "ok",
      durationMs,
      environment: task.environment,
      plan: {
        schedule: {
          kind: "crontab",
          expression,
          ...(task.every === day && { timeZone: "Europe/Berlin" }),
        },
      },
    },
  ];
}

/** What visitors wrote: about an error, about nothing broken, and with a picture. */
export async function fillFeedback(app: RunningApp, event: string, screenshot: Buffer): Promise<void> {
  const write = (message: string, feedback: object, more: object = {}, files: readonly Buffer[] = []) =>
    report(app, [
      jsonItem("feedback", {
        event_id: newEventId(),
        release: "shop@2.4.1",
        environment: "production",
        ...more,
        contexts: { feedback: { message, ...feedback } },
      }),
      ...files.map((payload) => ({
        header: { type: "attachment", filename: "screenshot.png", contentType: "image/png" },
        payload: new Uint8Array(payload),
      })),
    ]);
  await write("Please let me sort the results by price. I open every page to compare them.", {
    url: "https://shop.example/search?q=lamp",
  });
  await write(
    "The map covers the opening hours on my phone.",
    { name: "Paula Adler", contact_email: "paula@mail.example", url: "https://shop.example/stores/12" },
    {},
    [screenshot],
  );
  await write(
    "I pressed Pay, then this page came. Was I charged? My basket is empty now, and there is no mail.",
    {
      name: "Jonas Weber",
      contact_email: "jonas.weber@mail.example",
      url: "https://shop.example/cart",
      associated_event_id: event,
    },
    { breadcrumbs: [{ category: "page", message: "opened /cart" }] },
  );
}

/** An event with files beside it. Resolves with its id. */
export async function fillAttachments(app: RunningApp, screenshot: Buffer): Promise<string> {
  const error = anError({
    type: "RangeError",
    value: "The file has 14 columns instead of 12",
    function: "readStockList",
    transaction: "/stock/import",
    release: "shop@2.4.1",
  });
  const log = "12:01:07 reading stock.csv\n12:01:07 line 1: 14 columns, expected 12\n".repeat(40);
  const file = (filename: string, contentType: string, payload: Uint8Array) => ({
    header: { type: "attachment", filename, contentType },
    payload,
  });
  await report(app, [
    jsonItem("event", error),
    file("screenshot.png", "image/png", new Uint8Array(screenshot)),
    file("stock.csv", "text/csv", Buffer.from("sku;name;price\n88-4410;Lamp;24.90\n".repeat(600))),
    file("import.log", "text/plain", Buffer.from(log)),
  ]);
  await reportErrors(app, [anError({ value: "after the files", function: "afterFiles", release: "shop@2.4.1" })]);
  return error.event_id;
}

/** Deploys, as `sentry-cli deploys new` announces them. */
export async function fillDeploys(app: RunningApp): Promise<void> {
  const page = await postForm(app, "/settings/_action/uploads", {
    do: "create",
    name: "pipeline",
    _form: "uploads token",
  });
  const token = /shown only now\..*?<code[^>]*>([^<]+)</.exec(page)?.[1] ?? "";
  const deploy = async (environment: string, name: string, hoursAgo: number): Promise<void> => {
    const answer = await fetch(`${app.url}/_holdfast/api/0/organizations/any/releases/shop%402.4.1/deploys/`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({
        environment,
        name,
        url: `https://ci.example/shop/${name.replace(/\D+/g, "")}`,
        dateFinished: new Date(Date.now() - hoursAgo * hour).toISOString(),
      }),
    });
    if (!answer.ok) throw new Error(`The deploy was answered with ${answer.status}: ${await answer.text()}`);
  };
  await deploy("staging", "pipeline 4411", 9);
  await deploy("production", "pipeline 4412", 7);
}

export interface MailBox extends AsyncDisposable {
  readonly url: string;
}

/** A mail server that accepts everything. */
export async function startMailBox(): Promise<MailBox> {
  const server = new SMTPServer({ authOptional: true, disabledCommands: ["STARTTLS"] });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(resolve)),
  };
}

/** Three channels: one that works, one that does not answer, and one to a private address, which is refused. */
export async function fillAlerts(app: RunningApp): Promise<void> {
  const save = (fields: Record<string, string>) => postForm(app, "/alerts/_action/save", fields);
  await save({ kind: "mail", name: "Shop team", to: "ada@shop.example max@shop.example" });
  await save({ kind: "mattermost", name: "Channel shop-errors", url: "https://chat.shop.invalid/hooks/kx3" });
  const secret = "a secret of sixteen or more";
  const page = await save({ kind: "webhook", name: "Pager of the night", url: "http://10.20.0.7/alerts", secret });
  const ids = new Set(Array.from(page.matchAll(/name="id" value="([^"]+)"/g), ([, id = ""]) => id));
  for (const id of ids) await postForm(app, "/alerts/_action/test", { id });
  await postForm(app, "/alerts/_action/rule", { kind: "budget", mute: "eight-hours", isOn: "on" });
  await postForm(app, "/alerts/_action/rule", { kind: "crash-free", factor: "2", mute: "none" });
}

/** Keys, filters, scrub rules, tokens and tickets of a team. */
export async function fillIntake(app: RunningApp): Promise<void> {
  const key = (fields: Record<string, string>) => postForm(app, "/settings/keys/_action/save", fields);
  await key({ name: "Pages of the shop", perMinute: "600", origins: "https://shop.example https://*.shop.example" });
  await key({ name: "Partner", perMinute: "60", origins: "" });
  const filter = (kind: string, pattern: string) => postForm(app, "/settings/filters/_action/add", { kind, pattern });
  await filter("message", "*ResizeObserver loop*");
  await filter("browser", "Chrome < 80");
  await filter("crawler", "");
  const rule = (path: string, expression: string) =>
    postForm(app, "/settings/filters/_action/addRule", { path, expression });
  await rule("request.headers.x-customer-*", "");
  await rule("", "KD-\\d{6}");
  const token = (name: string, scope: string, days: string) =>
    postForm(app, "/settings/tokens/_action/project", { do: "create", name, scope, days });
  await token("nightly report", "read", "90");
  await token("pipeline", "upload", "365");
  const template = "https://github.com/shop/shop/issues/new?title={title}&body={body}";
  await postForm(app, "/settings/tickets/_action/template", { template });
  await postForm(app, "/issues/1/_action/ticket", { ticket: "https://github.com/shop/shop/issues/412" });
}

/** The books of a day: two error pages have no event, and a submission was lost with its process. */
export async function fillBalance(app: RunningApp): Promise<void> {
  const now = Date.now() / 1_000;
  const inCart = { value: "Cannot read properties of undefined (reading 'items')", transaction: "/cart" };
  const inCheckout = {
    type: "FetchError",
    value: "The payment provider answered 503",
    function: "payOrder",
    transaction: "/checkout",
  };
  const errors = Array.from({ length: 46 }, (_, n) =>
    anError({
      ...(n % 3 === 0 ? inCheckout : inCart),
      timestamp: now - 300 - ((n * 5_381) % 79_000),
      release: "shop@2.4.1",
      user: { id: `customer-${n % 37}` },
      contexts: { holdfast: { visitor_saw: "error-page" } },
    }),
  );
  const lost = [errors[7], errors[20]];
  const pages = errors.map(({ event_id, timestamp, transaction }, n) => ({
    digest: digestOf(event_id),
    at: timestamp,
    route: transaction,
    side: n % 11 === 10 ? "server" : "browser",
    ...(n % 11 < 5 ? { next: "through" } : n % 11 < 8 ? { next: "further" } : {}),
  }));
  await reportErrors(
    app,
    errors.filter((error) => !lost.includes(error)),
  );
  const leftOut = [{ reason: "filter:resize-observer", category: "error", quantity: 3 }];
  const statement = { timestamp: now - 7_300, discarded_events: leftOut, balance: { source: "shop", pages } };
  await report(app, [jsonItem("client_report", statement)]);
  const hour = Math.floor(now / 3_600);
  for (let n = 0; n < 24; n++) {
    const orders = { done: 31 + ((n * 37) % 19), invalid: (n * 7) % 5, redirected: 4, ...(n === 5 && { failed: 2 }) };
    const open = n === 5 ? [{ id: "a", at: (hour - 5) * 3_600, route: "/checkout", name: "order", state: "lost" }] : [];
    const pagesOfHour = { committed: 412 + ((n * 97) % 230), superseded: 9, "handed-over": 2, cancelled: n % 4 };
    for (const tally of [
      { book: "submissions", hour: hour - n, ends: orders, open },
      { book: "navigations", hour: hour - n, ends: pagesOfHour, open: [] },
    ])
      await report(app, [
        jsonItem("client_report", { discarded_events: [], balance: { source: "shop", pages: [], tallies: [tally] } }),
      ]);
  }
  const isCounted = async (): Promise<boolean> =>
    /data-name="got no further" title="[1-9]/.test(await (await fetch(`${app.url}/_holdfast/1/issues`)).text());
  await holds(isCounted, "Visitors who got no further are counted");
}
