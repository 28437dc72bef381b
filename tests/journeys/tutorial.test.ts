import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { root } from "../../scripts/root.js";
import { codeBlocksOf } from "../docs/read-guide.ts";
import { application, inKolkata, inNewYork, journey, withoutJavaScript } from "../kit/index.ts";

/** Files of the tutorial, as a reader has them at the end. */
const files = codeBlocksOf(readFileSync(join(root, "docs/guides/tutorial.md"), "utf8")).flatMap(({ name, text }) =>
  name === undefined ? [] : [[name, text] as const],
);

const test = journey({ app: application(Object.fromEntries(files)) });

test("a reader who follows the tutorial has notes to read, to write and to miss", async ({ visit }) => {
  expect(files.length).toBeGreaterThan(8);
  for (const options of [inNewYork, inKolkata, withoutJavaScript]) {
    const visitor = await visit("/", options);
    await visitor.clickLink("Milk");
    await visitor.sees("Milk");
    // As a document too: server and browser must render the same.
    await visitor.page.reload();
    await visitor.page.getByText("Mar 1, 2026").waitFor();
    await visitor.clickLink("All notes");
    await visitor.clickLink("Write a note");
    visitor.expecting(/422/, /404/);
    await visitor.fillIn("Text", "At six.");
    await visitor.pressButton("Keep it");
    await visitor.page.getByText("Give the note a title.").waitFor();
    expect(await visitor.page.getByLabel("Text").inputValue()).toBe("At six.");
    await visitor.fillIn("Title", "Bread");
    await visitor.pressButton("Keep it");
    await visitor.sees("Bread");
    await visitor.goTo("/notes/99");
    await visitor.sees("Page not found");
  }
});
