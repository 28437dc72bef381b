import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeFiles } from "../../tests/kit/application.ts";
import { readApplication } from "./application-files.ts";
import { writeServerEntry } from "./entries.ts";

test("an application is the same whether its folder is absolute or relative", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFiles(folder, { "src/pages/index.tsx": "", "src/pages/orders/[id].tsx": "", "src/request.server.ts": "" });
  writeFiles(folder, { "src/schedules.server.ts": "" });
  const application = await readApplication(folder);
  expect(application).toMatchObject({ schedules: `${application.root}/src/schedules.server.ts` });
  expect(writeServerEntry(application)).toContain(`schedules: () => import("${application.schedules}"),`);
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
