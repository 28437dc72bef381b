import { expect } from "vitest";
import { digestOf, jsonItem } from "#protocol";
import { application, journeyThrough, startApp, withoutJavaScript } from "../../kit/index.ts";
import { anError, report, reportErrors } from "./reports.ts";

const shop = application({
  "holdfast.config.ts": `export default { console: { authorize: () => ({ name: "ada@example.org", roles: "owner" }) } };`,
  "src/pages/index.tsx": `export default function Home() { return <h1>Shop</h1>; }`,
  "src/pages/cart.tsx": `export default function Cart() { return <h1>Cart</h1>; }`,
  "src/pages/cart.server.ts": `import { load } from "holdfast/server";
export const data = load(() => { throw new TypeError("The cart is gone."); });`,
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
