import { expect } from "vitest";
import type { Visitor } from "../../kit/index.ts";

const isLong = process.env.HOLDFAST_TEST_LONG !== undefined;

/**
 * Checks that a screen breaks no accessibility rule and does not scroll sideways: light and dark, narrow and wide. Each
 * check of the rules takes a second. A short run makes two of the four, in which each colour and each width is once.
 */
export async function breaksNoRule(visitor: Visitor, screen: string): Promise<void> {
  await visitor.page.getByRole("heading", { level: 1 }).waitFor();
  for (const colorScheme of ["light", "dark"] as const) {
    await visitor.page.emulateMedia({ colorScheme });
    for (const width of [360, 1280]) {
      await visitor.page.setViewportSize({ width, height: 800 });
      if (isLong || (colorScheme === "light") === (width === 360))
        expect(await visitor.accessibilityProblems(), `${screen} ${colorScheme} ${width}`).toEqual([]);
      const wider = await visitor.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(wider, `${screen} at ${width} px scrolls sideways`).toBeLessThanOrEqual(0);
    }
  }
}
