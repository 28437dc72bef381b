import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Projects } from "../projects.ts";
import { createUploadToken, projectOfToken, removeUploadToken, tokensPerProject } from "./upload-tokens.ts";

async function twoProjects(): Promise<{ projects: Projects; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-tokens-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const projects = await Projects.open(folder);
  await projects.add("shop");
  return { projects, folder };
}

async function created(projects: Projects, id: number, name: string): Promise<string> {
  const made = await createUploadToken(projects, id, { name, now: 1 });
  return made.kind === "created" ? made.token : expect.fail(made.why);
}

test("a token belongs to one project, and its text is not stored", async () => {
  const { projects, folder } = await twoProjects();
  const token = await created(projects, 2, "pipeline");
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  expect(projectOfToken(projects, token)?.id).toBe(2);
  expect(projectOfToken(await Projects.open(folder), token)?.id).toBe(2);
  expect(readFileSync(join(folder, "projects.json"), "utf8")).not.toContain(token);
  const key = projects.byId(2)?.publicKey ?? "";
  expect(["", key, token.slice(1), token.toUpperCase()].map((text) => projectOfToken(projects, text))).toEqual(
    Array(4).fill(undefined),
  );
});

test("a removed token is refused, and the others still work", async () => {
  const { projects } = await twoProjects();
  const [first, second] = [await created(projects, 1, "first"), await created(projects, 1, "second")];
  expect(await removeUploadToken(projects, 1, "first")).toBe(true);
  expect(await removeUploadToken(projects, 1, "first")).toBe(false);
  expect([projectOfToken(projects, first), projectOfToken(projects, second)?.id]).toEqual([undefined, 1]);
});

test("a name is used once, and a project has a limited number of tokens", async () => {
  const { projects } = await twoProjects();
  for (let n = 0; n < tokensPerProject; n++) await created(projects, 1, `token ${n}`);
  const create = (id: number, name: string) => createUploadToken(projects, id, { name, now: 1 });
  expect(await create(1, "token 0")).toEqual({ kind: "refused", why: "There is a token named token 0 already." });
  expect(await create(1, "one more")).toMatchObject({ kind: "refused", why: expect.stringContaining("at most 20") });
  expect(await create(2, "token 0")).toMatchObject({ kind: "created" });
  expect(await create(9, "nowhere")).toEqual({ kind: "refused", why: "There is no project 9." });
});
