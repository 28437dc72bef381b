import { expect } from "vitest";
import { journey, type Visitor } from "../kit/index.ts";

const test = journey({ app: "tests/fixtures/pages" });

/** What a fetcher of the page shows. */
const stateOf = async (visitor: Visitor, name: string): Promise<Record<string, unknown>> =>
  JSON.parse((await visitor.page.getByLabel(name).locator("output").textContent()) || "{}");

const press = (visitor: Visitor, name: string, button: string) =>
  visitor.page.getByLabel(name).getByRole("button", { name: button, exact: true }).click();

test("a fetcher loads another page's data for all that share it, by one request, and stays", async ({
  visit,
  proxy,
}) => {
  const visitor = await visit("/previews");
  await visitor.isAwake();
  const gate = proxy.when(/orders\/7\/_data/).hold();
  await press(visitor, "one", "Load 7");
  await gate.taken();
  await press(visitor, "two", "Load 7");
  for (const name of ["one", "two"]) await expect.poll(() => stateOf(visitor, name)).toMatchObject({ pending: true });
  gate.release();
  for (const name of ["one", "two"])
    await expect.poll(() => stateOf(visitor, name)).toMatchObject({ pending: false, data: { name: "Lamp" } });
  expect(visitor.requestsFor(/orders\/7\/_data/)).toHaveLength(1);
  expect([visitor.address, visitor.documentsLoaded]).toEqual(["/previews", 1]);
  // What was read is as good as prefetched; asking again is a request.
  await press(visitor, "one", "Load 7");
  await press(visitor, "two", "Reload");
  await expect.poll(() => visitor.requestsFor(/orders\/7\/_data/).length).toBe(2);
  // A newer load replaces the pending one, and the state stays with the component that is left.
  const slow = proxy.when(/orders\/8\/_data/).hold();
  await press(visitor, "one", "Load 8");
  await slow.taken();
  await visitor.pressButton("Hide");
  visitor.expecting(/404/);
  await press(visitor, "two", "Load missing");
  await expect.poll(() => stateOf(visitor, "two")).toMatchObject({ failure: { kind: "not-found", status: 404 } });
  expect(visitor.requestsFor(/orders\/8\/_data/).at(-1)?.end).not.toBe("complete");
});

test("a fetcher has a kind for each failure, with its digest, and a redirect of a guard leads nowhere", async ({
  visit,
}) => {
  const visitor = await visit("/previews");
  await visitor.isAwake();
  await press(visitor, "one", "Load moved");
  await expect.poll(() => stateOf(visitor, "one")).toMatchObject({ failure: { kind: "redirected" } });
  expect((await stateOf(visitor, "one")).failure).toMatchObject({ to: expect.stringMatching(/\/orders\/7$/) });
  visitor.expecting(/401/);
  await press(visitor, "one", "Load private");
  await expect.poll(() => stateOf(visitor, "one")).toMatchObject({ failure: { kind: "refused", status: 401 } });
  await press(visitor, "guarded", "Load guarded");
  await expect.poll(() => stateOf(visitor, "guarded")).toMatchObject({ kind: "redirected" });
  visitor.expecting(/500/);
  await press(visitor, "late", "Load broken");
  await expect
    .poll(() => stateOf(visitor, "late"))
    .toMatchObject({ kind: "failed", status: 500, digest: expect.stringMatching(/^\w{4}-\w{4}-\w{4}$/) });
  await press(visitor, "late", "Load late");
  await visitor.page.getByText("here at last").waitFor();
  expect([visitor.address, visitor.documentsLoaded]).toEqual(["/previews", 1]);
});

test("a fetcher whose connection is lost continues when it is back, and after a deploy the page is renewed", async ({
  visit,
  proxy,
}) => {
  const visitor = await visit("/previews");
  await visitor.isAwake();
  // Its code has loaded.
  await press(visitor, "one", "Load 8");
  await expect.poll(() => stateOf(visitor, "one")).toMatchObject({ data: { name: "Thing 8" } });
  visitor.expecting(/Failed to load resource|ERR_/);
  proxy.offline();
  await press(visitor, "one", "Load 7");
  await expect.poll(() => stateOf(visitor, "one")).toMatchObject({ pending: true, held: true });
  proxy.online();
  await expect.poll(() => stateOf(visitor, "one")).toMatchObject({ held: false, data: { name: "Lamp" } });
  const line = JSON.stringify({ build: "other", route: "/orders/[id]", fresh: 0, expires: 0, tag: "" });
  const type = "application/vnd.holdfast.page-data";
  proxy.when(/orders\/8\/_data|previews\/_data/).answer(200, `${line}\n`, { "content-type": type });
  await press(visitor, "one", "Load 8");
  await expect.poll(() => stateOf(visitor, "one")).toMatchObject({ data: { name: "Thing 8" } });
  await press(visitor, "one", "Reload");
  await expect.poll(() => visitor.documentsLoaded).toBe(2);
  await visitor.sees("Previews");
});
