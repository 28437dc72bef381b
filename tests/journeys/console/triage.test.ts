import { expect } from "vitest";
import { digestOf, newSpanId, newTraceId } from "#protocol";
import { journey, withoutJavaScript } from "../../kit/index.ts";
import { anError, reportErrors } from "./reports.ts";

const test = journey({ app: "tests/fixtures/watched" });

test("the box accepts a digest, an event id, a trace id, an issue number, a release, an e-mail address and words", async ({
  app,
  visit,
}) => {
  const traceId = newTraceId();
  const user = { email: "jo@shop.test" };
  const error = anError({ function: "boxed", user, contexts: { trace: { trace_id: traceId, span_id: newSpanId() } } });
  await reportErrors(app, [error]);
  const visitor = await visit("/_holdfast/1/issues", withoutJavaScript);
  const typed = async (text: string): Promise<string> => {
    const box = visitor.page.getByRole("searchbox", { name: /^Find/ });
    await box.fill(text);
    await box.press("Enter");
    return decodeURIComponent(visitor.address).replaceAll("+", " ");
  };
  const event = `/_holdfast/1/events/${error.event_id}`;
  expect(await typed(digestOf(error.event_id).toLowerCase().replaceAll("-", " "))).toBe(event);
  expect(await typed(error.event_id)).toBe(event);
  expect(await typed(traceId)).toBe(`/_holdfast/1/traces/${traceId}`);
  expect(await typed("#1")).toBe("/_holdfast/1/issues/1");
  expect(await typed("1.0.0")).toBe("/_holdfast/1/releases/named?name=1.0.0");
  expect(await typed("jo@shop.test")).toMatch(/^\/_holdfast\/1\/visitors\/[0-9a-z]+$/);
  await visitor.page
    .getByRole("link", { name: /TypeError: cart is undefined/ })
    .first()
    .waitFor();
  expect(await typed("nobody@shop.test")).toBe("/_holdfast/1/issues?q=user:nobody@shop.test&tab=all");
  expect(await typed("is:muted nonsense")).toBe("/_holdfast/1/issues?q=is:muted nonsense&tab=all");
  await visitor.sees("No matching issues");
  await visitor.goTo(`/_holdfast/d/${digestOf(error.event_id)}`);
  expect(visitor.address).toBe(event);
});

test("a list is triaged by keyboard", async ({ app, visit }) => {
  await reportErrors(app, [anError({ function: "first" }), anError({ function: "second" })]);
  const visitor = await visit("/_holdfast/1/issues");
  const { keyboard } = visitor.page;
  await visitor.page.getByRole("button", { name: "Keys" }).waitFor();
  await keyboard.press("j");
  await keyboard.press("j");
  await keyboard.press("x");
  await keyboard.press("k");
  await keyboard.press("x");
  await expect.poll(() => visitor.page.getByRole("checkbox", { checked: true }).count()).toBe(2);
  await keyboard.press("e");
  await visitor.page.getByText("2 issues resolved.").waitFor();
  await keyboard.press("/");
  await keyboard.type("j is only a letter here");
  expect(await visitor.page.getByRole("combobox", { name: /^Find/ }).inputValue()).toBe("j is only a letter here");
  await visitor.goTo("/_holdfast/1/issues?tab=resolved");
  expect(await visitor.page.locator("[data-row]").count()).toBe(2);
});

test("one row after another is resolved without losing the place", async ({ app, visit }) => {
  const names = ["walkedOne", "walkedTwo", "walkedThree"];
  await reportErrors(
    app,
    names.map((name) => anError({ function: name, value: name })),
  );
  const visitor = await visit("/_holdfast/1/issues?q=walked");
  await visitor.isAlive();
  const { keyboard } = visitor.page;
  const focused = () => visitor.page.evaluate(() => document.activeElement?.textContent);
  await keyboard.press("j");
  await keyboard.press("j");
  await expect.poll(focused).toBe("TypeError: walkedTwo");
  await keyboard.press("e");
  await visitor.page.getByText("1 issue resolved.").waitFor();
  await expect.poll(() => visitor.page.locator("[data-row]").count()).toBe(2);
  await keyboard.press("j");
  await expect.poll(focused).toBe("TypeError: walkedOne");
});

test("a change of many issues is undone by one key", async ({ app, visit }) => {
  await reportErrors(app, [anError({ function: "undoneFirst" }), anError({ function: "undoneSecond" })]);
  const visitor = await visit("/_holdfast/1/issues?q=undone*");
  const rows = visitor.page.locator("[data-row]");
  await visitor.page.getByLabel("Choose all on this page").check();
  for (const [key, words] of [
    ["m", "2 issues muted until somebody opens it again."],
    ["a", "2 issues assigned to ada@example.org."],
    ["e", "2 issues resolved."],
  ] as const) {
    await visitor.goTo("/_holdfast/1/issues?q=undone*");
    await visitor.page.getByLabel("Choose all on this page").check();
    await visitor.page.keyboard.press(key);
    await visitor.page.getByText(words).waitFor();
    await visitor.page.keyboard.press("z");
    await visitor.page.getByText("2 issues restored.").waitFor();
    await expect.poll(() => rows.count()).toBe(2);
    expect(await visitor.page.locator(".state:is(.open, .new)").count()).toBe(2);
  }
  expect(await rows.getByText("ada@example.org").count()).toBe(0);
});

test("a refused action leaves the previous change undoable", async ({ app, visit }) => {
  await reportErrors(app, [anError({ function: "wrongKey", value: "wrong key" })]);
  const visitor = await visit("/_holdfast/1/issues?q=wrongKey&tab=all");
  await visitor.isAlive();
  await visitor.page.getByLabel("Choose all on this page").check();
  await visitor.page.keyboard.press("m");
  await visitor.page.getByText("1 issue muted until somebody opens it again.").waitFor();
  await visitor.page.locator(".state.muted").waitFor();
  // No row is chosen or has the focus.
  await visitor.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await visitor.page.keyboard.press("q");
  await visitor.page.keyboard.press("e");
  await visitor.page.getByText("Choose at least one issue.").waitFor();
  visitor.expecting(/422/);
  await visitor.page.keyboard.press("z");
  await visitor.page.getByText("1 issue restored.").waitFor();
  await visitor.page.locator(".state:is(.open, .new)").waitFor();
  expect(await visitor.page.getByRole("button", { name: /^Undo/ }).count()).toBe(0);
});

test("the comment box is emptied once the comment is stored, and keeps its text until then", async ({ app, visit }) => {
  await reportErrors(app, [anError({ function: "talked", value: "talked about" })]);
  const visitor = await visit("/_holdfast/1/issues?q=talked", withoutJavaScript);
  await visitor.clickLink("TypeError: talked about");
  const unscripted = visitor.page.getByLabel("Comment");
  await unscripted.fill("the first");
  await visitor.pressButton("Comment");
  await visitor.page.locator(".comment", { hasText: "the first" }).waitFor();
  expect(await unscripted.inputValue()).toBe("");

  const scripted = await visit(visitor.address);
  await scripted.isAlive();
  const box = scripted.page.getByLabel("Comment");
  await box.fill("the second");
  const sends = /\/_action\/change\/_data/;
  await scripted.page.route(sends, (route) => route.fulfill({ status: 502, body: "" }));
  scripted.expecting(/502/);
  await scripted.pressButton("Comment");
  await scripted.page.getByText("This was not received. What you typed is kept.").first().waitFor();
  expect(await box.inputValue()).toBe("the second");
  await scripted.page.unroute(sends);
  await scripted.pressButton(/^Mute/);
  await scripted.page.getByText("1 issue muted until somebody opens it again.").waitFor();
  expect(await box.inputValue(), "another form was sent").toBe("the second");
  await scripted.pressButton("Comment");
  await scripted.page.locator(".comment", { hasText: "the second" }).waitFor();
  await expect.poll(() => box.inputValue()).toBe("");
  await box.fill("   ");
  await scripted.pressButton("Comment");
  await scripted.page.getByText("Write something.").waitFor();
  scripted.expecting(/422/);
});

test("a merge is undone without JavaScript, and both issues exist again", async ({ app, visit }) => {
  await reportErrors(app, [
    anError({ function: "stays", value: "stays" }),
    anError({ function: "goes", value: "goes" }),
  ]);
  const visitor = await visit("/_holdfast/1/issues?q=stays", withoutJavaScript);
  await visitor.clickLink("TypeError: stays");
  const stays = visitor.address;
  await visitor.goTo("/_holdfast/1/issues?q=goes");
  await visitor.clickLink("TypeError: goes");
  await visitor.page.locator("summary", { hasText: "More" }).click();
  await visitor.page.getByLabel("Into #, title or digest").fill(`https://shop.test${stays}?days=7`);
  await visitor.pressButton("Merge");
  await visitor.sees("TypeError: stays");
  await visitor.pressButton(/^Undo/);
  await visitor.page.getByText("1 issue restored.").waitFor();
  await visitor.sees("TypeError: goes");
});

test("new issues raise a bar and move no row until they are requested", async ({ app, visit }) => {
  await reportErrors(app, [anError({ function: "barred", value: "barred" })]);
  const visitor = await visit("/_holdfast/1/issues?q=barred");
  const first = visitor.page.locator("[data-row]").first();
  await first.getByRole("link", { name: "TypeError: barred" }).waitFor();
  await reportErrors(app, [
    anError({ function: "comesLater", value: "barred later" }),
    anError({ function: "barred", value: "barred" }),
  ]);
  await visitor.page.getByText("2 new events in 2 issues").waitFor();
  await first.getByRole("link", { name: "TypeError: barred" }).waitFor();
  expect(await visitor.page.getByText("TypeError: barred later").count()).toBe(0);
  await visitor.pressButton(/^Show/);
  await visitor.page.getByText("TypeError: barred later").waitFor();
  await visitor.page.getByText("2 new events in 2 issues").waitFor({ state: "detached" });
});

test("Live shows new records that match the filter, and nothing new while it is paused", async ({ app, visit }) => {
  await reportErrors(app, [anError({ function: "before", value: "came before" })]);
  const unscripted = await visit("/_holdfast/1/live?q=came*", withoutJavaScript);
  await unscripted.page.getByRole("link", { name: "Refresh" }).waitFor();
  const visitor = await visit("/_holdfast/1/live?q=came");
  await visitor.page.getByRole("link", { name: "TypeError: came before" }).waitFor();
  await reportErrors(app, [anError({ value: "unwanted" }), anError({ function: "after", value: "came after" })]);
  await visitor.page.getByRole("link", { name: "TypeError: came after" }).waitFor();
  expect(await visitor.page.getByText("unwanted").count()).toBe(0);
  await visitor.page.keyboard.press("p");
  await reportErrors(app, [anError({ function: "paused", value: "came while paused" })]);
  await visitor.page.getByText("1 new line").waitFor();
  expect(await visitor.page.getByText("came while paused").count()).toBe(0);
  await visitor.pressButton("Show");
  await visitor.page.getByRole("link", { name: "TypeError: came while paused" }).waitFor();
});

test("Live lists recent visitors, and follows one of them, also without JavaScript", async ({ app, visit }) => {
  const met = (id: string, value: string) =>
    anError({ user: { id }, transaction: "/walk", value, function: value.replaceAll(" ", "") });
  await reportErrors(app, [met("ann", "met by ann"), met("ben", "met by ben")]);
  const unscripted = await visit("/_holdfast/1/live", withoutJavaScript);
  await unscripted.clickLink(/^ann/);
  await unscripted.page.getByRole("link", { name: "TypeError: met by ann" }).waitFor();
  expect(await unscripted.page.getByText("met by ben").count()).toBe(0);
  const chosen = unscripted.page.locator(".visitors [aria-current]");
  expect(await chosen.textContent()).toMatch(/^annjust nowmet an error on \/walk▲ 1 error0 views/);

  const visitor = await visit(unscripted.address);
  await visitor.isAlive();
  await reportErrors(app, [met("ben", "met by ben later"), met("cid", "met by cid"), met("ann", "met by ann later")]);
  await visitor.page.getByRole("link", { name: "TypeError: met by ann later" }).waitFor();
  expect(await visitor.page.getByText("met by ben later").count()).toBe(0);
  await visitor.page.getByRole("link", { name: /^cid/ }).waitFor();
  await visitor.clickLink("Show everybody");
  await visitor.page.getByRole("link", { name: "TypeError: met by ben later" }).waitFor();
  expect(visitor.address).toBe("/_holdfast/1/live");
});

test("Live folds what a visitor repeats, says who is watched, and divides the days", async ({ app, visit }) => {
  const met = (value: string, fields: object = {}) =>
    anError({ user: { id: "dora" }, transaction: "/again", function: "again", value, ...fields });
  const yesterday = Date.now() / 1_000 - 86_400;
  const events = [met("once before", { timestamp: yesterday }), met("again"), met("again"), met("again")];
  await reportErrors(app, events);
  const unscripted = await visit("/_holdfast/1/live?q=again", withoutJavaScript);
  const row = unscripted.page.locator(".live > li", { hasText: "TypeError: again" });
  expect(await row.count()).toBe(1);
  expect(await row.textContent()).toMatch(/error\s*TypeError: again × 3 /);
  await unscripted.page.getByText(new Date(yesterday * 1_000).toISOString().slice(0, 10), { exact: true }).waitFor();
  await unscripted.page.getByText("All visitors. Only what fits “again”. Clear").waitFor();
  await unscripted.clickLink("TypeError: again");
  expect(unscripted.address).toBe(`/_holdfast/1/events/${events.at(-1)?.event_id}`);

  const visitor = await visit("/_holdfast/1/live");
  await visitor.isAlive();
  await visitor.clickLink(/^dora/);
  await visitor.page.getByText("Only dora. Show everybody").waitFor();
  await reportErrors(app, [met("again")]);
  await visitor.page.locator(".live > li", { hasText: "× 4" }).waitFor();
});

test("the box completes the filter and opens named targets, by keyboard alone", async ({ app, visit }) => {
  await reportErrors(app, [anError({ function: "palette", value: "in the palette", release: "0.7.7" })]);
  const visitor = await visit("/_holdfast/1/issues");
  await visitor.isAlive();
  await visitor.page.keyboard.press("Control+k");
  const { keyboard } = visitor.page;
  const options = visitor.page.getByRole("option");
  await options.filter({ hasText: "Releases" }).waitFor();
  await keyboard.type("rele");
  await options.filter({ hasText: "release:" }).first().waitFor();
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await keyboard.type("0.7");
  await options.filter({ hasText: "release:0.7.7" }).waitFor();
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  expect(await visitor.page.getByRole("combobox", { name: /^Find/ }).inputValue()).toBe("release:0.7.7 ");
  await options.filter({ hasText: "TypeError: in the palette" }).waitFor();
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await visitor.sees("TypeError: in the palette");
});

test("an issue that is resolved in the next release and regresses in it shows so", async ({ app, visit }) => {
  await reportErrors(app, [anError({ function: "comesBack", value: "again", release: "1.0.0" })]);
  const visitor = await visit("/_holdfast/1/issues?q=comesBack");
  await visitor.clickLink("TypeError: again");
  // The list has such a button too.
  await visitor.page.getByText("Latest event").waitFor();
  await visitor.pressButton("Resolve in next release");
  await visitor.page.locator(".state.resolved").first().waitFor();
  await reportErrors(app, [anError({ function: "comesBack", value: "again", release: "1.0.1" })]);
  await visitor.page.reload();
  await visitor.page.locator(".state.regressed").first().waitFor();
});

test("a release links to the issues resolved in it, and to the built files without a source map", async ({
  app,
  visit,
}) => {
  const file = "https://shop.test/_assets/gallery-B1x2.js";
  const frames = [{ filename: file, abs_path: file, function: "n", lineno: 1, colno: 77, in_app: true }];
  const built = anError({
    release: "7.7.0",
    exception: { values: [{ type: "RangeError", value: "unreadable", stacktrace: { frames } }] },
    debug_meta: { images: [{ type: "sourcemap", code_file: file, debug_id: newTraceId() }] },
  });
  await reportErrors(app, [anError({ function: "mended", value: "mended", release: "7.6.0" }), built]);
  const visitor = await visit("/_holdfast/1/issues?q=mended", withoutJavaScript);
  await visitor.clickLink("TypeError: mended");
  await visitor.page.locator("summary", { hasText: "More" }).click();
  await visitor.page.getByLabel("Fixed in release").fill("7.7.0");
  await visitor.page.locator("[value=resolve-in]").click();
  await visitor.clickLink("Releases");
  const row = visitor.page.getByRole("row", { name: /^7\.7\.0/ });
  expect(await row.getByRole("cell").allInnerTexts()).toEqual(expect.arrayContaining(["✗ 1 of 1 missing"]));
  await visitor.clickLink("7.7.0");
  await visitor.page.getByText("1 of 1 built file that they named has no map").waitFor();
  await visitor.page.getByRole("rowheader", { name: file }).waitFor();
  await visitor.page.locator("dt", { hasText: "Resolved" }).locator("+ dd").getByRole("link", { name: "1" }).click();
  await visitor.page.getByRole("link", { name: "TypeError: mended" }).waitFor();
  expect(await visitor.page.locator("[data-row]").count()).toBe(1);
  await visitor.goTo(`/_holdfast/1/events/${built.event_id}`);
  await visitor.clickLink("What its release lacks");
  await visitor.clickLink("Open the last");
  await visitor.sees("RangeError: unreadable");
});

test("an issue is assigned, commented on, muted and merged without JavaScript", async ({ app, visit }) => {
  await reportErrors(app, [
    anError({ function: "kept", value: "kept" }),
    anError({ function: "merged", value: "merged" }),
  ]);
  const visitor = await visit("/_holdfast/1/issues?q=kept", withoutJavaScript);
  await visitor.clickLink("TypeError: kept");
  const kept = visitor.address;
  await visitor.page.getByLabel("Comment").fill("<b>not bold</b>");
  await visitor.pressButton("Comment");
  await visitor.page.getByText("<b>not bold</b>").waitFor();
  await visitor.pressButton(/^Assign to me/);
  await visitor.page.getByText("assigned it to ada@example.org").waitFor();
  await visitor.goTo("/_holdfast/1/issues?q=merged");
  await visitor.clickLink("TypeError: merged");
  await visitor.page.locator("summary", { hasText: "More" }).click();
  await visitor.page.getByLabel("Into #, title or digest").fill(`http://localhost:3000${kept}`);
  await visitor.pressButton("Merge");
  await visitor.sees("TypeError: kept");
  await visitor.page.getByText("merged another issue into it").waitFor();
  await visitor.page.locator("summary", { hasText: "More" }).click();
  await visitor.page.getByLabel("For hours").fill("none");
  await visitor.page.locator("[value=mute-for]").click();
  await visitor.page.getByText("Say for how many hours.").waitFor();
  visitor.expecting(/422/);
  await visitor.page.getByLabel("For hours").fill("36");
  await visitor.page.locator("[value=mute-for]").click();
  await visitor.page.locator(".state.muted").first().waitFor();
});

test("an event is available as text for a colleague, and as JSON for a program", async ({ app }) => {
  const error = anError({ function: "asText", value: "as text" });
  await reportErrors(app, [error]);
  const event = `${app.url}/_holdfast/1/event/${error.event_id}`;
  const markdown = await fetch(`${event}.md`);
  expect(markdown.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
  const text = await markdown.text();
  expect(text).toContain("# TypeError: as text");
  expect(text).toContain(`[${digestOf(error.event_id)}](<${app.url}/_holdfast/1/events/${error.event_id}>)`);
  expect(text).toContain("asText (src/server/asText.ts:12:15)");
  expect(await (await fetch(`${event}.json`)).json()).toMatchObject({
    id: error.event_id,
    digest: digestOf(error.event_id),
    link: `${app.url}/_holdfast/1/events/${error.event_id}`,
    issue: { number: expect.any(Number), title: "TypeError: as text" },
    route: "/cart",
  });
});
