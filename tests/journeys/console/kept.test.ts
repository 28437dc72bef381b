import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions } from "playwright-core";
import { expect } from "vitest";
import {
  application,
  journeyThrough,
  type RunningApp,
  startApp,
  type Visitor,
  withoutJavaScript,
} from "../../kit/index.ts";
import { breaksNoRule } from "./accessible.ts";

/** Each order is a line in a file of the data folder. The handler throws while the folder has a file `broken`. */
const shop = application({
  "holdfast.config.ts": `
    export default {
      console: {
        authorize: ({ headers }) => ({ name: "ada@example.org", roles: headers.get("x-role") ?? "owner" }),
      },
    };
  `,
  "src/pages/index.tsx": `
    import { Form } from "holdfast";
    export default function Shop({ actions }: PageProps<"/">) {
      return (
        <main>
          <title>Shop</title>
          <h1>Shop</h1>
          <Form action={actions.order} encType="multipart/form-data">
            <label>Item <input name="item" /></label>
            <label>Card number <input name="card_number" /></label>
            <label>Picture <input type="file" name="picture" /></label>
            <button type="submit">Order</button>
          </Form>
        </main>
      );
    }
  `,
  "src/pages/index.server.ts": `
    import { appendFileSync, existsSync } from "node:fs";
    import { join } from "node:path";
    import { action } from "holdfast/server";

    const data = process.env.HOLDFAST_DATA ?? "";

    export const actions = {
      order: action({ keeps: true, uploads: true }, ({ input }) => {
        if (!(input instanceof FormData)) return;
        if (existsSync(join(data, "broken"))) throw new Error("The stock is unknown.");
        appendFileSync(join(data, "orders"), "ordered " + input.get("item") + "\\n");
      }),
    };
  `,
});

const test = journeyThrough(() => startApp({ app: shop }));

const secret = "number-on-the-card-4711";
/** Shorter than the time of a test, so that a failing step names itself. */
const waitMs = 10_000;

const ordersOf = ({ dataFolder }: RunningApp): string =>
  existsSync(join(dataFolder, "orders")) ? readFileSync(join(dataFolder, "orders"), "utf8") : "";

function setBroken({ dataFolder }: RunningApp, isBroken: boolean): void {
  const file = join(dataFolder, "broken");
  if (isBroken) writeFileSync(file, "");
  else rmSync(file, { force: true });
}

type Visit = (path: string, options?: BrowserContextOptions) => Promise<Visitor>;

/** A visitor's order fails. Returns the code that they read. */
async function failedOrder(visit: Visit, item: string, options?: BrowserContextOptions): Promise<string> {
  const visitor = (await visit("/", options)).expecting(/50\d/);
  visitor.page.setDefaultTimeout(waitMs);
  if (!options) await visitor.isAlive();
  await visitor.fillIn("Item", item);
  await visitor.fillIn("Card number", secret);
  const picture = { name: "picture.png", mimeType: "image/png", buffer: Buffer.from("a picture") };
  await visitor.page.getByLabel("Picture").setInputFiles(picture);
  await visitor.pressButton("Order");
  await visitor.page.getByText("We have kept what you sent").waitFor();
  return (await visitor.digestShown()) ?? "";
}

/** An operator, with everything that their browser was sent. */
async function operatorAt(visit: Visit, path: string, options?: BrowserContextOptions) {
  const operator = await visit(path, options);
  operator.page.setDefaultTimeout(waitMs);
  const sent: Promise<string>[] = [operator.page.content()];
  operator.page.on("response", (response) => {
    if (new URL(response.url()).pathname.startsWith("/_holdfast/1")) sent.push(response.text().catch(() => ""));
  });
  return { operator, sent: async () => (await Promise.all(sent)).join("\n") };
}

test("an operator finds what a visitor sent by the code, dry-runs it, runs it once, and sees the outcome", async ({
  app,
  visit,
}) => {
  setBroken(app, true);
  const code = await failedOrder(visit, "lamp");
  expect(code).toMatch(/^\w{4}-\w{4}-\w{4}$/);
  const { operator, sent } = await operatorAt(visit, "/_holdfast/1");
  await operator.isAlive();
  await operator.page.locator("#find").fill(code.toLowerCase());
  await operator.page.keyboard.press("Enter");
  await operator.sees(`Kept submission ${code}`);
  await operator.page.getByText("picture.png (9 B)").waitFor();
  await breaksNoRule(operator, "event with a kept submission");
  await operator.clickLink("Run or forget it");
  await operator.sees("Kept submissions");
  const other = await operatorAt(visit, operator.address);
  await breaksNoRule(operator, "a kept submission");

  await operator.pressButton("Dry run");
  await operator.page.getByText("It would run").waitFor();
  await operator.pressButton("Run again");
  await operator.page.getByText(/It failed again: The stock is unknown\. \(\w{4}-\w{4}-\w{4}\)/).waitFor();
  await operator.page.getByText("▲ failed again by ada@example.org").waitFor();
  expect(ordersOf(app)).toBe("");

  setBroken(app, false);
  await operator.pressButton("Run again");
  await operator.page.getByText("It ran, and is done.").waitFor();
  await operator.page.getByText("✓ done by ada@example.org").waitFor();
  expect(await operator.page.getByRole("button", { name: "Run again" }).count()).toBe(0);
  await other.operator.pressButton("Run again");
  await other.operator.page.getByText("It did not run: it is done, and runs once only.").waitFor();
  expect(ordersOf(app)).toBe("ordered lamp\n");

  await operator.clickLink("Event");
  await operator.page.getByText("✓ done by ada@example.org").waitFor();
  await operator.goTo("/_holdfast/1/settings");
  await operator.page.getByText(`ran the kept submission ${code} again: done`).waitFor();
  const all = (await sent()) + (await other.sent());
  expect(all).toContain("lamp");
  expect(all).not.toContain(secret);
}, 90_000);

test("without JavaScript, all of an issue are dry-run and run with a table of outcomes, and one is forgotten", async ({
  app,
  visit,
}) => {
  setBroken(app, true);
  const codes: string[] = [];
  for (const item of ["chair", "table"]) codes.push(await failedOrder(visit, item, withoutJavaScript));
  const [first = "", second = ""] = codes;
  const { operator, sent } = await operatorAt(visit, `/_holdfast/1/events/${first}`, withoutJavaScript);
  await operator.clickLink(/^Issue #\d+$/);
  await operator.page.getByText("2 submissions of visitors are kept").waitFor();
  await operator.clickLink("Dry run or run them");
  await operator.sees(/^Kept submissions of issue #\d+$/);
  await operator.pressButton("Dry run all");
  await operator.page.getByText("2 of 2 would run.").waitFor();
  setBroken(app, false);
  await operator.pressButton("Run all 2");
  await operator.page.getByText("2 of 2 done.").waitFor();
  const outcomes = operator.page.getByRole("status").getByRole("row");
  expect(await outcomes.allTextContents()).toEqual([
    "CodeOutcome",
    `${first}It ran, and is done.`,
    `${second}It ran, and is done.`,
  ]);
  await operator.sees("Nothing waits");
  expect(ordersOf(app)).toContain("ordered chair\nordered table\n");

  setBroken(app, true);
  const third = await failedOrder(visit, "sofa", withoutJavaScript);
  setBroken(app, false);
  const viewer = await operatorAt(visit, `/_holdfast/1/kept?code=${third}`, {
    extraHTTPHeaders: { "x-role": "viewer" },
  });
  await viewer.operator.page.getByText("Members see what was sent.").waitFor();
  expect(await viewer.operator.page.getByRole("button", { name: "Run again" }).count()).toBe(0);
  expect(await viewer.sent()).not.toContain("sofa");
  await operator.goTo("/_holdfast/1/kept");
  await operator.clickLink(third);
  await operator.page.getByText("Forget", { exact: true }).click();
  await operator.pressButton("Delete what was sent");
  await operator.page.getByText("It is forgotten").waitFor();
  await operator.page.getByText("∅ forgotten by ada@example.org").waitFor();
  await operator.goTo("/_holdfast/1/kept?show=all");
  expect(await operator.page.getByRole("row").count()).toBe(5);
  expect(ordersOf(app)).not.toContain("sofa");
  expect(await sent()).not.toContain(secret);
}, 90_000);
