import { expect, test } from "vitest";
import { readLifecycle } from "./lifecycle.ts";

test("an export that would never run is refused", () => {
  expect(() => readLifecycle({ onstart: () => undefined })).toThrow(/lifecycle\.server\.ts exports onstart/);
  expect(() => readLifecycle({ onStop: "now" })).toThrow(/exports onStop as string/);
  expect(readLifecycle({})).toEqual({});
});
