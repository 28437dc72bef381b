import { describe, expect } from "vitest";
import { journey, type Visitor, withoutJavaScript } from "../kit/index.ts";

const test = journey({ app: "tests/fixtures/forms" }).extend("board", async ({ visit }) => {
  return (name: string): Promise<Visitor> => visit(`/b/${name}`, withoutJavaScript);
});

const listed = (visitor: Visitor): Promise<string[]> => visitor.page.locator("li > span").allTextContents();

const form = (visitor: Visitor, button: string) =>
  visitor.page.locator("form").filter({ has: visitor.page.getByRole("button", { name: button, exact: true }) });

describe("without script", () => {
  test("a refusal shows only in the form that was sent, with what was typed there", async ({ board }) => {
    const visitor = (await board("plain-refused")).expecting(/422/);
    await visitor.fillIn("Name 2", "Item 3");
    await visitor.pressButton("Rename 2");
    await form(visitor, "Rename 2").getByText("There is one of this name.", { exact: true }).waitFor();
    expect(await visitor.page.getByText("There is one of this name.", { exact: true }).count()).toBe(1);
    expect(await visitor.page.getByLabel("Name 2", { exact: true }).inputValue()).toBe("Item 3");
    expect(await visitor.page.getByLabel("Name 1", { exact: true }).inputValue()).toBe("");
  });

  test("a result shows only in the form that was sent, and the form is emptied", async ({ board }) => {
    const visitor = await board("plain-done");
    await visitor.fillIn("New", "One");
    await visitor.pressButton("Add");
    await form(visitor, "Add").getByText("done").waitFor();
    expect(await visitor.page.getByText("done").count()).toBe(1);
    expect(await visitor.page.getByLabel("New", { exact: true }).inputValue()).toBe("");
    expect(await listed(visitor)).toContain("One (0)");
  });

  test("an action that throws shows its page again, with what was typed and the digest", async ({ board }) => {
    const visitor = (await board("plain-thrown")).expecting(/500/);
    await visitor.fillIn("Hopeless", "Still here");
    await visitor.pressButton("Try");
    await form(visitor, "Try").getByText("A server-side exception has occurred.").waitFor();
    expect(await visitor.page.getByLabel("Hopeless").inputValue()).toBe("Still here");
    expect(await visitor.digestShown()).toBeDefined();
  });

  test("a double click is one item, and a reload is none", async ({ board }) => {
    const visitor = await board("plain-twice");
    await visitor.fillIn("New", "One");
    await visitor.page.getByRole("button", { name: "Add", exact: true }).dblclick();
    await visitor.page.getByText("One (0)").waitFor();
    await visitor.page.reload();
    expect((await listed(visitor)).filter((text) => text === "One (0)")).toHaveLength(1);
  });

  test("an action that succeeded is not shown as an error because its page fails to load", async ({ board }) => {
    const visitor = (await board("plain-broken")).expecting(/500/);
    await visitor.fillIn("Last", "Done");
    await visitor.fillIn("Loads", "1");
    await visitor.pressButton("Add and break");
    await visitor.page.locator("h1").waitFor();
    await visitor.goTo("/b/plain-broken");
    expect((await listed(visitor)).filter((text) => text === "Done (0)")).toHaveLength(1);
  });
});
