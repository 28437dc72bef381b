import { expect } from "vitest";
import { digestOf, jsonItem, newSpanId, newTraceId } from "#protocol";
import { journey, withoutJavaScript } from "../../kit/index.ts";
import { anError, report, reportErrors } from "./reports.ts";

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
  expect(await typed("jo@shop.test")).toBe("/_holdfast/1/issues?q=user:jo@shop.test&tab=all");
  await visitor.page.getByRole("link", { name: /TypeError: cart is undefined/ }).waitFor();
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
  expect(await visitor.page.getByRole("checkbox", { checked: true }).count()).toBe(2);
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
  expect(await focused()).toBe("TypeError: walkedTwo");
  await keyboard.press("e");
  await visitor.page.getByText("1 issue resolved.").waitFor();
  await expect.poll(() => visitor.page.locator("[data-row]").count()).toBe(2);
  await keyboard.press("j");
  expect(await focused()).toBe("TypeError: walkedOne");
});

test("a change of many issues is undone by one key", async ({ app, visit }) => {
  await reportErrors(app, [anError({ function: "undoneFirst" }), anError({ function: "undoneSecond" })]);
  const visitor = await visit("/_holdfast/1/issues?q=undone*");
  const rows = visitor.page.locator("[data-row]");
  await visitor.page.getByLabel("Choose all on this page").check();
  for (const [key, words] of [
    ["m", "2 issues muted."],
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
    expect(await visitor.page.getByText("● open").count()).toBe(2);
  }
  expect(await rows.getByText("ada@example.org").count()).toBe(0);
});

test("a refused action leaves the previous change undoable", async ({ app, visit }) => {
  await reportErrors(app, [anError({ function: "wrongKey", value: "wrong key" })]);
  const visitor = await visit("/_holdfast/1/issues?q=wrongKey&tab=all");
  await visitor.isAlive();
  await visitor.page.getByLabel("Choose all on this page").check();
  await visitor.page.keyboard.press("m");
  await visitor.page.getByText("1 issue muted.").waitFor();
  await visitor.page.getByText("∅ muted").waitFor();
  // No row is chosen or has the focus.
  await visitor.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await visitor.page.keyboard.press("q");
  await visitor.page.keyboard.press("e");
  await visitor.page.getByText("Choose at least one issue.").waitFor();
  visitor.expecting(/422/);
  await visitor.page.keyboard.press("z");
  await visitor.page.getByText("1 issue restored.").waitFor();
  await visitor.page.getByText("● open").waitFor();
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
  await scripted.page.getByText("1 issue muted.").waitFor();
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
  await visitor.page.getByText("More", { exact: true }).click();
  await visitor.page.getByLabel("Merge into (link or #number)").fill(`https://shop.test${stays}?days=7`);
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
  await visitor.page.getByText("✓ resolved").first().waitFor();
  await reportErrors(app, [anError({ function: "comesBack", value: "again", release: "1.0.1" })]);
  await visitor.page.reload();
  await visitor.page.getByText("↺ regressed").first().waitFor();
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
  await visitor.page.getByText("More", { exact: true }).click();
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
  await visitor.page.getByText("More", { exact: true }).click();
  await visitor.page.getByLabel("Merge into (link or #number)").fill(`http://localhost:3000${kept}`);
  await visitor.pressButton("Merge");
  await visitor.sees("TypeError: kept");
  await visitor.page.getByText("merged another issue into it").waitFor();
  await visitor.page.getByText("More", { exact: true }).click();
  await visitor.page.getByLabel("Mute for hours").fill("none");
  await visitor.page.locator("[value=mute-for]").click();
  await visitor.page.getByText("Say for how many hours.").waitFor();
  visitor.expecting(/422/);
  await visitor.page.getByLabel("Mute for hours").fill("36");
  await visitor.page.locator("[value=mute-for]").click();
  await visitor.page.getByText("∅ muted").first().waitFor();
});

test("a trace shows its spans on one axis, its critical path, and keeps parents when it is filtered", async ({
  app,
  visit,
}) => {
  const traceId = newTraceId();
  const [root, child, leaf] = [newSpanId(), newSpanId(), newSpanId()];
  const at = Date.now() / 1_000 - 5;
  await report(app, [
    jsonItem("transaction", {
      event_id: newTraceId(),
      type: "transaction",
      transaction: "/cart",
      start_timestamp: at,
      timestamp: at + 1,
      contexts: { trace: { trace_id: traceId, span_id: root, op: "http.server", status: "ok" } },
      spans: [
        {
          trace_id: traceId,
          span_id: child,
          parent_span_id: root,
          op: "load",
          description: "load cart",
          start_timestamp: at + 0.1,
          timestamp: at + 0.9,
        },
        {
          trace_id: traceId,
          span_id: leaf,
          parent_span_id: child,
          op: "db",
          description: "SELECT items",
          start_timestamp: at + 0.2,
          timestamp: at + 0.4,
        },
        {
          trace_id: traceId,
          span_id: newSpanId(),
          parent_span_id: root,
          op: "render",
          description: "render page",
          start_timestamp: at + 0.9,
          timestamp: at + 1,
        },
      ],
    }),
  ]);
  await reportErrors(app, [anError({ function: "afterTrace" })]);
  const visitor = await visit(`/_holdfast/1/traces/${traceId}`);
  const names = () => visitor.page.locator("[data-row] th").allInnerTexts();
  expect(await names()).toEqual(["http.server /cart", "load load cart", "db SELECT items", "render render page"]);
  await visitor.goTo(`/_holdfast/1/traces/${traceId}?filter=select`);
  expect(await names()).toEqual(["http.server /cart", "load load cart", "db SELECT items"]);
  await visitor.goTo(`/_holdfast/1/traces/${traceId}?span=${leaf}`);
  await visitor.sees("SELECT items");
  await visitor.page.keyboard.press("+");
  await visitor.page.getByText("The axis shows the time of SELECT items.").waitFor();
  await visitor.page.getByRole("columnheader", { name: /^200 ms/ }).waitFor();
  expect(await visitor.page.locator(".bar").count()).toBe(3);
  await visitor.page.keyboard.press("-");
  await visitor.page.getByRole("columnheader", { name: /^0/ }).waitFor();
  expect(await visitor.page.locator(".bar").count()).toBe(4);
});

test("a trace of five thousand spans renders only visible rows, and arrow keys move from end to end", async ({
  app,
  visit,
}) => {
  const traceId = newTraceId();
  const top = newSpanId();
  const at = Date.now() / 1_000 - 5;
  const spans = Array.from({ length: 5_000 }, (_, n) => ({
    trace_id: traceId,
    span_id: newSpanId(),
    parent_span_id: top,
    op: "db",
    description: `SELECT ${n}`,
    start_timestamp: at + n / 5_000,
    timestamp: at + (n + 1) / 5_000,
  }));
  // Clients send at most a thousand spans with one transaction.
  for (let part = 0; part < 5; part++)
    await report(app, [
      jsonItem("transaction", {
        event_id: newTraceId(),
        type: "transaction",
        transaction: "/long",
        start_timestamp: at,
        timestamp: at + 1,
        contexts: {
          trace:
            part === 0
              ? { trace_id: traceId, span_id: top, op: "http.server", status: "ok" }
              : { trace_id: traceId, span_id: newSpanId(), parent_span_id: top, op: "task", status: "ok" },
        },
        spans: spans.slice(part * 1_000, part * 1_000 + 1_000),
      }),
    ]);
  await reportErrors(app, [anError({ function: "afterLongTrace" })]);
  const visitor = await visit(`/_holdfast/1/traces/${traceId}`);
  await visitor.page.getByText("5,005 spans").waitFor();
  await visitor.isAlive();
  const rows = visitor.page.locator("[data-row]");
  expect(await rows.count()).toBeLessThan(200);
  await rows.first().getByRole("link").focus();
  const focused = () => visitor.page.evaluate(() => document.activeElement?.textContent);
  await visitor.page.keyboard.press("End");
  await expect.poll(focused).toBe("db SELECT 4999");
  await visitor.page.keyboard.press("ArrowUp");
  expect(await focused()).toBe("db SELECT 4998");
  expect(await rows.count()).toBeLessThan(200);
  await visitor.page.keyboard.press("ArrowLeft");
  await expect.poll(focused).toBe("http.server /long");
  await visitor.page.keyboard.press("ArrowRight");
  expect(await focused()).toMatch(/^task|^db SELECT 0$/);
  const unscripted = await visit(`/_holdfast/1/traces/${traceId}`, withoutJavaScript);
  await unscripted.clickLink("Spans after");
  await unscripted.page.getByText("SELECT 99", { exact: false }).first().waitFor();
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
