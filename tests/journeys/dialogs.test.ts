import { describe, expect } from "vitest";
import { type Visitor, withoutJavaScript } from "../kit/index.ts";
import { walk as test } from "./walk.ts";

describe("a link to a dialog", () => {
  test("opens its page over the current one, which stays as it is; Back closes it and Forward opens it again", async ({
    arrive,
  }) => {
    const visitor = await atDesk(arrive);
    const { page } = visitor;
    await visitor.clickLink("Note 1");
    await dialogShows(visitor, "Note 1");
    expect(visitor.address).toBe("/desk/1");
    // Inside of the layouts that both have, and without their markup.
    await dialogOf(visitor).getByText("Of Ada").waitFor();
    expect(await page.getByText("Around the desk").count()).toBe(1);
    expect(await page.title()).toBe("Note 1");
    expect(await dialogOf(visitor).getAttribute("aria-label")).toBe("Note 1");
    expect(await focusedText(visitor)).toBe("Note 1");
    await expect.poll(() => page.locator("#holdfast-announcer").textContent()).toBe("Note 1");
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await deskIsAsItWas(visitor);

    await page.goBack();
    await dialogIsClosed(visitor);
    expect(visitor.address).toBe("/desk");
    expect(await page.title()).toBe("Desk");
    expect(await focusedText(visitor)).toBe("Note 1");
    await deskIsAsItWas(visitor);

    await page.goForward();
    await dialogShows(visitor, "Note 1");
    await page.goBack();
    await dialogIsClosed(visitor);
    await expect.poll(() => focusedText(visitor)).toBe("Note 1");
    await deskIsAsItWas(visitor);
    expect(visitor.documentsLoaded).toBe(1);
    expect(visitor.requestsFor(/_data/).map(({ path }) => path)).toEqual(["/desk/_data", "/desk/1/_data"]);
  });

  test("is closed by Escape, the backdrop, its button and a link to the page below, in one step of the history", async ({
    arrive,
  }) => {
    const visitor = await atDesk(arrive);
    const { page } = visitor;
    const ways: (() => Promise<unknown>)[] = [
      () => page.keyboard.press("Escape"),
      () => page.mouse.click(3, 3),
      () => visitor.pressButton("Close"),
      () => visitor.clickLink("To the desk"),
    ];
    for (const close of ways) {
      await visitor.pressButton("Note 5");
      await dialogShows(visitor, "Note 5");
      await close();
      await dialogIsClosed(visitor);
      expect(visitor.address).toBe("/desk");
      await deskIsAsItWas(visitor);
    }
    // The dialog is ahead and the page before the desk behind: no step leads nowhere.
    await page.goForward();
    await dialogShows(visitor, "Note 5");
    await page.evaluate(() => history.go(-2));
    await visitor.sees("Home");
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("shows a whole page after a reload, in a new tab and without JavaScript", async ({ arrive, visit }) => {
    const visitor = await atDesk(arrive);
    await visitor.clickLink("Note 1");
    await dialogShows(visitor, "Note 1");
    await visitor.page.reload();
    await visitor.isAwake();
    await isWhole(visitor, "Note 1");
    expect(await visitor.page.evaluate(() => scrollY)).toBe(0);
    // The entries on both sides still know what they are.
    await visitor.page.goBack();
    await visitor.sees("Desk");
    await visitor.page.goForward();
    await dialogShows(visitor, "Note 1");
    const plain = await visit("/desk", withoutJavaScript);
    await plain.clickLink("Note 1");
    await isWhole(plain, "Note 1");
  });

  test("behind Back and Forward is reached when the data of the page below is cut or never arrives", async ({
    arrive,
    proxy,
  }) => {
    const visitor = (await atDesk(arrive)).expecting(/ERR_|Failed to load/);
    const { page } = visitor;
    await visitor.clickLink("Note 1");
    await dialogShows(visitor, "Note 1");
    await page.reload();
    await visitor.isAwake();
    proxy.when("/desk/_data").times(1).cutAfter(20);
    await page.goBack();
    await visitor.sees("Desk");
    expect(visitor.address).toBe("/desk");
    await page.goForward();
    await visitor.sees("Note 1");
    await visitor.isAwake();
    proxy.when("/desk/_data").times(1).hang();
    await visitor.clickLink("To the desk");
    await visitor.sees("Desk");
    await visitor.isAwake();
    await visitor.clickLink("Note 1");
    await dialogShows(visitor, "Note 1");
  });

  test("leads on: a link to another dialog takes its place, and any other link leaves for a whole page", async ({
    arrive,
  }) => {
    const visitor = await atDesk(arrive);
    const { page } = visitor;
    await visitor.clickLink("Note 1");
    await dialogShows(visitor, "Note 1");
    await visitor.clickLink("Next note");
    await dialogShows(visitor, "Note 2");
    await page.goBack();
    await dialogShows(visitor, "Note 1");
    await page.goForward();
    await dialogShows(visitor, "Note 2");
    await page.keyboard.press("Escape");
    await dialogIsClosed(visitor);
    expect(visitor.address).toBe("/desk");
    await page.goForward();
    await dialogShows(visitor, "Note 1");
    await visitor.clickLink("All orders");
    await visitor.sees("Orders");
    await dialogIsClosed(visitor);
    // The page below has gone with it.
    await page.goBack();
    await isWhole(visitor, "Note 1");
    expect(visitor.documentsLoaded).toBe(1);
  });
});

describe("a form in a dialog", () => {
  test("posts to its own page, and the page below is loaded again when the dialog closes", async ({ arrive }) => {
    const visitor = await atDesk(arrive);
    await visitor.clickLink("Note 1");
    await dialogShows(visitor, "Note 1");
    await visitor.fillIn("Text", "milk");
    await visitor.pressButton("Save");
    await dialogOf(visitor).getByText("Of Ada: milk").waitFor();
    expect(visitor.address).toBe("/desk/1");
    await visitor.pressButton("Close");
    await dialogIsClosed(visitor);
    await visitor.page.getByText("1: milk").waitFor();
    await deskIsAsItWas(visitor);
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("a form in a dialog whose action redirects to the page below closes the dialog and refreshes that page", async ({
    arrive,
  }) => {
    const visitor = await atDesk(arrive);
    const { page } = visitor;
    await visitor.pressButton("Note 5");
    await dialogShows(visitor, "Note 5");
    await visitor.fillIn("Last text", "bread");
    await visitor.pressButton("Save and close");
    await dialogIsClosed(visitor);
    await page.getByText("5: bread").waitFor();
    await deskIsAsItWas(visitor);
    expect(visitor.address).toBe("/desk");
    await page.goBack();
    await visitor.sees("Home");
  });
});

describe("a dialog that cannot open is a whole page", () => {
  test.for([
    ["Gone note", "Page not found", /404/],
    ["Broken note", "Application error", /500/],
    ["Moved note", "Orders", undefined],
  ] as const)("%s", async ([link, heading, problem], { arrive }) => {
    const visitor = await atDesk(arrive);
    if (problem) visitor.expecting(problem);
    await visitor.enterLink(link);
    await isWhole(visitor, heading);
    expect(visitor.documentsLoaded).toBe(1);
    await visitor.page.goBack();
    await visitor.sees("Desk");
  });

  test("when its data never arrives, is cut, or comes from another build", async ({ arrive, proxy }) => {
    for (const fault of ["hang", "cut", "build"] as const) {
      const visitor = await atDesk(arrive);
      if (fault === "cut") visitor.expecting(/ERR_|Failed to load/);
      const data = proxy.when("/desk/1/_data").times(1);
      if (fault === "hang") data.hang();
      else if (fault === "cut") data.cutAfter(40);
      else
        data.answer(200, '{"build":"other","route":"/desk/[id]","fresh":0,"expires":0,"tag":""}\n', {
          "content-type": "application/vnd.holdfast.page-data",
        });
      await visitor.enterLink("Note 1");
      await isWhole(visitor, "Note 1");
      expect(visitor.documentsLoaded).toBe(2);
      await visitor.page.goBack();
      await visitor.sees("Desk");
    }
  });

  test("when its code does not load", async ({ visit, proxy }) => {
    proxy.when(/_assets\/presentation/).answer(404, "", {});
    const visitor = (await visit("/desk")).expecting(/404/);
    await visitor.isAwake();
    await visitor.enterLink("Note 1");
    await isWhole(visitor, "Note 1");
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("a dialog waits while the connection is lost: the page stays, and the dialog opens when it is back", async ({
    arrive,
    proxy,
  }) => {
    const visitor = (await atDesk(arrive)).expecting(/ERR_|Failed to load/);
    await proxy.offline();
    await visitor.clickLink("Note 1");
    await visitor.page.getByRole("alert").waitFor();
    await proxy.online();
    await visitor.pressButton("Retry");
    await dialogShows(visitor, "Note 1");
    // The notice inside of a dialog can be seen and pressed.
    await proxy.offline();
    await visitor.enterLink("Next note");
    await dialogOf(visitor).getByRole("alert").waitFor();
    await proxy.online();
    await visitor.pressButton("Retry");
    await dialogShows(visitor, "Note 2");
    // Closing needs no server.
    await proxy.offline();
    await visitor.pressButton("Close");
    await dialogIsClosed(visitor);
    await deskIsAsItWas(visitor);
    await proxy.online();
  });
});

describe("a dialog that is not left", () => {
  test.for([
    ["Draft", "Escape"],
    ["Draft", "Close"],
    ["Edit here", "Escape"],
  ] as const)("keeps both pages where they are: %s, %s", async ([link, way], { arrive }) => {
    const visitor = await atDesk(arrive);
    const { page } = visitor;
    // The entry of the next dialog has the number of this one's.
    await visitor.clickLink("Note 1");
    await dialogShows(visitor, "Note 1");
    await visitor.pressButton("Close");
    await dialogIsClosed(visitor);
    await page.evaluate(() => scrollTo(0, 1_000));
    await visitor.enterLink(link);
    await dialogShows(visitor, link === "Draft" ? "Draft" : "Edit");
    await visitor.fillIn("Text", "unsaved");
    // The code that asks is loaded with the first form that needs it.
    if (link === "Draft") await expect.poll(() => asksBeforeUnload(visitor)).toBe(true);
    const steps = await countSteps(visitor);
    let answer: "dismiss" | "accept" = "dismiss";
    page.on("dialog", (question) => question[answer]());
    if (way === "Escape") await page.keyboard.press("Escape");
    else await visitor.pressButton(way);
    // Back, which is refused, and forward again.
    await expect.poll(steps).toBe(2);
    await deskIsAsItWas(visitor);
    expect(await dialogOf(visitor).getByLabel("Text", { exact: true }).inputValue()).toBe("unsaved");
    expect(visitor.address).toBe(link === "Draft" ? "/desk/draft" : "/edit");
    answer = "accept";
    if (link === "Edit here") await visitor.pressButton("Leave anyway");
    else await page.keyboard.press("Escape");
    await dialogIsClosed(visitor);
    await deskIsAsItWas(visitor);
  });

  test("keeps the page below where it is during a step between hashes of the dialog", async ({ arrive }) => {
    const visitor = await atDesk(arrive);
    const { page } = visitor;
    await visitor.enterLink("Tall here");
    await dialogShows(visitor, "Tall");
    await scrollDialog(visitor, 200);
    const steps = await countSteps(visitor);
    await dialogOf(visitor)
      .getByRole("link", { name: "To the middle" })
      .evaluate((one: HTMLElement) => one.click());
    await expect.poll(() => dialogScroll(visitor)).toBeGreaterThan(2_000);
    const middle = await dialogScroll(visitor);
    await page.goBack();
    await expect.poll(steps).toBe(2);
    expect(await dialogScroll(visitor)).toBe(200);
    await deskIsAsItWas(visitor);
    await page.goForward();
    await expect.poll(() => dialogScroll(visitor)).toBe(middle);
    await deskIsAsItWas(visitor);
  });
});

describe("the scroll position of a page in a dialog", () => {
  test("is that of the whole page after Back, with the rows of its list, and after a reload", async ({ arrive }) => {
    const visitor = await atDesk(arrive);
    const { page } = visitor;
    await visitor.enterLink("Log");
    await dialogShows(visitor, "Log");
    // The list is full, so nothing is loaded while the test looks at it.
    await expect
      .poll(async () => {
        await scrollDialog(visitor, 1e6);
        return await page.getByRole("article").count();
      })
      .toBe(60);
    await scrollDialog(visitor, 2_500);
    await visitor.enterLink("Open 33");
    await visitor.sees("Order 33");
    await page.goBack();
    await isWhole(visitor, "Log");
    await windowIsAt(visitor, 2_500);
    expect(await page.getByRole("article").count()).toBe(60);
    await page.evaluate(() => scrollTo(0, 2_600));
    await page.reload();
    await visitor.isAwake();
    await isWhole(visitor, "Log");
    await windowIsAt(visitor, 2_600);
    expect(visitor.documentsLoaded).toBe(2);
  });

  test("is that of the whole page after a reload, and of the dialog when it is one again", async ({ arrive }) => {
    const visitor = await atDesk(arrive);
    const { page } = visitor;
    await visitor.enterLink("Log");
    await dialogShows(visitor, "Log");
    await expect
      .poll(async () => {
        await scrollDialog(visitor, 1e6);
        return await page.getByRole("article").count();
      })
      .toBe(60);
    await scrollDialog(visitor, 2_500);
    // A dialog that is opened again is where it was.
    await page.goBack();
    await dialogIsClosed(visitor);
    await deskIsAsItWas(visitor);
    await page.goForward();
    await expect.poll(() => dialogScroll(visitor)).toBe(2_500);
    await page.reload();
    await visitor.isAwake();
    await isWhole(visitor, "Log");
    await windowIsAt(visitor, 2_500);
    await page.evaluate(() => scrollTo(0, 2_600));
    await page.goBack();
    await visitor.sees("Desk");
    await windowIsAt(visitor, 1_000);
    await page.goForward();
    await dialogShows(visitor, "Log");
    await expect.poll(() => dialogScroll(visitor)).toBe(2_600);
    await windowIsAt(visitor, 1_000);
    expect(visitor.documentsLoaded).toBe(2);
  });
});

/** On the desk, by a click from Home, with state that a page shown anew would not have. */
async function atDesk(arrive: (path: string) => Promise<Visitor>): Promise<Visitor> {
  const visitor = await arrive("/");
  await visitor.isAwake();
  await visitor.page.evaluate(() => document.querySelector<HTMLElement>("a[href='/desk']")?.click());
  await visitor.sees("Desk");
  await visitor.pressButton("Pressed 0");
  await visitor.fillIn("Remark", "mine");
  await visitor.page.evaluate(() => scrollTo(0, 1_000));
  return visitor;
}

async function deskIsAsItWas({ page }: Visitor): Promise<void> {
  const now = () =>
    page.evaluate(() => [
      document.querySelector("main button")?.textContent,
      document.querySelector("input")?.value,
      scrollY,
    ]);
  await expect.poll(now).toEqual(["Pressed 1", "mine", 1_000]);
}

function dialogOf({ page }: Visitor) {
  return page.locator("dialog[data-page-dialog]");
}

async function dialogShows(visitor: Visitor, heading: string): Promise<void> {
  await dialogOf(visitor).getByRole("heading", { name: heading }).waitFor();
}

async function dialogIsClosed(visitor: Visitor): Promise<void> {
  await dialogOf(visitor).waitFor({ state: "detached" });
}

async function isWhole(visitor: Visitor, heading: string): Promise<void> {
  await visitor.sees(heading);
  expect(await visitor.page.locator("dialog").count()).toBe(0);
  await visitor.page.getByRole("navigation", { name: "Main" }).waitFor();
}

async function focusedText({ page }: Visitor): Promise<string | null | undefined> {
  return await page.evaluate(() => document.activeElement?.textContent);
}

/** Counts the steps in the history from now on. The page has handled those that it returns. */
async function countSteps({ page }: Visitor): Promise<() => Promise<number>> {
  const counter = await page.evaluateHandle(() => {
    const steps = { count: 0 };
    addEventListener("popstate", () => {
      steps.count += 1;
    });
    return steps;
  });
  return () => counter.evaluate(({ count }) => count);
}

function asksBeforeUnload({ page }: Visitor): Promise<boolean> {
  return page.evaluate(() => !dispatchEvent(new Event("beforeunload", { cancelable: true })));
}

function scrollDialog(visitor: Visitor, top: number): Promise<void> {
  return dialogOf(visitor).evaluate((dialog, to) => dialog.scrollTo(0, to), top);
}

function dialogScroll(visitor: Visitor): Promise<number> {
  return dialogOf(visitor).evaluate(({ scrollTop }) => scrollTop);
}

async function windowIsAt({ page }: Visitor, top: number): Promise<void> {
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(top);
}
