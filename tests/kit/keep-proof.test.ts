import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { root } from "../../scripts/root.js";
import { keepProof, writeProof } from "./keep-proof.ts";

test("a proof names its day, its commit and its seed before what was shown", () => {
  const text = writeProof("random-walks", ["2,000 walks.", "", "- committed: 5,000"], 42, new Date(0), "abc123");
  expect(text).toBe(
    "# Random walks\n\n- Date: 1970-01-01 00:00 UTC\n- Commit: abc123\n- Seed: 42\n\n2,000 walks.\n\n- committed: 5,000\n",
  );
});

test("a short run keeps no proof", () => {
  vi.stubEnv("HOLDFAST_TEST_LONG", undefined);
  keepProof("never-written", ["nothing"]);
  expect(existsSync(join(root, "docs/proofs/never-written.md"))).toBe(false);
  vi.unstubAllEnvs();
});
