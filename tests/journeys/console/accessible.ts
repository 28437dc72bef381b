import { expect } from "vitest";
import { isLong, type Visitor } from "../../kit/index.ts";

/**
 * Checks that a screen breaks no accessibility rule and does not scroll sideways: light and dark, narrow and wide. Each
 * check of the rules takes a second of a processor, so a short run makes one of the four: about half of the screens are
 * checked light and narrow, the others dark and wide.
 */
export async function breaksNoRule(visitor: Visitor, screen: string): Promise<void> {
  await visitor.page.getByRole("heading", { level: 1 }).waitFor();
  const [ofScreen, widthOfScreen] = screen.length % 2 === 0 ? (["light", 360] as const) : (["dark", 1280] as const);
  for (const colorScheme of ["light", "dark"] as const) {
    await visitor.page.emulateMedia({ colorScheme });
    for (const width of [360, 1280]) {
      await visitor.page.setViewportSize({ width, height: 800 });
      if (isLong || (colorScheme === ofScreen && width === widthOfScreen))
        expect(await visitor.accessibilityProblems(), `${screen} ${colorScheme} ${width}`).toEqual([]);
      const wider = await visitor.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(wider, `${screen} at ${width} px scrolls sideways`).toBeLessThanOrEqual(0);
    }
  }
}
