import { expect } from "vitest";
import { jsonItem, newEventId, newSpanId, newTraceId } from "#protocol";
import { journey, withoutJavaScript } from "../../kit/index.ts";
import { anError, report, reportErrors } from "./reports.ts";

const test = journey({ app: "tests/fixtures/watched" });

test("an event shows its visitor, its fingerprint, its modules, its tree of errors, and what was dropped from it", async ({
  app,
  visit,
}) => {
  const library = { filename: "node_modules/pg/lib/raise.js", function: "raiseError", in_app: false };
  const one = (type: string, id: number, more: object) => ({
    type,
    value: `of ${type}`,
    ...more,
    mechanism: { exception_id: id, ...(id > 0 && { parent_id: 0, source: `exceptions[${id - 1}]` }) },
  });
  const error = anError({
    platform: "python",
    user: { id: "4711", email: "paula@mail.example", username: "paula", name: "Paula Paying" },
    fingerprint: ["{{ default }}", "import"],
    modules: { django: "5.1" },
    tags: Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`tag${n}`, "x"])),
    breadcrumbs: [
      { timestamp: Date.now() / 1_000 - 5, category: "console", level: "error", message: "no address" },
      { timestamp: Date.now() / 1_000 + 50, category: "console", message: "much later" },
    ],
    exception: {
      values: [
        one("DatabaseError", 2, { stacktrace: { frames: [library] } }),
        one("ValueError", 1, {}),
        one("ExceptionGroup", 0, {}),
      ],
    },
  });
  await reportErrors(app, [
    anError({
      level: "info",
      message: "into the cart",
      exception: undefined,
      user: { id: "4711" },
      timestamp: Date.now() / 1_000 - 30,
    }),
    error,
  ]);
  const { page } = await visit(`/_holdfast/1/events/${error.event_id}`, withoutJavaScript);
  const facts = await page.locator("aside").textContent();
  for (const told of ["4711", "paula@mail.example", "paula, Paula Paying", "{{ default }} · import"])
    expect(facts).toContain(told);
  await page.getByText("Modules", { exact: true }).click();
  await page.getByText("django").waitFor();
  expect(await page.getByRole("heading", { level: 3 }).allInnerTexts()).toEqual([
    "1 of the group: ValueError",
    "2 of the group: DatabaseError",
  ]);
  expect(await page.getByText("raiseError").isVisible()).toBe(true);
  await page.getByText("Too many tags: 20 left out.").waitFor();
  const steps = page.locator(".steps li");
  expect((await steps.allInnerTexts()).map((text) => text.replace(/\s+/g, " ").replace(/^\S+ s /, ""))).toEqual([
    "info into the cart",
    "log no address",
    "error this event",
  ]);
  expect(await steps.nth(0).getAttribute("class")).toBeNull();
  expect(await steps.nth(1).getAttribute("class")).toBe("fails");
});

test("an event has in words what its visitor saw and where it came from, and all its frames can be searched", async ({
  app,
  visit,
}) => {
  const frames = Array.from({ length: 40 }, (_, n) => ({
    filename: n % 2 ? `src/step-${n}.ts` : `node_modules/lib/${n}.js`,
    function: `step${n}`,
    lineno: n + 1,
    in_app: n % 2 === 1,
    context_line: `await step${n - 1}();`,
  }));
  const error = anError({
    value: "deep",
    exception: { values: [{ type: "Error", value: "deep", stacktrace: { frames } }] },
    request: {
      url: "https://shop.test/cart",
      headers: { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/144.0" },
    },
    contexts: {
      holdfast: {
        visitor_saw: "nested-error",
        navigation: "push",
        prefetch: { state: "stale", age_ms: 61_000 },
        page_build: "a1b2",
        server_build: "c3d4",
      },
    },
  });
  await reportErrors(app, [error]);
  const visitor = await visit(`/_holdfast/1/events/${error.event_id}`, withoutJavaScript);
  const facts = (await visitor.page.locator("aside").textContent()) ?? "";
  for (const fact of [
    "visitor sawan error in place of a part of the page",
    "navigationto a new page (push)",
    "prefetchstale, 61.0 s old",
    "page builda1b2, another than the server's",
    "server buildc3d4",
    "deviceFirefox 140 on Linux",
  ])
    expect(facts).toContain(fact);
  expect(facts).not.toContain("connection");
  expect(await visitor.page.getByText("step3", { exact: true }).isVisible()).toBe(true);
  await visitor.clickLink("Unfold all");
  expect(await visitor.page.locator(".stack details:not([open])").count()).toBe(0);
  await visitor.fillIn("Find in the stack", "STEP-7.ts");
  await visitor.pressButton(/^Find/);
  await visitor.page.getByText("1 of 40 frames").waitFor();
  expect(await visitor.page.locator(".stack .place").allInnerTexts()).toEqual(["step7 src/step-7.ts:8"]);
  await visitor.clickLink("All frames");
  await visitor.page.getByText("1 of 40 frames").waitFor({ state: "detached" });
});

test("one button copies an event for a colleague, with its link and the visitor's note", async ({ app, visit }) => {
  const error = anError({ value: "copied" });
  await reportErrors(app, [error]);
  await report(app, [
    jsonItem("user_report", { event_id: error.event_id, name: "Paula", email: "", comments: "I could not pay." }),
  ]);
  const markdown = async () => (await fetch(`${app.url}/_holdfast/1/event/${error.event_id}.md`)).text();
  await expect.poll(markdown).toContain("I could not pay.");
  const visitor = await visit(`/_holdfast/1/events/${error.event_id}`);
  await visitor.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await visitor.isAlive();
  await visitor.pressButton(/^Copy for a colleague/);
  await visitor.page.getByRole("button", { name: /^Copied/ }).waitFor();
  const copied = await visitor.page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain("# TypeError: copied");
  expect(copied).toContain(`/_holdfast/1/events/${error.event_id}>)`);
  expect(copied).toContain("I could not pay.");

  // As in plain HTTP, for which browsers have no clipboard.
  await visitor.page.reload();
  await visitor.isAlive();
  await visitor.page.evaluate(async () => {
    const { clipboard } = navigator;
    await clipboard.writeText("before");
    Object.assign(window, { readCopied: () => clipboard.readText() });
    Object.defineProperty(navigator, "clipboard", { value: undefined });
  });
  await visitor.pressButton(/^Copy for a colleague/);
  await visitor.page.getByRole("button", { name: /^Copied/ }).waitFor();
  expect(await visitor.page.evaluate("readCopied()")).toBe(copied);
});

test("a list titles an issue by its newest message, and Live each event by its own", async ({ app, visit }) => {
  const said = (value: string) => anError({ type: "OrderError", value, fingerprint: ["one issue"] });
  await reportErrors(app, [said("order 1 is gone"), said("order 2 is gone")]);
  const visitor = await visit("/_holdfast/1/issues?q=OrderError", withoutJavaScript);
  await visitor.page.getByRole("row", { name: /OrderError: order 2 is gone/ }).waitFor();
  await visitor.goTo("/_holdfast/1/live?q=OrderError");
  await visitor.page.getByText("OrderError: order 1 is gone").waitFor();
  await visitor.page.getByText("OrderError: order 2 is gone").waitFor();
});

test("tasks that have not ended in time, or have not started, are not shown as successful", async ({ app, visit }) => {
  const hourly = { schedule: { type: "interval", value: 1, unit: "hour" } };
  const checkIn = (monitor_slug: string, fields: object) => jsonItem("check_in", { monitor_slug, ...fields });
  await report(app, [
    checkIn("a-well", { status: "ok", monitor_config: hourly, duration: 60 }),
    checkIn("b-missing", { status: "ok", monitor_config: hourly, duration: 2 * 3_600 }),
    checkIn("c-hanging", { status: "in_progress", monitor_config: { ...hourly, max_runtime: 0 } }),
    checkIn("d-running", { status: "in_progress", monitor_config: hourly }),
  ]);
  await reportErrors(app, [anError({ value: "after the tasks" })]);
  const { page } = await visit("/_holdfast/1", withoutJavaScript);
  const rows = page.getByRole("region", { name: "Scheduled tasks" }).getByRole("row");
  const states = (await rows.allInnerTexts()).slice(1).map((text) => text.split("\t")[1] ?? "");
  expect(states).toEqual([
    expect.stringMatching(/^✓ ended well/),
    expect.stringMatching(/^▲ overdue, expected 1 h ago; last came/),
    expect.stringMatching(/^▲ no end yet, begun/),
    expect.stringMatching(/^running, begun/),
  ]);
});

test("a failed task has its duration, a title without a type begins where others do, and a visitor was on no route", async ({
  app,
  visit,
}) => {
  const id = newEventId();
  const run = (fields: object) => jsonItem("check_in", { monitor_slug: "e-failing", check_in_id: id, ...fields });
  await report(app, [run({ status: "in_progress" })]);
  await report(app, [run({ status: "error" })]);
  const { exception: _, ...untyped } = anError({ user: { id: "nowhere" }, transaction: undefined, tags: {} });
  await report(app, [jsonItem("event", { ...untyped, request: undefined, message: "stock is low" })]);
  await reportErrors(app, [anError({ value: "with a type" })]);
  const visitor = await visit("/_holdfast/1", withoutJavaScript);
  const task = visitor.page.getByRole("region", { name: "Scheduled tasks" }).getByRole("row", { name: "e-failing" });
  expect((await task.getByRole("cell").allTextContents()).slice(1)).toEqual([
    expect.stringMatching(/^▲ failed /),
    expect.stringMatching(/^[\d.]+ m?s$/),
    "0",
    "1",
  ]);
  for (const address of ["/_holdfast/1", "/_holdfast/1/issues?tab=all"]) {
    await visitor.goTo(address);
    const titles = visitor.page.locator("a > span:first-child").filter({ hasText: /stock is low|with a type/ });
    const starts = await titles.evaluateAll((spans) =>
      spans.map((span) => {
        const range = document.createRange();
        range.selectNodeContents(span);
        return [range.getBoundingClientRect().left, /^\s/.test(span.textContent)];
      }),
    );
    expect(starts.length).toBe(2);
    expect(starts[0]).toEqual(starts[1]);
  }
  await visitor.goTo("/_holdfast/1/live");
  const who = visitor.page.locator(".visitors").getByRole("link", { name: /^nowhere/ });
  expect(await who.textContent()).toMatch(/^nowherejust nowmet an error(?! on)/);
});

test("Live says that a visitor met an error where it was one, and not of a warning or a message", async ({
  app,
  visit,
}) => {
  const by = (id: string, fields: object) =>
    anError({ value: `of ${id}`, user: { id }, transaction: "/cart", tags: { route: "/cart" }, ...fields });
  await reportErrors(app, [
    by("erin", { level: "error" }),
    by("fay", { level: "fatal" }),
    by("wanda", { level: "warning" }),
    by("ingo", { level: "info" }),
    by("dora", { level: "debug", transaction: undefined, tags: {} }),
  ]);
  const visitor = await visit("/_holdfast/1/live", withoutJavaScript);
  const said = async (name: string) =>
    (await visitor.page.locator(".visitors").getByRole("link", { name }).locator("span").allTextContents()).slice(0, 2);
  expect(await said("erin")).toEqual(["met an error on /cart", "▲ 1 error"]);
  expect(await said("fay")).toEqual(["met an error on /cart", "▲ 1 error"]);
  expect(await said("wanda")).toEqual(["reported a warning on /cart", ""]);
  expect(await said("ingo")).toEqual(["reported a message on /cart", ""]);
  expect(await said("dora")).toEqual(["reported a message", ""]);
});

test("a trace links to the traces its spans name, and its spans are titled by what they did", async ({
  app,
  visit,
}) => {
  const now = Date.now() / 1_000;
  const [before, trace] = [newTraceId(), newTraceId()];
  const roots = { [before]: newSpanId(), [trace]: newSpanId() };
  const spans = (traceId: string, links: object[]) => {
    const times = { start_timestamp: now, end_timestamp: now + 1, trace_id: traceId, status: "ok" };
    const attributes = (given: Record<string, string | number>) =>
      Object.fromEntries(
        Object.entries(given).map(([key, value]) => [
          key,
          { value, type: typeof value === "string" ? "string" : "double" },
        ]),
      );
    const vitals = { "browser.web_vital.fcp.value": 1_500, "browser.web_vital.ttfb.value": 2_000 };
    return jsonItem("span", {
      version: 2,
      items: [
        {
          ...times,
          span_id: roots[traceId],
          is_segment: true,
          name: "Navigation",
          links,
          attributes: attributes({ "sentry.op": "navigation", "url.path": "/linked", ...vitals }),
        },
        {
          ...times,
          span_id: newSpanId(),
          parent_span_id: roots[traceId],
          is_segment: false,
          name: "GET",
          attributes: attributes({
            "sentry.op": "http.client",
            "http.request.method": "GET",
            "url.full": "https://prices.example/today?x=1",
          }),
        },
      ],
    });
  };
  const previous = {
    trace_id: before,
    span_id: roots[before],
    attributes: { "sentry.link.type": { value: "previous_trace", type: "string" } },
  };
  await report(app, [spans(before, []), spans(trace, [previous])]);
  await reportErrors(app, [anError({ value: "after the spans", event_id: newEventId() })]);
  const visitor = await visit(`/_holdfast/1/traces/${trace}`, withoutJavaScript);
  await visitor.page.getByText("GET prices.example/today").first().waitFor();
  const links = visitor.page.getByRole("list", { name: "Linked traces" });
  expect(await links.textContent()).toBe(`Before this: trace ${before.slice(0, 8)}`);
  await links.getByRole("link").click();
  expect(visitor.address).toBe(`/_holdfast/1/traces/${before}?span=${roots[before]}`);
  await visitor.goTo("/_holdfast/1/pages?sort=ttfb");
  const row = visitor.page.getByRole("row", { name: /^\/linked/ });
  const cells = (await row.getByRole("cell").allInnerTexts()).map((text) => text.trim());
  expect(cells.filter((text) => /^(?:1\.[45]|1\.9|2\.0)/.test(text))).toHaveLength(2);
});
