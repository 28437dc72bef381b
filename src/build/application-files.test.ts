import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readAddressRules } from "#routes";
import { writeFiles } from "../../tests/kit/application.ts";
import { problemsOfRules } from "./address-rules.ts";
import { readApplication } from "./application-files.ts";
import { writeLater, writeServerEntry } from "./entries.ts";
import { describeRoutes } from "./generate-types.ts";

test("an application is the same whether its folder is absolute or relative", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFiles(folder, { "src/pages/index.tsx": "", "src/pages/orders/[id].tsx": "", "src/request.server.ts": "" });
  writeFiles(folder, { "src/schedules.server.ts": "", "src/lifecycle.server.ts": "" });
  const application = await readApplication(folder);
  expect(application).toMatchObject({ schedules: `${application.root}/src/schedules.server.ts` });
  expect(writeServerEntry(application)).toContain(`schedules: () => import("${application.schedules}"),`);
  expect(writeServerEntry(application)).toContain(`import("${application.root}/src/lifecycle.server.ts"),`);
  expect(application.table.routes.map(({ id }) => id)).toEqual(["/", "/orders/[id]"]);
  expect(await readApplication(`./${relative(".", folder)}`)).toEqual(application);
});

test("an application below a path has the same routes as without it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFiles(folder, { "src/pages/index.tsx": "", "src/pages/users/admin.tsx": "", "src/pages/users/_layout.tsx": "" });
  const { table } = await readApplication(folder);
  expect((await readApplication(folder, "/admin")).table).toEqual({ ...table, at: "/admin" });
  await expect(readApplication(folder, "/users")).rejects.toThrow(/src\/pages\/users\/admin.tsx.*\[repeated-place\]/s);
});

test("languages are read from the configuration, and no page begins like one of them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFiles(folder, {
    "holdfast.config.js": 'export default { languages: { list: ["en", "de"] } };',
    "src/pages/index.tsx": "",
    "src/pages/dean.tsx": "",
  });
  const application = await readApplication(folder);
  expect(describeRoutes(application)).toContain('languages: "en" | "de";');
  expect(writeServerEntry(application)).toContain('languages: { table: {"default":"en"');
  const { rules } = readAddressRules([{ from: "/de/old", to: "/dean" }], undefined);
  expect(problemsOfRules(rules, application, [])).toEqual([expect.stringContaining("begins with a language")]);
  writeFiles(folder, { "src/pages/de/about.tsx": "" });
  await expect(readApplication(folder)).rejects.toThrow(
    /src\/pages\/de\/about.tsx.*begin with \/de are those of the language de.*\[page-like-language\]/s,
  );
});

test("wrong languages are named", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFiles(folder, { "holdfast.config.js": 'export default { languages: { list: ["e!"] } };' });
  await expect(readApplication(folder)).rejects.toThrow(/"e!" must be a language tag.*\[wrong-languages\]/s);
});

test("a path of languages without a page is named", async () => {
  const read = (only: readonly string[]) => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-files-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFiles(folder, {
      "holdfast.config.js": `export default ${JSON.stringify({ languages: { list: ["en", "de"], only } })};`,
      "src/pages/index.tsx": "",
      "src/pages/docs/[guide].tsx": "",
      "src/pages/files/[...path].tsx": "",
      "src/pages/names.server.ts": "",
    });
    return readApplication(folder);
  };
  expect((await read(["/", "/docs", "/docs/start", "/files/a/b"])).languages?.table.list).toHaveLength(2);
  await expect(read(["/dosc"])).rejects.toThrow(
    /only and except name \/dosc, but no page is there.*\[wrong-languages\]/s,
  );
  await expect(read(["/docs/start/more"])).rejects.toThrow("/docs/start/more");
  await expect(read(["/names"])).rejects.toThrow("/names");
});

test("a matcher that a page names is an export of src/matchers.ts, or the error lists those that are", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFiles(folder, { "src/pages/index.tsx": "", "src/matchers.ts": "export const slug = () => true;" });
  const without = await readApplication(folder);
  expect(without.matchers).toBeUndefined();
  expect(writeServerEntry(without) + writeLater({ application: without, browserReports: true })).not.toContain(
    "matchers",
  );
  writeFiles(folder, { "src/pages/parts/[part=integer].tsx": "" });
  await expect(readApplication(folder)).rejects.toThrow(
    /parts\/\[part=integer\]\.tsx has the matcher "integer", but src\/matchers\.ts exports slug\. .*\[unknown-matcher\]/,
  );
  writeFiles(folder, {
    "src/matchers.ts":
      "export type integer = string;\nexport function whole(value: string): boolean { return !value; }",
  });
  await expect(readApplication(folder)).rejects.toThrow(/exports whole\./);
  writeFiles(folder, { "src/matchers.ts": "" });
  await expect(readApplication(folder)).rejects.toThrow(/exports none\./);
  rmSync(join(folder, "src/matchers.ts"));
  await expect(readApplication(folder)).rejects.toThrow(/but there is no src\/matchers\.ts\./);
  for (const code of [
    "export { a as integer } from './a.ts';",
    "export * from './a.ts';",
    "export const integer = 1;",
  ]) {
    writeFiles(folder, { "src/matchers.ts": code });
    const application = await readApplication(folder);
    expect(application.matchers).toBe(`${application.root}/src/matchers.ts`);
    expect(writeServerEntry(application)).toContain(`import * as matchers from "${application.matchers}";`);
  }
});
