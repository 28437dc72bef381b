import { expect, test } from "vitest";
import { findLimits } from "./declared-limits.ts";

const names = ["timeout", "bodyBytes", "uploadBytes", "files"];
const file = "a.server.ts";
const find = (code: string, kind: "page" | "api" = "page") => findLimits({ id: "/a", kind, file, code }, names);

test("finds the limits of a page and of its actions, without running the file", () => {
  const code = `import { action, load } from "holdfast/server";
const MiB = 1024 ** 2;
const send = action({ uploads: true, uploadBytes: 50 * MiB, files: 3 }, ({ input }) => input);
export const timeout = 20;
export const data = load("/a", () => { throw new Error("This must not run."); });
export const actions = { send, slow: action({ timeout: 60 * 10 }, () => 1), plain: action({}, () => 1) } as const;
`;
  expect(find(code)).toEqual([
    { route: "/a", of: "page", file, limits: { timeout: 20 } },
    {
      route: "/a",
      of: "action",
      file,
      action: "send",
      onDisk: true,
      limits: { uploadBytes: 52_428_800, files: 3 },
    },
    { route: "/a", of: "action", file, action: "slow", limits: { timeout: 600 } },
  ]);
});

test("shows what only running code knows as it is written", () => {
  expect(find(`export const bodyBytes = Number(process.env.BODY_BYTES);\nexport const POST = () => 1;`, "api")).toEqual(
    [{ route: "/a", of: "api", file, limits: { bodyBytes: "Number(process.env.BODY_BYTES)" } }],
  );
});

test("finds nothing in what is not exported, or is no constant", () => {
  expect(find(`const timeout = 20;\nexport function bodyBytes() {}\nexport const actions = make();`)).toEqual([]);
});
