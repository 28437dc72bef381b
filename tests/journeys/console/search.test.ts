import { expect } from "vitest";
import { digestOf, newEventId } from "#protocol";
import { Projects } from "#service";
import { journey, withoutJavaScript } from "../../kit/index.ts";
import { breaksNoRule } from "./accessible.ts";
import { anError, reportErrors } from "./reports.ts";

const test = journey({ app: "tests/fixtures/watched" });

test("a meaningless part of a filter is named, with the known names, and the rest applies", async ({ app, visit }) => {
  await reportErrors(app, [anError({ function: "searched", value: "searched for" })]);
  const visitor = await visit("/_holdfast/1/issues?q=searched+relase%3A1", withoutJavaScript);
  await visitor.page.getByText("“relase:” is neither a field nor a tag of this project's events.").waitFor();
  await visitor.page.getByText("No matching issues").waitFor();
  await visitor.goTo("/_holdfast/1/issues?q=searched+is%3Anonsense");
  await visitor.page.getByText("There is no state “nonsense”. States are open, regressed, resolved, muted").waitFor();
  await visitor.goTo("/_holdfast/1/issues?q=searched+browser%3AFirefox*");
  await visitor.page.getByRole("link", { name: "TypeError: searched for" }).waitFor();
  expect(await visitor.page.locator(".problems").count()).toBe(0);
  await visitor.goTo("/_holdfast/1/live?q=is%3Aopen+release%3A1");
  await visitor.page.getByText("“is:” means nothing here. Live knows words, route:, level: and kind:.").waitFor();
  await visitor.page.getByText("“release:” is searched for as a word here.").waitFor();
  const scripted = await visit("/_holdfast/1/issues?q=searched+is%3Anonsense");
  await breaksNoRule(scripted, "a filter that means nothing");
});

test("the filter that the box suggests finds what it shows", async ({ app, visit }) => {
  await reportErrors(app, [anError({ function: "versioned", value: "of a version", release: "shop@1.4.2" })]);
  const visitor = await visit("/_holdfast/1/issues", withoutJavaScript);
  const box = visitor.page.getByRole("searchbox", { name: /^Find/ });
  const proposed = /is:open release:\S+$/.exec((await box.getAttribute("placeholder")) ?? "")?.[0] ?? "";
  expect(proposed).toBe("is:open release:1.4*");
  await box.fill(proposed);
  await box.press("Enter");
  await visitor.page.getByRole("link", { name: "TypeError: of a version" }).waitFor();
  expect(await visitor.page.locator("[data-row]").count()).toBe(1);
});

test("a digest leads to its event in every project that the person may see, and in no other", async ({
  app,
  visit,
}) => {
  const other = await (await Projects.open(`${app.dataFolder}/data`)).add("other");
  const error = anError({ function: "elsewhere", value: "happened elsewhere" });
  await reportErrors(app, [error], other.id);
  const event = `/_holdfast/${other.id}/events/${error.event_id}`;
  const digest = digestOf(error.event_id);
  const owner = await visit(`/_holdfast/1/find?q=${digest}`, withoutJavaScript);
  expect(owner.address).toBe(event);
  await owner.goTo(`/_holdfast/1/find?q=${error.event_id}`);
  expect(owner.address).toBe(event);
  const suggestions = await fetch(`${app.url}/_holdfast/1/suggest.json?q=${digest}`);
  expect(await suggestions.json()).toMatchObject([{ kind: "leads", to: event }]);

  const stranger = await visit(`/_holdfast/1/find?q=${digest}`, {
    ...withoutJavaScript,
    extraHTTPHeaders: { "x-person": "max" },
  });
  await stranger.sees(`No event has the digest or id ${digest}`);
  expect(await stranger.page.content()).not.toContain("other;");
  expect(await stranger.page.content()).not.toContain("happened elsewhere");
  expect(
    await (await fetch(`${app.url}/_holdfast/1/suggest.json?q=${digest}`, { headers: { "x-person": "max" } })).json(),
  ).toEqual([]);
  const askApi = (headers: Record<string, string> = {}) =>
    fetch(`${app.url}/_holdfast/api/v1/digests/${digest}`, { headers });
  expect(await (await askApi()).json()).toMatchObject({ project: other.id, event: error.event_id });
  expect((await askApi({ "x-person": "max" })).status).toBe(404);
});

test("a digest without an event is reported as unknown, with what was searched", async ({ app, visit }) => {
  await reportErrors(app, [anError({ function: "stored", value: "is stored" })]);
  const digest = digestOf(newEventId());
  const visitor = await visit(`/_holdfast/1/find?q=${digest}`);
  await visitor.sees(`No event has the digest or id ${digest}`);
  await visitor.page
    .getByText(/^Searched in .+; in all events since \d{4}-\d\d-\d\d, from when on they are kept\.$/)
    .waitFor();
  await breaksNoRule(visitor, "an unknown digest");
  visitor.expecting(/404/);
  await visitor.goTo(`/_holdfast/d/${digest}`);
  await visitor.page.getByRole("heading", { level: 1 }).waitFor();
});

test("an event that arrives after its digest was searched opens by itself", async ({ app, visit }) => {
  const late = anError({ function: "late", value: "came late" });
  const digest = digestOf(late.event_id);
  const visitor = await visit(`/_holdfast/1/find?q=${digest}`);
  await visitor.sees(`No event has the digest or id ${digest}`);
  const entries = () => visitor.page.evaluate(() => history.length);
  const before = await entries();
  await reportErrors(app, [late]);
  await visitor.page.waitForURL(`**/_holdfast/1/events/${late.event_id}`);
  await visitor.sees(/came late/);
  // Back leads to the page before the search, which would only redirect.
  expect(await entries()).toBe(before);
});

test("while typing, visitors, releases, routes and issues are proposed, and chosen by the keyboard", async ({
  app,
  visit,
}) => {
  const user = { id: "u-31", email: "quentin@mail.test", name: "Quentin Quick" };
  await reportErrors(app, [anError({ function: "typed", value: "quenched", user, release: "quest@3.1.4" })]);
  const visitor = await visit("/_holdfast/1");
  await visitor.isAlive();
  await visitor.page.keyboard.press("/");
  await visitor.page.keyboard.type("que");
  const options = visitor.page.getByRole("option");
  await options.first().waitFor();
  expect((await options.allInnerTexts()).map((text) => text.replace(/\s+/g, " "))).toEqual(
    ["quentin@mail.test, Quentin Quick, u-31 visitor", "quest@3.1.4 release", "TypeError: quenched #1 open"].map(
      (text) => expect.stringMatching(text.replace("#1", "#\\d+")),
    ),
  );
  await visitor.page.keyboard.press("ArrowDown");
  await visitor.page.keyboard.press("Enter");
  await visitor.sees("quentin@mail.test");
});

test("without JavaScript, a text with several meanings shows what was found", async ({ app, visit }) => {
  const errorOf = (id: string) =>
    anError({ function: "shared", value: "of namesakes", user: { id, name: "Robin Namesake" }, release: "robin@1.0" });
  await reportErrors(app, [errorOf("r-1"), errorOf("r-2")]);
  const visitor = await visit("/_holdfast/1/find?q=Robin+Namesake", withoutJavaScript);
  await visitor.sees("Found for “Robin Namesake”");
  expect(await visitor.page.locator(".found a").allTextContents()).toEqual(
    expect.arrayContaining(["Robin Namesake, r-1", "Robin Namesake, r-2"]),
  );
  await visitor.goTo("/_holdfast/1/find?q=robin");
  await visitor.page.locator(".found").getByRole("link", { name: "robin@1.0" }).click();
  await visitor.sees("robin@1.0");
});
