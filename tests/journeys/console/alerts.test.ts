import { expect } from "vitest";
import { startAlertReceiver } from "../../kit/alert-receiver.ts";
import { application, journey, type Visitor } from "../../kit/index.ts";
import { anError, reportErrors } from "./reports.ts";

const test = journey({
  app: application({ "src/pages/index.tsx": `export default function Home() { return <h1>Home</h1>; }` }),
});

/** Opens the alerts of the first project as its owner. */
async function openAlerts(visit: (path: string) => Promise<Visitor>, log: string): Promise<Visitor> {
  const link = /Console {2}http:\/\/[^/]+(\/_holdfast\/welcome\/\S+)/.exec(log)?.[1] ?? "";
  const owner = await visit(link);
  await owner.page.getByLabel("E-mail address").fill("ada@example.org");
  await owner.page.getByLabel("Password").fill("several words to remember");
  await owner.pressButton("Begin");
  await owner.page.locator("main.overview").waitFor();
  await owner.goTo("/_holdfast/1/alerts");
  return owner;
}

test("an owner adds a webhook to a private host, sees why it is refused, allows it, and is notified of a new issue once", async ({
  app,
  visit,
}) => {
  await using hook = await startAlertReceiver();
  const owner = await openAlerts(visit, app.log);
  const { page } = owner;
  await page.getByText("No one is notified yet.", { exact: false }).waitFor();

  await page.getByText("Webhook", { exact: true }).click();
  const form = page.locator("form").filter({ has: page.getByRole("button", { name: "Add Webhook" }) });
  await form.getByLabel("Name").fill("Operators");
  await form.getByLabel("Address of the webhook").fill(hook.url);
  await form.getByLabel("Secret for its signature").fill("short");
  owner.expecting(/422/);
  await owner.pressButton("Add Webhook");
  await form.getByText("16", { exact: false }).first().waitFor();
  await form.getByLabel("Secret for its signature").fill("a secret of sixteen or more");
  await owner.pressButton("Add Webhook");
  await page.getByRole("heading", { name: /Operators/ }).waitFor();

  await owner.pressButton("Send a test to Operators");
  await page.getByText("not public", { exact: false }).first().waitFor();
  expect(hook.received).toHaveLength(0);

  await page.getByLabel("Private hosts that webhooks may reach").fill(hook.host);
  await page.locator("section").filter({ hasText: "private hosts" }).getByRole("button", { name: "Save" }).click();
  await page.getByText("Kept.").waitFor();
  await owner.pressButton("Send a test to Operators");
  await page.getByText("Sent. Look whether it has arrived.").waitFor();
  expect(hook.received).toHaveLength(1);
  await page.getByText("Last sent", { exact: false }).waitFor();

  await reportErrors(app, [anError({ value: "cart is undefined" })]);
  await reportErrors(app, [anError({ value: "cart is undefined" })]);
  await expect.poll(() => hook.received.length, { timeout: 40_000 }).toBe(2);
  const { reason, title, digest, link } = hook.received[1]?.body ?? {};
  expect({ reason, title }).toEqual({ reason: "New issue", title: "TypeError: cart is undefined" });
  // The link leads to the issue, and the digest to that very event.
  await owner.goTo(new URL(String(link)).pathname);
  await owner.sees(/cart is undefined/);
  await owner.goTo(`/_holdfast/d/${digest}`);
  await owner.sees(/cart is undefined/);
});
