import { expect } from "vitest";
import { digestOf, jsonItem } from "#protocol";
import { application, journeyThrough, startApp, withoutJavaScript } from "../../kit/index.ts";
import { postForm } from "./forms.ts";
import { anError, report, reportErrors } from "./reports.ts";

const shop = application({
  "holdfast.config.ts": `export default { console: { authorize: () => ({ name: "ada@example.org", roles: "owner" }) } };`,
  "src/pages/index.tsx": `export default function Home() { return <h1>Shop</h1>; }`,
  "src/pages/cart.tsx": `export default function Cart() { return <h1>Cart</h1>; }`,
  "src/pages/cart.server.ts": `import { load } from "holdfast/server";
export const data = load(() => { throw new TypeError("The cart is gone."); });`,
  "src/pages/order.tsx": `import { useState } from "react";
export default function Order({ data }: { data: { isBroken: boolean } }) {
  const [fails, setFails] = useState(false);
  if (fails) throw new RangeError("The order is gone.");
  return <>
    <h1>Order</h1>
    <button type="button" onClick={() => setFails(data.isBroken)}>Order now</button>
  </>;
}`,
  "src/pages/order.server.ts": `import { load } from "holdfast/server";
import { state } from "../server/state.ts";
export const data = load(() => ({ isBroken: state.isBroken }));`,
  "src/pages/repair.server.ts": `import { state } from "../server/state.ts";
export function POST() {
  state.isBroken = false;
  return new Response(null, { status: 204 });
}`,
  "src/server/state.ts": `export const state = { isBroken: true };`,
  "src/pages/pay.tsx": `import { useState } from "react";
export default function Pay() {
  const [fails, setFails] = useState(false);
  if (fails) throw new RangeError("The price is gone.");
  return <><h1>Pay</h1><button type="button" onClick={() => setFails(true)}>Pay now</button></>;
}`,
});

const test = journeyThrough(() => startApp({ app: shop }));

test("a note whose event has not arrived is on the overview, and moves to its event when that arrives", async ({
  app,
  visit,
}) => {
  const error = anError({ value: "comes late", function: "comesLate" });
  const digest = digestOf(error.event_id);
  const feedback = { message: "It <b>broke</b>.", name: "Jo", digest };
  await report(app, [jsonItem("feedback", { contexts: { feedback } })]);
  const operator = await visit("/_holdfast/1", withoutJavaScript);
  const notes = operator.page.getByRole("region", { name: "Notes without an event" });
  await expect
    .poll(async () => {
      await operator.page.reload();
      return notes.locator("figure").allInnerTexts();
    })
    .toEqual([expect.stringMatching(new RegExp(`^Jo wrote about ${digest}, just now\\s+It <b>broke</b>\\.$`))]);
  await reportErrors(app, [error]);
  await operator.page.reload();
  await operator.page.locator("main.overview").waitFor();
  expect(await notes.count()).toBe(0);
  await operator.goTo(`/_holdfast/1/events/${digest}`);
  expect(await operator.page.locator("figure.feedback blockquote").allTextContents()).toEqual(["It <b>broke</b>."]);
});

test.for([
  ["of the server, without JavaScript", "/cart"],
  ["of the browser", "/pay"],
] as const)("what a visitor writes on an error page %s is shown with that very event", async ([, path], { visit }) => {
  const customer = await visit(path, { javaScriptEnabled: path === "/pay" });
  if (path === "/cart") customer.expecting(/500/);
  else {
    await customer.isAlive();
    await customer.pressButton("Pay now");
  }
  await customer.page.getByText(/exception has occurred/).waitFor();
  const digest = (await customer.digestShown()) ?? "";
  const note = `I pressed it twice on ${path}.\nThen it was <b>gone</b>.`;
  await customer.page.getByLabel("What were you doing when this happened?").fill(note);
  await customer.page.getByRole("button", { name: "Send note" }).click();
  await customer.page.getByText("Your note was kept").waitFor();

  const operator = await visit(`/_holdfast/1/events/${digest}`);
  // The event may be visible slightly before the note.
  await expect
    .poll(async () => {
      await operator.page.reload();
      return operator.page.locator("figure.feedback blockquote").allTextContents();
    })
    .toEqual([note]);
  expect(await operator.digestShown()).toBe(digest);
  await operator.goTo("/_holdfast/1/issues");
  const titles = await operator.page.locator("main [data-row] a").allTextContents();
  expect(titles.filter((title) => title.includes("Feedback"))).toEqual([]);
});

test("a visitor with a digest learns that it is known, in repair and repaired, by the link of the error page", async ({
  app,
  visit,
}) => {
  const customer = await visit("/_holdfast/answer", { locale: "de-AT" });
  await customer.sees("Wir kennen diesen Code (noch) nicht");
  expect(await customer.accessibilityProblems()).toEqual([]);
  await customer.goTo("/order?size=7");
  await customer.isAlive();
  await customer.pressButton("Order now");
  await customer.page.getByText(/exception has occurred/).waitFor();
  const digest = (await customer.digestShown()) ?? "";
  await customer.clickLink("See whether it is repaired");
  // Until its event is filed, the code is not known.
  const reads = (heading: string) =>
    expect
      .poll(async () => {
        await customer.page.reload();
        return customer.page.getByRole("heading", { level: 1 }).textContent();
      })
      .toBe(heading);
  await reads("Wir wissen davon");
  expect(customer.address).toBe(`/_holdfast/answer/${digest}`);
  expect(await customer.accessibilityProblems()).toEqual([]);

  const number = await issueOf(app, digest);
  await postForm(app, `/issues/${number}/_action/change`, { do: "assign", to: "ada@example.org" });
  await reads("Es wird gerade repariert");
  await postForm(app, `/issues/${number}/_action/change`, { do: "resolve" });
  await reads("Es ist repariert");
  // Other people may have the digest: the address that failed is not on the page.
  expect(await customer.page.content()).not.toMatch(/\/order|size=7|is gone/i);
  await customer.page.getByRole("link", { name: "Startseite" }).click();
  await customer.sees("Shop");
});

test("without JavaScript, the error page leads to the answer, and another code is typed into its form", async ({
  app,
  visit,
}) => {
  const customer = (await visit("/cart", withoutJavaScript)).expecting(/500/);
  const digest = (await customer.digestShown()) ?? "";
  await issueOf(app, digest);
  await customer.clickLink("See whether it is repaired");
  await customer.sees("We know about it");
  await customer.goTo("/_holdfast/answer/0000-0000-0000");
  await customer.sees("We do not know this code (yet)");
  await customer.fillIn("Another code", digest.toLowerCase().replaceAll("-", " "));
  await customer.pressButton("Look up");
  await customer.sees("We know about it");
});

/** The number of the issue to which a digest belongs, once it is filed. */
async function issueOf({ url }: { url: string }, digest: string): Promise<string> {
  const page = await (await fetch(`${url}/_holdfast/d/${digest}`)).text();
  const [, number] = /\/_holdfast\/1\/issues\/(\d+)/.exec(page) ?? [];
  if (number === undefined) throw new Error(`${digest} leads to no issue.`);
  return number;
}
