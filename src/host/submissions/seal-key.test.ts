import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { earlierKeysOf, sealKeyOf } from "./seal-key.ts";

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-seal-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the key is created once, stored for its owner alone, and equal for every later process", () => {
  const data = path.join(folder, "made");
  const first = sealKeyOf(data, {});
  expect(first.length).toBe(32);
  expect(sealKeyOf(data, {})).toEqual(first);
  expect(statSync(path.join(data, "seal-key")).mode & 0o777).toBe(0o600);
  expect(sealKeyOf(path.join(folder, "other"), {})).not.toEqual(first);
});

test("machines with the same secret have the same key, and store nothing", () => {
  const env = { HOLDFAST_SECRET: "s".repeat(32) };
  expect(sealKeyOf(path.join(folder, "one"), env)).toEqual(sealKeyOf(path.join(folder, "two"), env));
  expect(statSync(path.join(folder, "one"), { throwIfNoEntry: false })).toBeUndefined();
  expect(() => sealKeyOf(folder, { HOLDFAST_SECRET: "too short" })).toThrow("[secret-too-short]");
});

test("an incomplete key is not used", () => {
  writeFileSync(path.join(folder, "seal-key"), "short");
  expect(sealKeyOf(folder, {}).length).toBe(32);
});

test("earlier keys are those of the variable, and that of the folder once there is a secret", () => {
  const data = path.join(folder, "rotated");
  const own = sealKeyOf(data, {});
  const [first, second] = ["a".repeat(32), "b".repeat(32)];
  expect(earlierKeysOf(data, {})).toEqual([]);
  expect(earlierKeysOf(data, { HOLDFAST_SECRET: first, HOLDFAST_SECRET_BEFORE: `${second}  ${first}\n` })).toEqual([
    sealKeyOf(data, { HOLDFAST_SECRET: second }),
    sealKeyOf(data, { HOLDFAST_SECRET: first }),
    own,
  ]);
  expect(() => earlierKeysOf(data, { HOLDFAST_SECRET: first, HOLDFAST_SECRET_BEFORE: `${second} short` })).toThrow(
    "HOLDFAST_SECRET_BEFORE has a secret of 5 characters",
  );
});
