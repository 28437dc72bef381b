import { describe, expect } from "vitest";
import { journey, type Visitor } from "../kit/index.ts";

const test = journey({ app: "tests/fixtures/forms" }).extend("board", async ({ visit }) => {
  return async (name: string): Promise<Visitor> => {
    const visitor = await visit(`/b/${name}`);
    await visitor.isAlive();
    return visitor;
  };
});

/** Rests on a link until its page has been fetched ahead. */
async function fetchAhead(visitor: Visitor, board: string): Promise<void> {
  await visitor.page.getByRole("link", { name: "List" }).hover();
  await expect.poll(() => visitor.requestsFor(`/b/${board}/list/_data`).at(-1)?.end).toBe("complete");
}

const listed = (visitor: Visitor): Promise<string[]> => visitor.page.getByRole("listitem").allTextContents();

describe("what was fetched ahead is forgotten", () => {
  test("when an action redirects: the page it leads to has the new item", async ({ board }) => {
    const visitor = await board("redirected");
    await fetchAhead(visitor, "redirected");
    await visitor.fillIn("Next", "After");
    await visitor.pressButton("Add and go");
    await visitor.sees("List");
    expect(await listed(visitor)).toContain("After");
  });

  test("in the visitor's other tabs when an action redirects", async ({ board, proxy }) => {
    const visitor = await board("elsewhere");
    const other = await visitor.page.context().newPage();
    await other.goto(`${proxy.url}/b/elsewhere`);
    await other.locator("html[data-holdfast=alive]").waitFor();
    await other.getByRole("link", { name: "List" }).hover();
    await expect.poll(() => proxy.requestsFor("/b/elsewhere/list/_data")[0]?.end).toBe("complete");
    await visitor.fillIn("Next", "After");
    await visitor.pressButton("Add and go");
    await visitor.sees("List");
    await other.getByRole("link", { name: "List" }).click();
    await other.getByText("After").waitFor();
  });

  test("when the answer is lost: the action may have run", async ({ board, proxy }) => {
    const visitor = (await board("lost")).expecting(/ERR_|_outcome/);
    await fetchAhead(visitor, "lost");
    proxy.when(/_action/).cutAfter(1);
    await visitor.fillIn("New", "After");
    await visitor.pressButton("Add");
    await visitor.page.getByText("Connection lost").waitFor();
    proxy.healed();
    await visitor.clickLink("List");
    await visitor.sees("List");
    expect(await listed(visitor)).toContain("After");
  });
});

describe("a form whose answer was lost", () => {
  test("is not sent again when the connection returns", async ({ board, proxy }) => {
    const visitor = (await board("online")).expecting(/ERR_|_outcome/);
    proxy.when(/_action/).stallAfter(1);
    await visitor.fillIn("New", "Once");
    await visitor.pressButton("Add");
    await expect.poll(() => proxy.requestsFor(/_action/)[0]?.bytes).toBe(1);
    await proxy.offline();
    await visitor.page.getByText("Connection lost").waitFor();
    proxy.healed();
    await proxy.online();
    await visitor.page.evaluate(() => dispatchEvent(new Event("online")));
    // Another page of the same tab: whatever `online` sent has been sent before this is asked for.
    await visitor.clickLink("List");
    await visitor.sees("List");
    expect((await listed(visitor)).filter((text) => text === "Once")).toHaveLength(1);
    expect(proxy.requestsFor(/_action\/add\b/).filter(({ path }) => !path.includes("_outcome"))).toHaveLength(1);
  });
});
