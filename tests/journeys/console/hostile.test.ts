import { expect } from "vitest";
import { jsonItem, newSpanId, newTraceId } from "#protocol";
import { journey, type Visitor } from "../../kit/index.ts";
import { breaksNoRule } from "./accessible.ts";
import { anError, report, reportErrors } from "./reports.ts";

const test = journey({ app: "tests/fixtures/watched" });

/** Texts that have run as script elsewhere. */
const corpus = [
  `<script>window.ran=1</script>`,
  `"><img src=x onerror=window.ran=1>`,
  `'><svg onload=window.ran=1>`,
  `javascript:window.ran=1`,
  `data:text/html,<script>window.ran=1</script>`,
  `</script><script>window.ran=1</script>`,
  `<!--<script>window.ran=1`,
  `{{constructor.constructor('window.ran=1')()}}`,
  `\u2028window.ran=1\u2029`,
  `<a href="javascript:window.ran=1">click</a>`,
];

/** Two dozen pages are loaded, and each is checked in four ways. */
const withinMs = 180_000;

test("no text of an event runs as script, in any field, and none is even blocked by the policy", {
  timeout: withinMs,
}, async ({ app, visit }) => {
  const visitor = await visit("/_holdfast/1/issues");
  // Collects every policy violation, on this page and all later ones.
  const stopped: string[] = [];
  await visitor.page.exposeFunction("policyStopped", (what: string) => void stopped.push(what));
  await visitor.page.addInitScript(() =>
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, sample }) =>
      (globalThis as unknown as { policyStopped(what: string): void }).policyStopped(`${violatedDirective} ${sample}`),
    ),
  );
  for (const [index, text] of corpus.entries()) {
    const error = anError({
      type: text,
      value: text,
      function: `${text}${index}`,
      release: text.slice(0, 60),
      environment: text,
      transaction: text,
      server_name: text,
      logger: text,
      user: { id: text, email: text, username: text },
      tags: { [text.slice(0, 30)]: text, browser: text },
      extra: { [text]: text },
      contexts: { [text]: { [text]: text }, holdfast: { visitor_saw: text } },
      request: { url: text, method: text, query_string: text, headers: { [text]: text }, data: text },
      breadcrumbs: [{ category: "navigation", message: text, data: { from: text, to: text } }],
    });
    await reportErrors(app, [error]);
    await visitor.goTo(`/_holdfast/1/events/${error.event_id}`);
    await visitor.page.getByRole("heading", { name: "Stack" }).waitFor();
    await visitor.page.locator("details").evaluateAll((all) => {
      for (const details of all) (details as HTMLDetailsElement).open = true;
    });
    const links = await visitor.page
      .locator(".content a")
      .evaluateAll((all) => all.map((a) => (a as HTMLAnchorElement).protocol));
    expect(links.filter((protocol) => protocol !== "http:" && protocol !== "https:")).toEqual([]);
  }
  const releases = await releaseLinks(visitor);
  expect(releases.length).toBeGreaterThanOrEqual(corpus.length);
  for (const release of releases) {
    await visitor.goTo(release);
    await visitor.page.getByRole("heading", { name: "Source maps" }).waitFor();
  }
  for (const path of ["/1", "/1/issues?tab=all", "/1/issues/1", "/1/pages", "/1/releases", "/1/schedules", "/1/live"]) {
    await visitor.goTo(`/_holdfast${path}`);
    await visitor.page.getByRole("heading", { level: 1 }).waitFor();
  }
  const box = visitor.page.getByRole("combobox", { name: /^Find/ });
  await box.fill("window");
  await visitor.page.getByRole("option").first().waitFor();
  expect(await visitor.page.evaluate(() => "ran" in window)).toBe(false);
  expect(stopped).toEqual([]);
});

async function releaseLinks(visitor: Visitor): Promise<string[]> {
  await visitor.goTo("/_holdfast/1/releases");
  const links = visitor.page.locator("tbody th a");
  await links.first().waitFor();
  return links.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
}

test("no screen breaks an accessibility rule, light and dark, narrow and wide", {
  timeout: withinMs,
}, async ({ app, visit }) => {
  const traceId = newTraceId();
  const contexts = { trace: { trace_id: traceId, span_id: newSpanId() } };
  const error = anError({ function: "accessible", contexts });
  await report(app, [aPageLoad(traceId)]);
  await reportErrors(app, [error]);
  const project = "/_holdfast/1";
  const visitor = await visit(project);
  const screens = [
    "",
    "/issues",
    "/issues/1",
    `/events/${error.event_id}`,
    `/traces/${traceId}`,
    "/pages",
    "/releases",
    "/schedules",
    "/releases/named?name=1.0.0",
  ];
  for (const screen of [...screens, "/live", "/settings", "/issues/77"]) {
    await visitor.goTo(project + screen);
    await breaksNoRule(visitor, screen);
  }
  visitor.expecting(/404/);

  await askedByItsOwnPage(app.url);
  const html = async () => (await fetch(`${app.url}${project}/pages`)).text();
  await expect.poll(html).toContain("Over budget");
  await visitor.goTo(`${project}/pages?sort=lcp`);
  await visitor.page
    .getByRole("region", { name: "Over budget" })
    .getByText(/LCP is [23]\.\d\d s, 2\.50 s at most/)
    .waitFor();
  await visitor.page.getByRole("row", { name: /^\/ / }).getByText("✗ over 2.50 s").waitFor();
});

/** Requests of a traced page are traced too. The trace contains the page's budget. */
async function askedByItsOwnPage(url: string): Promise<void> {
  const traced = `${newTraceId()}-${newSpanId()}-1`;
  await fetch(url, { headers: { "sentry-trace": traced, "sec-fetch-site": "same-origin" } });
}

/** Gives the screens for pages and traces some content. */
function aPageLoad(traceId: string) {
  const at = Date.now() / 1_000 - 2;
  const trace = { trace_id: traceId, span_id: newSpanId(), op: "pageload", status: "ok" };
  return jsonItem("transaction", {
    event_id: newTraceId(),
    type: "transaction",
    transaction: "/",
    release: "1.0.0",
    start_timestamp: at,
    timestamp: at + 1,
    contexts: { trace },
    spans: [],
    measurements: { lcp: { value: 3_000, unit: "millisecond" }, cls: { value: 0.3 } },
  });
}
