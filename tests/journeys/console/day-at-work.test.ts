import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { digestOf } from "#protocol";
import { Projects } from "#service";
import { journey, type Visitor } from "../../kit/index.ts";
import { anError, reportErrors } from "./reports.ts";
import { fillSlowRoute } from "./slow-route.ts";

const test = journey({ app: "tests/fixtures/watched" });

/** Counts keys, clicks and choices from a list. Text that is pasted or typed is not counted. */
class Hands {
  readonly #visitor: Visitor;
  used = 0;

  constructor(visitor: Visitor) {
    this.#visitor = visitor;
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.used += 1;
      await this.#visitor.page.keyboard.press(key);
    }
  }

  async click(target: Locator): Promise<void> {
    this.used += 1;
    await target.click();
  }

  async choose(list: Locator, option: string): Promise<void> {
    this.used += 1;
    await list.selectOption(option);
  }

  async write(text: string): Promise<void> {
    await this.#visitor.page.keyboard.insertText(text);
  }

  /** The search box takes whatever a person has. */
  async find(text: string): Promise<void> {
    await this.press("/");
    await this.write(text);
    await this.press("Enter");
  }
}

async function at(
  visit: (path: string) => Promise<Visitor>,
  path: string,
): Promise<{ visitor: Visitor; hands: Hands }> {
  const visitor = await visit(`/_holdfast/1${path}`);
  await visitor.isAlive();
  return { visitor, hands: new Hands(visitor) };
}

const paula = { id: "u-777", email: "paula.paying@mail.test", name: "Paula Paying" };

function ofPaula(fields: Readonly<Record<string, unknown>> = {}) {
  return anError({ function: "payOrder", value: "Address 4417 did not answer", user: paula, ...fields });
}

test("a digest of any project leads to its event by two keys", async ({ app, visit }) => {
  const other = await (await Projects.open(`${app.dataFolder}/data`)).add("other");
  const [here, elsewhere] = [ofPaula(), anError({ function: "elsewhere", value: "in another project" })];
  await reportErrors(app, [here]);
  await reportErrors(app, [elsewhere], other.id);
  for (const [project, error] of [[1, here] as const, [other.id, elsewhere] as const]) {
    const { visitor, hands } = await at(visit, "/issues");
    await hands.find(digestOf(error.event_id));
    await expect.poll(() => visitor.address).toBe(`/_holdfast/${project}/events/${error.event_id}`);
    expect(hands.used).toBe(2);
  }
});

test("an e-mail address or a customer number leads to the person by two keys, part of a name by three", async ({
  app,
  visit,
}) => {
  await reportErrors(app, [ofPaula()]);
  for (const known of [paula.email, paula.id]) {
    const { visitor, hands } = await at(visit, "/issues");
    await hands.find(known);
    await visitor.sees(paula.email);
    expect(hands.used).toBe(2);
  }
  const { visitor, hands } = await at(visit, "/issues");
  await hands.press("/");
  await hands.write("paula");
  await visitor.page.getByRole("option", { name: /Paula/ }).first().waitFor();
  await hands.press("ArrowDown", "Enter");
  await visitor.sees(paula.email);
  expect(hands.used).toBe(3);
});

test("thirty issues are resolved by 31 keys, and restored by one", async ({ app, visit }) => {
  await reportErrors(
    app,
    Array.from({ length: 30 }, (_, n) => anError({ function: `dull${n}`, value: `dull ${n}`, transaction: "/dull" })),
  );
  const { visitor, hands } = await at(visit, "/issues?q=dull");
  await hands.press("j", ...Array.from({ length: 29 }, () => "Shift+J"), "e");
  await visitor.page.getByText("30 issues resolved.").waitFor();
  expect(hands.used).toBe(31);
  await hands.press("z");
  await visitor.page.getByText("30 issues restored.").waitFor();
  expect(hands.used).toBe(32);
});

test("from an open issue one key leads to the next and one click to its visitors; one key copies an event", async ({
  app,
  visit,
}) => {
  const errors = ["First", "Second"].map((name) => ofPaula({ function: `met${name}`, value: `met ${name}` }));
  await reportErrors(app, errors);
  const { visitor, hands } = await at(visit, "/issues?q=met&sort=first-seen");
  await visitor.clickLink(/^TypeError: met/);
  await visitor.page.getByRole("heading", { level: 1, name: /^TypeError: met/ }).waitFor();
  const first = visitor.address.split("?")[0];
  await hands.press("j");
  await expect.poll(() => visitor.address.split("?")[0]).not.toBe(first);
  expect(hands.used).toBe(1);

  await hands.click(visitor.page.locator("main").getByRole("link", { name: /^1$/ }).first());
  await visitor.page.getByRole("table").getByText(paula.email).waitFor();
  expect(hands.used).toBe(2);

  const { visitor: reader, hands: own } = await at(visit, `/events/${errors[0]?.event_id}`);
  await reader.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await own.press("c");
  await expect
    .poll(() => reader.page.evaluate(() => navigator.clipboard.readText()))
    .toContain(digestOf(errors[0]?.event_id ?? ""));
  expect(own.used).toBe(1);
});

test("muting, resolving, reopening and assigning are one key each; merging two issues is three", async ({
  app,
  visit,
}) => {
  await reportErrors(
    app,
    ["Ann", "Ben"].map((name) =>
      anError({ function: `single${name}`, value: `single ${name}`, transaction: "/single" }),
    ),
  );
  const { visitor, hands } = await at(visit, "/issues?q=single&tab=all");
  await visitor.clickLink(/^TypeError: single/);
  await visitor.page.getByRole("heading", { level: 1, name: /^TypeError: single/ }).waitFor();
  for (const [key, says] of [
    ["m", "1 issue muted until somebody opens it again."],
    ["u", "1 issue reopened."],
    ["e", "1 issue resolved."],
    ["u", "1 issue reopened."],
    ["a", "1 issue assigned"],
  ] as const) {
    const before = hands.used;
    await hands.press(key);
    await visitor.page.getByText(says).first().waitFor();
    expect(hands.used - before, says).toBe(1);
  }

  const list = await at(visit, "/issues?q=single&tab=all");
  await list.hands.press("j", "Shift+J", "g");
  await list.visitor.page.getByText(/^1 issue merged into #\d+\./).waitFor();
  await list.visitor.page.getByRole("button", { name: /^Undo/ }).waitFor();
  expect(list.hands.used).toBe(3);
});

test("why a page got slow is said by the page itself, two clicks from anywhere; any two releases are compared by four", {
  timeout: 120_000,
}, async ({ app, visit }) => {
  await fillSlowRoute(app);
  const { visitor, hands } = await at(visit, "/issues");
  const { page } = visitor;
  await hands.click(page.getByRole("navigation").getByRole("link", { name: "Pages" }).first());
  await hands.click(page.getByRole("link", { name: "/slow", exact: true }));
  await page.getByRole("heading", { level: 1, name: /slower.* since shop@1\.4\.1$/ }).waitFor();
  expect(hands.used).toBe(2);

  const { visitor: reader, hands: own } = await at(visit, "/releases");
  await own.click(reader.page.getByRole("link", { name: "Compare two releases" }));
  await own.choose(reader.page.locator("select[name=from]"), "shop@1.4.0");
  await own.choose(reader.page.locator("select[name=to]"), "shop@1.4.1");
  await own.click(reader.page.getByRole("button", { name: "Compare" }));
  await reader.page.getByRole("heading", { level: 1, name: /^shop@1\.4\.1 after shop@1\.4\.0/ }).waitFor();
  expect(own.used).toBe(4);
});
