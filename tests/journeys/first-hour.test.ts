import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { root } from "../../scripts/root.js";
import { codeBlocksOf } from "../docs/read-guide.ts";
import { application, inKolkata, inNewYork, journey, runHoldfast, withoutJavaScript } from "../kit/index.ts";

/** Every file that the guide describes. */
const files = codeBlocksOf(readFileSync(join(root, "docs/guides/first-hour.md"), "utf8")).flatMap(({ name, text }) =>
  name === undefined ? [] : [[name, text] as const],
);

const test = journey({ app: application(Object.fromEntries(files)) });

test("a reader who follows the first hour has a form, a guarded folder and an issue in the console", async ({
  visit,
  app,
}) => {
  expect(files.length).toBeGreaterThan(8);
  for (const options of [inNewYork, inKolkata, withoutJavaScript]) {
    const visitor = await visit("/", options);
    visitor.expecting(/422/);
    await visitor.fillIn("Text", "Good tea.");
    await visitor.pressButton("Sign");
    await visitor.page.getByText("Say who you are.").waitFor();
    expect(await visitor.page.getByLabel("Text").inputValue()).toBe("Good tea.");
    await visitor.fillIn("Name", "Grace");
    await visitor.pressButton("Sign");
    await visitor.page.getByText("Good tea. (Grace").waitFor();
    // As a document too: server and browser must render the same.
    await visitor.page.reload();
    await visitor.page.getByText("Good tea. (Grace").waitFor();

    await visitor.clickLink("For the keeper");
    await visitor.sees("Sign in");
    await visitor.fillIn("Password", "wrong");
    await visitor.pressButton("Enter");
    await visitor.page.getByText("That is not it.").waitFor();
    await visitor.fillIn("Password", "kelp");
    await visitor.pressButton("Enter");
    await visitor.sees("Keeper");
    await visitor.pressButton("Clear the guestbook");
    await visitor.page.getByText("0 entries.").waitFor();
  }
  // The service files accepted events asynchronously.
  const issues = () => runHoldfast(["issues", "--data", join(app.dataFolder, "data")]);
  await expect.poll(async () => (await issues()).log).toContain("The guestbook was cleared");
});
