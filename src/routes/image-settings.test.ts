import { expect, it } from "vitest";
import { problemOfImages, readImageSettings } from "./image-settings.ts";

it("settings of images have defaults, and may replace some of them", () => {
  expect(readImageSettings()).toMatchObject({ maxSide: 16_383, maxPixels: 64_000_000 });
  const settings = readImageSettings({ widths: [800, 400], quality: { avif: 40 } });
  expect(settings).toMatchObject({ widths: [400, 800], quality: { avif: 40, webp: 75, jpeg: 80 } });
  expect(problemOfImages(settings)).toBeUndefined();
});

it.each([
  [[], "must be an object"],
  [{ width: [1] }, 'has no setting "width"; there are widths'],
  [{ widths: [] }, "widths that are not 1 to 12"],
  [{ widths: [400, 400] }, "widths that are not 1 to 12"],
  [{ widths: [20_000] }, "up to 16383"],
  [{ quality: { png: 3 } }, "a quality that is not"],
  [{ quality: { avif: 101 } }, "numbers from 1 to 100"],
  [{ maxSide: 60_000 }, "no whole number from 1 to 16383"],
  [{ maxPixels: 0 }, "that no image can have"],
])("wrong settings of images are named: %j", (settings, problem) => {
  expect(problemOfImages(settings)).toContain(problem);
});
