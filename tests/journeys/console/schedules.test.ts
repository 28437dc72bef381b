import { expect } from "vitest";
import { jsonItem } from "#protocol";
import { application, journeyThrough, startApp, withoutJavaScript } from "../../kit/index.ts";
import { overlappingRows } from "./overlapping-rows.ts";
import { anError, report, reportErrors } from "./reports.ts";

const shop = application({
  "holdfast.config.ts": `export default { console: { authorize: () => ({ name: "ada@example.org", roles: "owner" }) } };`,
  "src/pages/index.tsx": `export default function Home() { return <h1>Shop</h1>; }`,
});

const test = journeyThrough(() => startApp({ app: shop }));

test("tasks are listed with their schedule, their last runs and their next time, muted and deleted", async ({
  app,
  visit,
}) => {
  const operator = await visit("/_holdfast/1/schedules");
  await operator.sees("No task has checked in");
  const schedule = { schedule: { type: "crontab", value: "0 3 * * *" }, timezone: "Europe/Berlin" };
  const checkIn = (fields: object) =>
    jsonItem("check_in", { monitor_slug: "nightly", monitor_config: schedule, ...fields });
  await report(app, [
    checkIn({ status: "ok", duration: 2, environment: "production" }),
    checkIn({ status: "error", duration: 90, environment: "production" }),
    checkIn({ status: "in_progress", environment: "production" }),
    checkIn({ status: "ok", duration: 1, environment: "staging" }),
  ]);
  await reportErrors(app, [anError({ value: "after the tasks" })]);
  await operator.page.reload();
  const row = (environment: string) => operator.page.getByRole("row", { name: `nightly ${environment}` });
  const runs = row("production").getByRole("listitem");
  // In the order of their starts: the failed run took 90 seconds.
  expect(await runs.allTextContents()).toEqual([
    expect.stringMatching(/^▲failed, .*, 1\.5 min$/),
    expect.stringMatching(/^✓ended well, .*, 2\.00 s$/),
    expect.stringMatching(/^…running, \d{4}-.*$/),
  ]);
  expect(await row("production").textContent()).toContain("every day at 03:00 (Europe/Berlin)");
  expect(await row("production").textContent()).toMatch(/in \d+ (?:h|min)/);
  const wide = operator.page.viewportSize() ?? { width: 1280, height: 720 };
  await operator.page.setViewportSize({ width: 390, height: 844 });
  expect(await overlappingRows(operator.page)).toEqual([]);
  await operator.page.setViewportSize(wide);
  // A failed run is an issue, and the name of the task leads to it.
  await expect
    .poll(
      async () => {
        await operator.page.reload();
        return row("production").getByText("▲ failed").count();
      },
      { timeout: 45_000 },
    )
    .toBeGreaterThan(0);
  await row("staging").getByRole("button", { name: "Mute" }).click();
  await operator.page.getByText("nightly is muted").waitFor();
  await row("staging").getByRole("button", { name: "Unmute" }).waitFor();
  await row("staging").getByRole("button", { name: "Delete" }).click();
  await operator.page.getByText("nightly is deleted").waitFor();
  await expect.poll(() => row("staging").count()).toBe(0);
  await row("production").getByRole("link", { name: "nightly" }).click();
  await operator.page.getByRole("row", { name: /FailedRun: nightly failed/ }).waitFor();
  await operator.goTo("/_holdfast/1/settings");
  await operator.page.getByText("deleted the schedule nightly in staging").first().waitFor();
}, 90_000);

test("schedules are complete without JavaScript", async ({ app, visit }) => {
  await report(app, [jsonItem("check_in", { monitor_slug: "plain", status: "ok" })]);
  await reportErrors(app, [anError({ value: "after the plain task" })]);
  const operator = await visit("/_holdfast/1/schedules", withoutJavaScript);
  const row = operator.page.getByRole("row", { name: /^plain/ });
  expect(await row.textContent()).toContain("no schedule is known");
  await row.getByRole("button", { name: "Delete" }).click();
  await operator.page.getByText("plain is deleted").waitFor();
  expect(await row.count()).toBe(0);
});
