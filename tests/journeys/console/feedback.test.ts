import { expect } from "vitest";
import { digestOf, jsonItem, newEventId } from "#protocol";
import { journey, type RunningApp } from "../../kit/index.ts";
import { anError, report, reportErrors } from "./reports.ts";

const test = journey({ app: "tests/fixtures/watched" });
const as = (person: string) => ({ extraHTTPHeaders: { "x-person": person } });

/** Sends feedback as a Sentry client does. Resolves with its id when the console lists it. */
async function write(app: RunningApp, message: string, given: Record<string, unknown> = {}): Promise<string> {
  const eventId = newEventId();
  const { feedback = {}, ...event } = given;
  const contexts = { feedback: { message, ...(feedback as object) } };
  await report(app, [jsonItem("feedback", { event_id: eventId, ...event, contexts })]);
  const list = `${app.url}/_holdfast/1/feedback`;
  await expect
    .poll(async () => (await fetch(list, { headers: { "x-person": "ada" } })).text())
    .toContain(message.slice(0, 8));
  return eventId;
}

test("feedback is listed with its author, page and event, and makes no issue", async ({ app, visit }) => {
  const error = anError({ value: "cart is gone", function: "listed" });
  await reportErrors(app, [error]);
  await write(app, "Nobody knows me.", { feedback: { name: "Lou", contact_email: "lou@nowhere.test" } });
  await write(app, "It broke <b>twice</b>.", { feedback: { associated_event_id: error.event_id } });
  const alone = await write(app, "I miss a search.", {
    feedback: { name: "Jo", contact_email: "jo@shop.test", url: "javascript:alert(1)" },
    release: "1.2.3",
    breadcrumbs: [{ category: "page", message: "opened /cart" }],
  });
  const operator = await visit("/_holdfast/1/feedback", as("ada"));
  const [second, first, unknown] = await operator.page.getByRole("article").all();
  expect(await second?.textContent()).toMatch(/^Jo, jo@shop\.test wrote, just now\s*I miss a search\./);
  expect(await second?.getByRole("link", { name: "javascript" }).count()).toBe(0);
  // A link to nothing would cost a click. The address of the second is that of a visitor with an error.
  expect(await unknown?.locator("figcaption").getByRole("link").count()).toBe(0);
  expect(await second?.locator("figcaption a").getAttribute("href")).toMatch(/\/visitors\//);
  await second?.getByText("What happened before").click();
  await second?.getByText("opened /cart").waitFor();
  expect(await first?.locator("blockquote").textContent()).toBe("It broke <b>twice</b>.");
  await first?.getByRole("link", { name: "this event" }).click();
  await operator.page.waitForURL(/\/events\//);
  expect(await operator.digestShown()).toBe(digestOf(error.event_id));
  await operator.goTo(`/_holdfast/1/find?q=${alone}`);
  await operator.sees("Feedback");
  expect(await operator.page.getByRole("article").allInnerTexts()).toEqual([
    expect.stringContaining("I miss a search."),
  ]);
  await operator.goTo("/_holdfast/1/issues");
  const titles = await operator.page.locator("main [data-row] a").allTextContents();
  expect(titles.filter((title) => /search|twice/.test(title))).toEqual([]);
});

test("feedback is archived and opened again by members, and only read by viewers", async ({ app, visit }) => {
  await write(app, "Archive me.");
  const operator = await visit("/_holdfast/1/feedback", as("max"));
  const mine = operator.page.getByRole("article").filter({ hasText: "Archive me." });
  await mine.getByRole("button", { name: "Archive" }).click();
  await mine.waitFor({ state: "detached" });
  await operator.page.getByRole("link", { name: "Archived", exact: true }).click();
  await mine.getByRole("button", { name: "Open again" }).click();
  await mine.waitFor({ state: "detached" });
  await operator.page.getByRole("link", { name: "Open", exact: true }).click();
  await mine.waitFor();
  const viewer = await visit("/_holdfast/1/feedback", as("vera"));
  await viewer.page.getByText("Archive me.").waitFor();
  expect(await viewer.page.getByRole("button", { name: "Archive" }).count()).toBe(0);
});

test("a visitor is forgotten by an owner, who first reads what goes", async ({ app, visit }) => {
  await write(app, "Forget me, please.", { feedback: { name: "Ida", contact_email: "ida@gone.test" } });
  const owner = await visit("/_holdfast/1/settings/erase", as("ada"));
  await owner.isAwake();
  await owner.page.getByLabel("Id, digest, number or address").fill("ida@gone.test");
  await owner.page.getByRole("button", { name: "What would be removed?" }).click();
  await owner.page.getByText(/^This removes /).waitFor();
  await owner.page.getByRole("button", { name: "Remove it" }).click();
  await owner.page.getByText("It is being removed.").waitFor();
  const shown = async () =>
    (await fetch(`${app.url}/_holdfast/1/settings/erase`, { headers: { "x-person": "ada" } })).text();
  await expect.poll(shown, { timeout: 30_000 }).toContain("1 message of feedback");
  await owner.goTo("/_holdfast/1/feedback");
  expect(await owner.page.getByText("Forget me, please.").count()).toBe(0);
});
