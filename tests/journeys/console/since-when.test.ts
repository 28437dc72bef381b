import { journey } from "../../kit/index.ts";
import { breaksNoRule } from "./accessible.ts";
import { fillSlowRoute } from "./slow-route.ts";

const test = journey({ app: "tests/fixtures/watched" });

// Eight checks of accessibility, each of which takes seconds on a loaded machine.
const withinMs = 180_000;

test("a route says since which release it is slower, with examples, and two releases are compared", {
  timeout: withinMs,
}, async ({ app, visit }) => {
  await fillSlowRoute(app);
  const visitor = await visit("/_holdfast/1/pages");
  const { page } = visitor;
  await page.getByRole("link", { name: "/slow", exact: true }).click();
  await page
    .getByRole("heading", { level: 1, name: /^\/slow is (?:3\.9|4|4\.1) × slower \(Load\) since shop@1\.4\.1$/ })
    .waitFor();
  await page.getByText(/^(?:3\.9|4|4\.1) × slower since shop@1\.4\.1, \d+ ms → 1\.\d+ s$/).waitFor();
  const example = page.getByRole("row", { name: /shop@1\.4\.1/ }).first();
  await example.getByText(/^1\.\d+ s in SELECT price$/).waitFor();
  await page.getByRole("heading", { name: "Slow page loads" }).waitFor();
  await breaksNoRule(visitor, "a route");
  await page.getByRole("link", { name: "480 views" }).click();
  await page.getByRole("heading", { name: "Newest traces" }).waitFor();

  await visitor.goTo("/_holdfast/1/releases");
  await page.getByRole("link", { name: "Compare two releases" }).click();
  await page.locator("select[name=from]").selectOption("shop@1.4.0");
  await page.locator("select[name=to]").selectOption("shop@1.4.1");
  await page.getByRole("button", { name: "Compare" }).click();
  await page
    .getByRole("heading", { level: 1, name: "shop@1.4.1 after shop@1.4.0: 1 new issue, 1 route slower" })
    .waitFor();
  await page.getByRole("row", { name: /only in the new one/ }).waitFor();
  await page
    .getByRole("row", { name: /\/slow/ })
    .getByText(/^(?:3\.9|4\.0|4\.1) × slower$/)
    .waitFor();
  await breaksNoRule(visitor, "two releases");
});
