import { expect } from "vitest";
import { inTheDark, journey, onAPhone } from "../../kit/index.ts";
import { anError, reportErrors } from "./reports.ts";

const test = journey({ app: "tests/fixtures/watched" });

/** What has run as script somewhere when it was shown. */
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

test("nothing that stands in an event runs, in whatever field it stands", async ({ app, visit }) => {
  const visitor = await visit("/_holdfast/1/issues");
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
  for (const path of ["/1", "/1/issues?tab=all", "/1/issues/1", "/1/pages", "/1/releases", "/1/live"]) {
    await visitor.goTo(`/_holdfast${path}`);
    await visitor.page.getByRole("heading", { level: 1 }).waitFor();
  }
  expect(await visitor.page.evaluate(() => "ran" in window)).toBe(false);
});

test("every address of a project is unknown to who may not see it, exactly as one that never was", async ({ app }) => {
  const error = anError({ function: "foreign" });
  await reportErrors(app, [error]);
  const addresses = [
    "",
    "/issues",
    "/issues/1",
    `/events/${error.event_id}`,
    `/event/${error.event_id}.md`,
    `/event/${error.event_id}.json`,
    `/traces/${"a".repeat(32)}`,
    "/find?q=1",
    "/pages",
    "/releases",
    "/live",
    "/settings",
  ];
  const answer = async (project: number, address: string) => {
    const { status, headers } = await fetch(`${app.url}/_holdfast/${project}${address}`, {
      headers: { "x-person": "mallory" },
      redirect: "manual",
    });
    return { status, location: headers.get("location") };
  };
  for (const address of addresses) {
    const [path = "", search = ""] = address.split("?");
    for (const variant of [address, `${path}/_data?${search}`]) {
      expect(await answer(1, variant), variant).toEqual({ status: 404, location: null });
      expect(await answer(77, variant), variant).toEqual({ status: 404, location: null });
    }
  }
});

for (const [where, options] of [
  ["in the light", {}],
  ["in the dark", inTheDark],
  ["on a phone", onAPhone],
] as const) {
  test(`no screen breaks a rule of accessibility ${where}`, async ({ app, visit }) => {
    const error = anError({ function: "accessible" });
    await reportErrors(app, [error]);
    const event = `/events/${error.event_id}`;
    const visitor = await visit("/_holdfast/1", options);
    for (const screen of ["", "/issues", "/issues/1", event, "/pages", "/releases", "/live", "/settings"]) {
      await visitor.goTo(`/_holdfast/1${screen}`);
      await visitor.page.getByRole("heading", { level: 1 }).waitFor();
      expect(await visitor.accessibilityProblems(), screen).toEqual([]);
    }
  });
}
