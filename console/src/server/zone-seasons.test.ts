import { expect, test } from "vitest";
import { seasonsOf } from "./zone-seasons.ts";

test.each([
  ["UTC", [0, 0]],
  ["Europe/Berlin", [60, 120]],
  ["Asia/Kolkata", [330, 330]],
  ["America/St_Johns", [-210, -150]],
])("%s has the offsets %j in January and July", (zone, offsets) => {
  const seasons = seasonsOf(zone, 2026);
  expect(seasons.map(({ at }) => new Date(at).toISOString().slice(0, 10))).toEqual(["2026-01-01", "2026-07-01"]);
  expect(seasons.map(({ minutes }) => minutes)).toEqual(offsets);
});
