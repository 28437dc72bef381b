import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { root } from "../../scripts/root.js";
import { application, buildApp, journeyThrough, runHoldfast, startApp, Visitor, writeFiles } from "../kit/index.ts";

const server = `import { action, load, redirect } from "holdfast/server";
import { z } from "zod";

export const data = load("/", () => ({ at: Date.now() }));

const text = z.object({ text: z.string().min(1, "Say something.") });
export const actions = {
  add: action({ input: text }, ({ input }) => ({ said: "Added " + input.text + ".", at: new Date(0) })),
  go: action({ input: text }, () => redirect("/list")),
  fail: action({}, () => { throw new Error("The action is broken."); }),
};`;

function pageOf(version: number): string {
  return `import { Form } from "holdfast";

export default function Home({ actions }: PageProps<"/">) {
  return <main><title>Build ${version}</title><h1>Build ${version}</h1>
    {(["add", "go", "fail"] as const).map((name) => <Form key={name} action={actions[name]} aria-label={name}>
      {(form) => <>
        <input aria-label={"Text to " + name} {...form.field("text")} />
        {form.error("text") && <p {...form.error("text")} />}
        <button type="submit">{name}</button>
        <output>{(form.result as { said: string; at: Date } | undefined)?.said} {(form.result as { at: Date } | undefined)?.at.toISOString()}</output>
      </>}
    </Form>)}
    <input type="password" aria-label="Password" />
  </main>;
}`;
}

const orderPage = {
  "src/pages/order.server.ts": `import { action } from "holdfast/server";
export const actions = { place: action({ keeps: true }, () => ({})) };`,
  "src/pages/order.tsx": `import { Form } from "holdfast";
export default function Order({ actions }: PageProps<"/order">) {
  return <main><h1>Order</h1>
    <Form action={actions.place}><label>Item <input name="item" /></label><button>Order</button></Form></main>;
}`,
};

const folder = application({
  ...orderPage,
  "src/pages/index.server.ts": server,
  "src/pages/index.tsx": pageOf(1),
  "src/pages/list.tsx": "export default () => <main><h1>List</h1></main>;",
});
let version = 0;

const test = journeyThrough(async () => {
  rmSync(join(root, folder, "dist"), { recursive: true, force: true });
  // The folder outlives a run, and the last test removes them.
  writeFiles(join(root, folder), orderPage);
  await buildNext();
  return startApp({ app: folder });
});

async function buildNext(): Promise<void> {
  version += 1;
  writeFiles(join(root, folder), { "src/pages/index.tsx": pageOf(version) });
  await buildApp(folder);
}

async function deploy(app: { restart(): Promise<void> }): Promise<void> {
  await buildNext();
  await app.restart();
}

async function send(visitor: Visitor, name: string, text: string): Promise<void> {
  await visitor.fillIn(`Text to ${name}`, text);
  await visitor.pressButton(name);
}

test("a page of an older build shows the results of its forms, and is loaded in full only after success", {
  timeout: 180_000,
}, async ({ app, visit }) => {
  const visitor = (await visit("/")).expecting(/422/, /500/);
  await visitor.isAlive();
  // The code that sends forms is loaded before the files of its build may disappear.
  await visitor.page.locator("#holdfast-announcer").waitFor({ state: "attached" });
  await deploy(app);

  await visitor.fillIn("Text to fail", "Not sent yet");
  await send(visitor, "add", "");
  await visitor.page.getByText("Say something.").waitFor();
  await send(visitor, "fail", "Still here");
  await visitor.page.getByText("A server-side exception has occurred.").waitFor();
  expect(await visitor.digestShown()).toBeDefined();
  expect(await visitor.page.getByLabel("Text to fail").inputValue()).toBe("Still here");
  await visitor.sees("Build 1");
  expect(visitor.documentsLoaded).toBe(1);

  await visitor.fillIn("Text to fail", "");
  await send(visitor, "add", "one");
  await visitor.sees("Build 2");
  await visitor.page.getByText("Added one. 1970-01-01T00:00:00.000Z").waitFor();
  expect(visitor.documentsLoaded).toBe(2);

  await deploy(app);
  await send(visitor, "go", "on");
  await visitor.sees("List");
  expect(visitor.documentsLoaded).toBe(3);
});

test("text in another form is kept over the full load; if that is impossible, the page is not loaded", {
  timeout: 180_000,
}, async ({ app, visit }) => {
  const visitor = await visit("/");
  await visitor.isAlive();
  await visitor.page.locator("#holdfast-announcer").waitFor({ state: "attached" });
  await deploy(app);
  await visitor.fillIn("Text to fail", "Half written");
  await send(visitor, "add", "one");
  await expect.poll(() => visitor.documentsLoaded).toBe(2);
  await visitor.page.getByText("Added one.").waitFor();
  await expect.poll(() => visitor.page.getByLabel("Text to fail").inputValue()).toBe("Half written");

  await visitor.fillIn("Password", "secret");
  await deploy(app);
  await send(visitor, "add", "two");
  await visitor.page.getByText("Added two.").waitFor();
  // The response to the next form arrives after the page would have been left.
  await send(visitor, "add", "three");
  await visitor.page.getByText("Added three.").waitFor();
  expect(await visitor.page.getByLabel("Password").inputValue()).toBe("secret");
  expect(visitor.documentsLoaded).toBe(2);
});

test("a form that a later build no longer takes: the visitor reads it with a code and gets the text back, the operator an event", {
  timeout: 180_000,
}, async ({ app, visit, proxy }) => {
  const visitor = (await visit("/order")).expecting(/ERR_|Failed/);
  await visitor.isAwake();
  await expect.poll(() => visitor.requestsFor(/_assets\/returns-/).at(-1)?.end).toBe("complete");
  await visitor.fillIn("Item", "a lamp of brass");
  await proxy.offline();
  await visitor.pressButton("Order");
  await visitor.page
    .getByText(/Connection lost/)
    .first()
    .waitFor();
  const pages = [await visitor.page.context().newPage(), await visitor.page.context().newPage()] as const;
  await visitor.page.close();
  for (const file of Object.keys(orderPage)) rmSync(join(root, folder, file));
  await deploy(app);
  await proxy.online();
  const shown = async (page: (typeof pages)[number]): Promise<string> => {
    const next = new Visitor(page, proxy);
    await next.goTo("/");
    const text = page.getByText(
      /has not been received\. The page no longer takes it\. If you ask about it, name the code/,
    );
    await text.waitFor();
    expect(await page.getByRole("textbox", { name: "Copy what you typed" }).inputValue()).toBe("a lamp of brass");
    expect(await next.accessibilityProblems()).toEqual([]);
    return /\w{4}-\w{4}-\w{4}/.exec((await text.textContent()) ?? "")?.[0] ?? "";
  };
  const digest = await shown(pages[0]);
  await expect
    .poll(async () => (await runHoldfast(["event", digest, "--data", app.dataFolder])).log)
    .toContain("action-gone");
  await pages[0].close();
  expect(await shown(pages[1]), "another visit makes no other event").toBe(digest);
  // What cannot be copied stays, and is selected.
  await pages[1].evaluate(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
    document.execCommand = () => false;
  });
  await pages[1].getByRole("button", { name: "Copy what you typed" }).click();
  expect(await pages[1].evaluate(() => String(getSelection()))).toBe("a lamp of brass");
  await pages[1].getByRole("button", { name: "Discard" }).click();
  expect(await pages[1].evaluate(() => localStorage.getItem("holdfast-return"))).toBe(null);
});
