import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readApplication } from "./application-files.ts";
import { findLimits, readDeclaredLimits } from "./declared-limits.ts";

const file = "a.server.ts";
const find = (code: string, kind: "page" | "api" | "actions" = "page") => findLimits({ place: "/a", kind, file, code });

test("finds the limits of a page and of its actions, without running the file", () => {
  const code = `import { action, load } from "holdfast/server";
const MiB = 1024 ** 2;
const send = action({ uploads: true, uploadBytes: 50 * MiB, files: 3 }, ({ input }) => input);
export const timeout = 20;
export const data = load("/a", () => { throw new Error("This must not run."); });
export const actions = { send, slow: action({ timeout: 60 * 10 }, () => 1), plain: action({}, () => 1) } as const;
`;
  expect(find(code)).toEqual([
    { place: "/a", of: "page", file, limits: { timeout: 20 } },
    {
      place: "/a",
      of: "action",
      file,
      action: "send",
      uploads: "disk",
      limits: { uploadBytes: 52_428_800, files: 3 },
    },
    { place: "/a", of: "action", file, action: "slow", uploads: "none", limits: { timeout: 600 } },
  ]);
});

test("shows what only running code knows as it is written", () => {
  expect(find(`export const bodyBytes = Number(process.env.BODY_BYTES);\nexport const POST = () => 1;`, "api")).toEqual(
    [{ place: "/a", of: "api", file, limits: { bodyBytes: "Number(process.env.BODY_BYTES)" } }],
  );
});

test("finds nothing in what is not exported, or is no constant", () => {
  expect(find(`const timeout = 20;\nexport function bodyBytes() {}\nexport const actions = make();`)).toEqual([]);
});

test("finds only those that a file of its kind may export", () => {
  const code =
    "export const timeout = 20;\nexport const bodyBytes = 1;\nexport const files = 900;\nexport const POST = f;";
  const found = (["page", "api", "actions"] as const).map((kind) => find(code, kind)[0]?.limits);
  expect(found).toEqual([{ timeout: 20 }, { timeout: 20, bodyBytes: 1 }, undefined]);
});

test("says where the files of an action go, as far as the code says it", () => {
  const uploadsOf = (options: string) =>
    find(`export const actions = { "save-all": action({ ${options} }, run) };`, "actions")[0];
  expect(uploadsOf("files: 2")).toMatchObject({ action: "save-all", uploads: "none" });
  expect(uploadsOf("files: 2, uploads: false")).toMatchObject({ uploads: "none" });
  expect(uploadsOf("files: 2, uploads: true")).toMatchObject({ uploads: "disk" });
  for (const options of ["files: 2, ...shared", "files: 2, [name]: true", "files: 2, uploads: store"])
    expect(uploadsOf(options)).not.toHaveProperty("uploads");
});

test("reads layouts and components' files too, but no layout's file without a layout", async () => {
  const root = mkdtempSync(join(tmpdir(), "holdfast-limits-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const slow = "export const actions = { slow: action({ timeout: 600 }, () => 1) };";
  const page = "export default () => null;";
  const files = {
    "src/pages/index.tsx": page,
    "src/pages/shop/_layout.tsx": page,
    "src/pages/shop/_layout.server.ts": slow,
    "src/pages/shop/index.tsx": page,
    "src/pages/admin/_layout.server.ts": slow,
    "src/pages/admin/index.tsx": page,
    "src/parts/cart.actions.server.ts": slow,
  };
  for (const [name, code] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), code);
  }
  const declared = await readDeclaredLimits(await readApplication(root));
  expect(declared).toMatchObject([
    { place: "shop/_layout.server.ts", of: "action", action: "slow", limits: { timeout: 600 } },
    { place: "src/parts/cart.actions.server.ts", of: "action", action: "slow", limits: { timeout: 600 } },
  ]);
});
