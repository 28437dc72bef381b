import { join } from "node:path";
import { expect } from "vitest";
import { Projects } from "../../../src/service/projects.ts";
import { createUploadToken } from "../../../src/service/uploads/upload-tokens.ts";
import { journey } from "../../kit/index.ts";
import { breaksNoRule } from "./accessible.ts";
import { anError, reportErrors } from "./reports.ts";

const test = journey({ app: "tests/fixtures/watched" });

test("the page of a release lists its deploys, and makes links of web addresses only", async ({ app, visit }) => {
  await reportErrors(app, [anError({ function: "deployed", release: "deployed@1" })]);
  const visitor = await visit("/_holdfast/1/releases/named?name=deployed%401");
  const section = visitor.page.getByRole("region", { name: "Deploys" });
  await section.getByText("None is known").waitFor();

  const projects = await Projects.open(join(app.dataFolder, "data"));
  const made = await createUploadToken(projects, 1, { name: "deploys", now: Date.now() });
  const token = made.kind === "created" ? made.token : expect.fail(made.why);
  const deploy = (fields: object) =>
    fetch(`${app.url}/_holdfast/api/0/organizations/any/releases/deployed@1/deploys/`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(fields),
    });
  const now = Date.now();
  const at = (minutesAgo: number) => new Date(now - minutesAgo * 60_000).toISOString();
  const attack = "javascript:alert(1)";
  expect((await deploy({ environment: "staging", url: attack, dateFinished: at(61) })).status).toBe(201);
  const url = "https://shop.example/blue";
  expect((await deploy({ environment: "production", name: "blue", url, dateFinished: at(5) })).status).toBe(201);

  await visitor.page.reload();
  const rows = section.locator("tbody tr");
  expect(await rows.nth(0).locator("th, td").allTextContents()).toEqual(["production", "5 min ago", "blue", url]);
  expect(await rows.nth(1).locator("th, td").allTextContents()).toEqual(["staging", "1 h ago", "–", attack]);
  expect(
    await section.getByRole("link").evaluateAll((links) => links.map((link) => link.getAttribute("href"))),
  ).toEqual([url]);
  await breaksNoRule(visitor, "a release with deploys");
});
