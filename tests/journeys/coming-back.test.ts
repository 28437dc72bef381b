import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { application, journey, Visitor } from "../kit/index.ts";
import { postForm } from "./console/forms.ts";

const folder = application({
  "holdfast.config.ts": `
export default {
  console: { authorize: () => ({ name: "ada@example.org", roles: "owner" }) },
  limits: { brokenPages: 1, brokenPageDays: 30 },
};`,
  "src/server/orders.ts": "export const orders: string[] = [];",
  "src/pages/index.tsx": `export default () => <main><title>Home</title><h1>Home</h1></main>;`,
  "src/pages/desk.server.ts": `
import { action } from "holdfast/server";
export const actions = { write: action({}, () => ({})) };`,
  "src/pages/desk.tsx": `
import { Form } from "holdfast";
import { useState } from "react";
export default function Desk({ actions }: PageProps<"/desk">) {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) throw new Error("The desk has three legs.");
  return <main><title>Desk</title><h1>Desk</h1>
    <Form action={actions.write}><label>Story <input name="story" /></label><button>Write</button></Form>
    <button type="button" onClick={() => setBroken(true)}>Lean on it</button></main>;
}`,
  "src/pages/orders.server.ts": `
import { load } from "holdfast/server";
import { orders } from "../server/orders.ts";
export const data = load("/orders", () => ({ orders }));`,
  "src/pages/orders.tsx": `
export default function Orders({ data }: PageProps<"/orders">) {
  return <main><title>Orders</title><h1>Orders</h1><ul>{data.orders.map((one) => <li key={one}>{one}</li>)}</ul></main>;
}`,
  "src/pages/order.server.ts": `
import { action, load } from "holdfast/server";
import { orders } from "../server/orders.ts";
export const data = load("/order", ({ cookies }) => ({ who: cookies.get("who") ?? "a guest" }));
export const actions = {
  place: action({ keeps: { identity: ({ cookies }) => cookies.get("who") ?? "a guest" } }, ({ input, identity }) => {
    const form = input as FormData;
    orders.push([form.get("item"), form.get("shop"), form.getAll("extra").join("+"), identity].join(", "));
    return {};
  }),
};`,
  "src/pages/order.tsx": `
import { Form } from "holdfast";
export default function Order({ data, actions }: PageProps<"/order">) {
  return <main><title>Order</title><h1>Order</h1><p>for {data.who}</p>
    <Form action={actions.place}>{(form) => <>
      <label>Item <input name="item" /></label>
      <label>Cream <input type="checkbox" name="extra" value="cream" /></label>
      <label>Ice <input type="checkbox" name="extra" value="ice" /></label>
      <label>Code word <input type="password" name="word" /></label>
      <input type="hidden" name="shop" value="shop 7" />
      <button>Order</button>{form.result !== undefined && <output>ordered</output>}
    </>}</Form></main>;
}`,
});

const test = journey({ app: folder }).extend("atOrder", async ({ visit }) => {
  return async (who: string, item: string): Promise<Visitor> => {
    const visitor = await visit("/");
    await signIn(visitor, who);
    await visitor.goTo("/order");
    await visitor.isAwake();
    await expect.poll(() => visitor.requestsFor(/_assets\/returns-/).at(-1)?.end).toBe("complete");
    await visitor.fillIn("Item", item);
    await visitor.page.getByLabel("Ice").check();
    return visitor;
  };
});

async function signIn({ page, proxy }: Visitor, who: string): Promise<void> {
  await page.context().addCookies([{ name: "who", value: who, url: proxy.url }]);
}

/** Closes the tab. The next one is another visit in the same browser. */
async function returnTo(visitor: Visitor, path: string): Promise<Visitor> {
  const context = visitor.page.context();
  // Of a browser without any page the context would be closed.
  const page = await context.newPage();
  await visitor.page.close();
  const next = new Visitor(page, visitor.proxy);
  await next.goTo(path);
  return next;
}

const notice = ({ page }: Visitor, text: string | RegExp) => page.getByRole("status").getByText(text);

/** The attempts that were sent of one item, without the questions about them. */
const attempts = (visitor: Visitor, item: string): string[] =>
  visitor
    .requestsFor(/_action\/place\/_data/)
    .map(({ body }) => body.toString())
    .filter((body) => body.includes(item))
    .map((body) => /name="_attempt"\s+(\d+)/.exec(body)?.[1] ?? "");

async function ordered({ proxy }: Visitor, item: string): Promise<string[]> {
  const html = await (await fetch(`${proxy.url}/orders`)).text();
  return [...html.matchAll(/<li>([^<]+)<\/li>/g)].map(([, one = ""]) => one).filter((one) => one.startsWith(item));
}

const stored = ({ page }: Visitor) => page.evaluate(() => localStorage.getItem("holdfast-return"));

describe("a form that keeps what was sent", () => {
  test("a form whose tab is closed before the response: the next visit learns that it was received", async ({
    atOrder,
    proxy,
  }) => {
    const visitor = await atOrder("ada", "tea");
    proxy.when(/_action\/place\/_data/).stallAfter(0);
    await visitor.pressButton("Order");
    await expect.poll(() => ordered(visitor, "tea")).toEqual(["tea, shop 7, ice, ada"]);
    expect(await stored(visitor)).toContain("tea");
    const next = await returnTo(visitor, "/");
    await notice(next, /What you sent on \w+ .* has been received\./).waitFor();
    expect(attempts(next, "tea")).toEqual(["1"]);
    expect(await next.accessibilityProblems()).toEqual([]);
    await next.pressButton("Close");
    expect(await next.page.locator("#holdfast-return").count()).toBe(0);
    expect([await stored(next), await ordered(next, "tea")]).toEqual([null, ["tea, shop 7, ice, ada"]]);
  });

  test("a form without a connection is sent by one of the tabs of the next visit, once and as a whole", async ({
    atOrder,
    proxy,
  }) => {
    const visitor = (await atOrder("ada", "cocoa")).expecting(/ERR_|Failed/);
    await visitor.page.getByLabel("Cream").check();
    await proxy.offline();
    await visitor.pressButton("Order");
    await visitor.page
      .getByText(/Connection lost/)
      .first()
      .waitFor();
    const context = visitor.page.context();
    const pages = [await context.newPage(), await context.newPage()];
    await visitor.page.close();
    await proxy.online();
    const tabs = pages.map((page) => new Visitor(page, proxy));
    await Promise.all(tabs.map((tab) => tab.goTo("/")));
    await expect.poll(() => ordered(visitor, "cocoa")).toEqual(["cocoa, shop 7, cream+ice, ada"]);
    const seen = (): Promise<number[]> => Promise.all(tabs.map((tab) => notice(tab, /has been received/).count()));
    await expect.poll(async () => (await seen()).toSorted()).toEqual([0, 1]);
    expect(attempts(visitor, "cocoa").filter((attempt) => attempt === "2")).toHaveLength(1);
  });

  test("a form is not sent for another person, and is for the one who sent it", async ({ atOrder, proxy }) => {
    const visitor = (await atOrder("ada", "coffee")).expecting(/ERR_|Failed/);
    await proxy.offline();
    await visitor.pressButton("Order");
    await visitor.page
      .getByText(/Connection lost/)
      .first()
      .waitFor();
    const next = await visitor.page.context().newPage();
    await visitor.page.close();
    await proxy.online();
    await signIn(visitor, "bob");
    const bob = new Visitor(next, proxy);
    await bob.goTo("/order");
    await notice(bob, /It is only sent for the person who was signed in then\./).waitFor();
    expect(await bob.page.getByText("coffee").count()).toBe(0);
    expect([attempts(bob, "coffee").includes("2"), await ordered(bob, "coffee")]).toEqual([false, []]);
    await signIn(bob, "ada");
    const ada = await returnTo(bob, "/");
    await notice(ada, /has been received/).waitFor();
    expect(await ordered(ada, "coffee")).toEqual(["coffee, shop 7, ice, ada"]);
  });

  test("a form with a password is not stored as a whole: the visitor is led to the form with what was typed", async ({
    atOrder,
    proxy,
  }) => {
    const visitor = (await atOrder("ada", "juice")).expecting(/ERR_|Failed/);
    await visitor.fillIn("Code word", "open sesame");
    await proxy.offline();
    await visitor.pressButton("Order");
    await visitor.page
      .getByText(/Connection lost/)
      .first()
      .waitFor();
    expect(await stored(visitor)).not.toContain("sesame");
    const next = await visitor.page.context().newPage();
    await visitor.page.close();
    await proxy.online();
    const later = new Visitor(next, proxy);
    await later.goTo("/");
    await notice(later, /has not been received\. Passwords and files have to be entered again\./).waitFor();
    await later.pressButton("Open the form");
    await later.sees("Order");
    await expect.poll(() => later.page.getByLabel("Item").inputValue()).toBe("juice");
    expect(await later.page.getByLabel("Ice").isChecked()).toBe(true);
    expect([await later.page.getByLabel("Code word").inputValue(), await stored(later)]).toEqual(["", null]);
    expect(await ordered(later, "juice")).toEqual([]);
  });
});

describe("a form that is too old to be sent without asking", () => {
  test("a form of yesterday is opened with its text, and after a week it is shown once more", async ({
    atOrder,
    proxy,
  }) => {
    const visitor = (await atOrder("ada", "lemonade")).expecting(/ERR_|Failed/);
    await proxy.offline();
    await visitor.pressButton("Order");
    await visitor.page
      .getByText(/Connection lost/)
      .first()
      .waitFor();
    const left = (await stored(visitor)) ?? "";
    const context = visitor.page.context();
    // The clock is that of the whole browser.
    const later = async (hours: number, page: Page): Promise<Visitor> => {
      await page.clock.setFixedTime(Date.now() + hours * 3_600_000);
      const next = new Visitor(page, proxy);
      await next.goTo("/");
      await next.isAwake();
      return next;
    };
    const first = await context.newPage();
    await visitor.page.close();
    await proxy.online();
    const yesterday = await later(21, first);
    await notice(yesterday, /What you sent on \w+day .* has not been received\./).waitFor();
    await yesterday.pressButton("Open the form");
    await yesterday.sees("Order");
    await expect.poll(() => yesterday.page.getByLabel("Item").inputValue()).toBe("lemonade");
    expect(await stored(yesterday)).toBe(null);
    await yesterday.page.evaluate((text) => localStorage.setItem("holdfast-return", text), left);
    const lastWeek = await later(8 * 24, await context.newPage());
    // The server has forgotten what it received, and a weekday would name another day.
    await notice(lastWeek, /It is not known whether what you sent on \w+ \d+ .* was received\./).waitFor();
    expect(await stored(lastWeek)).toBe(null);
    const then = await later(8 * 24, await context.newPage());
    expect([await then.page.locator("#holdfast-return").count(), await ordered(then, "lemonade")]).toEqual([0, []]);
  });
});

describe("a page that broke", () => {
  test("a page that broke and is repaired leads the next visit back to it, with what was typed", async ({
    app,
    visit,
    proxy,
  }) => {
    const visitor = await visit("/desk?leg=1");
    const broken = async (): Promise<string> => {
      await visitor.isAwake();
      await visitor.fillIn("Story", "Once upon a time");
      await visitor.pressButton("Lean on it");
      await visitor.sees("Application error");
      const shown = (await visitor.digestShown()) ?? "";
      await expect.poll(() => stored(visitor)).toContain(shown);
      return shown;
    };
    const first = await broken();
    await visitor.goTo("/desk");
    const digest = await broken();
    expect(await stored(visitor), "the configuration allows one").not.toContain(first);
    const context = visitor.page.context();
    const later = async (minutes: number): Promise<Visitor> => {
      const page = await context.newPage();
      await page.clock.setFixedTime(Date.now() + minutes * 60_000);
      const next = new Visitor(page, proxy);
      await next.goTo("/");
      await expect.poll(() => next.requestsFor(/_holdfast\/answer/).at(-1)?.end).toBe("complete");
      return next;
    };
    const answer = (): Promise<Response> =>
      fetch(`${app.url}/_holdfast/answer/${digest}`, { headers: { accept: "application/json" } });
    await expect.poll(async () => (await answer()).json()).toEqual({ state: "known" });
    const early = await later(15);
    expect(await early.page.locator("#holdfast-return").count()).toBe(0);
    const event = await (await fetch(`${app.url}/_holdfast/d/${digest}`)).text();
    const [, number] = /\/_holdfast\/1\/issues\/(\d+)/.exec(event) ?? [];
    await postForm(app, `/issues/${number}/_action/change`, { do: "resolve" });
    expect(await (await answer()).json()).toEqual({ state: "repaired" });
    // Ten days: the configuration allows more than the week that is usual.
    const next = await later(14_400);
    await Promise.all([visitor.page.close(), early.page.close()]);
    await notice(next, /What failed on \w+ .* works now\./).waitFor();
    expect(await next.accessibilityProblems()).toEqual([]);
    await next.clickLink("Continue where it broke");
    await next.sees("Desk");
    await expect.poll(() => next.page.getByLabel("Story").inputValue()).toBe("Once upon a time");
    expect(await stored(next)).toBe(null);
  });
});
