import { describe, expect } from "vitest";
import { keptDigests } from "../kit/index.ts";
import { walk as test } from "./walk.ts";

describe("a click", () => {
  test("finds a hydrated page, without a warning", async ({ arrive }) => {
    const visitor = await arrive("/");
    await visitor.pressButton("Alive 0");
    await visitor.page.getByRole("button", { name: "Alive 1" }).waitFor();
  });

  test("shows the page with one data request and no new document", async ({ arrive }) => {
    const visitor = await arrive("/");
    await visitor.clickLink("Order 7");
    await visitor.sees("Order 7");
    expect(visitor.address).toBe("/orders/7");
    expect(visitor.documentsLoaded).toBe(1);
    expect(visitor.requestsFor(/_data/).map(({ path }) => path)).toEqual(["/orders/7/_data"]);
    await expect.poll(() => visitor.page.title()).toBe("Order 7");
  });

  test("a click on a plain link is a click like any other", async ({ arrive }) => {
    const visitor = await arrive("/");
    await visitor.clickLink("Plain");
    await visitor.sees("Plain");
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("a click on a slow page stays in the browser while the server reports progress", async ({ arrive }) => {
    const visitor = await arrive("/");
    await visitor.clickLink("Slow");
    await visitor.page.locator("body[aria-busy=true]").waitFor();
    await visitor.page.locator("#holdfast-pending").waitFor();
    expect(visitor.address).toBe("/");
    await visitor.sees("Slow");
    expect(visitor.documentsLoaded).toBe(1);
    expect(await visitor.page.locator("#holdfast-pending, [aria-busy=true]").count()).toBe(0);
  });

  test("shows a page before its late parts, and those when they arrive", async ({ app, arrive }) => {
    const visitor = await arrive("/");
    const late = visitor.page.getByRole("link", { name: "Late", exact: true });
    await late.evaluate((link: HTMLAnchorElement) => link.setAttribute("href", "/late?held"));
    await late.click();
    await visitor.page.getByText("coming").waitFor();
    await fetch(`${app.url}/release`, { method: "POST" });
    await visitor.page.getByText("there").waitFor();
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("follows a redirect in the data", async ({ arrive }) => {
    const visitor = await arrive("/");
    await visitor.clickLink("Moved");
    await visitor.sees("Orders");
    expect(visitor.address).toBe("/orders");
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("a click that leads into a redirect loop ends on the error page in place", async ({ arrive }) => {
    const visitor = await arrive("/");
    await visitor.enterLink("Circle");
    await visitor.sees("Address leads in a circle");
    expect(await visitor.digestShown()).toBeDefined();
    expect(await visitor.page.getByText("exception").count()).toBe(0);
    expect(visitor.documentsLoaded).toBe(1);
    expect(visitor.requestsFor("/circle/_data")).toHaveLength(21);
  });

  test("a click on what does not exist shows the not-found page in place, in one request", async ({ arrive }) => {
    const visitor = (await arrive("/")).expecting(/404/);
    await visitor.clickLink("Gone");
    await visitor.sees("Page not found");
    expect(visitor.documentsLoaded).toBe(1);
    expect(visitor.requestsFor(/_data/)).toHaveLength(1);
    await visitor.clickLink("Home");
    await visitor.sees("Home");
  });

  test.for(["quick", "slow"])(
    "a click on a page whose load fails is one request, one event and its digest on the error page in place (%s button)",
    async (button, { arrive, app }) => {
      const visitor = (await arrive("/")).expecting(/500/);
      const before = keptDigests(app.dataFolder);
      const asked: string[] = [];
      visitor.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      // Without a pointer move, whose prefetch would be another request.
      const link = visitor.page.getByRole("link", { name: "Broken" });
      const press = (): Promise<void> => link.dispatchEvent("pointerdown", { button: 0 });
      const ahead = () => visitor.requestsFor("/broken/_data")[0];
      await press();
      // Pressed again while there is no request: on a busy machine, the prefetch code may not be loaded yet.
      const asksAhead = async (): Promise<string | undefined> =>
        ahead() ? ahead()?.end : press().then(() => undefined);
      if (button === "slow") await expect.poll(asksAhead).toBe("complete");
      await link.dispatchEvent("click");
      await visitor.sees("Application error");
      expect(await visitor.page.textContent("body")).toContain("server-side exception");
      expect(await visitor.page.textContent("body")).not.toContain("secret");
      expect(visitor.documentsLoaded).toBe(1);
      expect(asked.filter((path) => path.startsWith("/broken"))).toEqual(["/broken/_data"]);
      const events = keptDigests(app.dataFolder).filter((digest) => !before.includes(digest));
      expect([await visitor.digestShown()]).toEqual(events);
    },
  );

  test("a click on a page that fails, and its _error file too, shows the digest of the first failure", async ({
    arrive,
    app,
  }) => {
    const visitor = (await arrive("/")).expecting(/500/);
    const atFirst = keptDigests(app.dataFolder);
    await visitor.enterLink("Hopeless");
    await visitor.sees("Application error");
    expect(await visitor.page.textContent("body")).toContain("server-side exception");
    const [servers] = keptDigests(app.dataFolder).filter((digest) => !atFirst.includes(digest));
    expect(await visitor.digestShown()).toBe(servers);
    expect(visitor.documentsLoaded).toBe(1);
    // If the page itself throws in the browser, both errors are reported, and the first is shown.
    const before = keptDigests(app.dataFolder);
    await visitor.clickLink("Home");
    await visitor.clickLink("Hopeless here");
    await visitor.page.getByText("client-side exception").waitFor();
    await expect.poll(() => keptDigests(app.dataFolder).length).toBe(before.length + 2);
    const [first] = keptDigests(app.dataFolder).filter((digest) => !before.includes(digest));
    expect(await visitor.digestShown()).toBe(first);
  });

  test("a click with Ctrl, on a download or to a server-only path is left to the browser", async ({ arrive }) => {
    const visitor = await arrive("/");
    const opened = visitor.page.context().waitForEvent("page");
    await visitor.page.getByRole("link", { name: "Plain" }).click({ modifiers: ["ControlOrMeta"] });
    await (await opened).getByRole("heading", { name: "Plain" }).waitFor();
    const download = visitor.page.waitForEvent("download");
    await visitor.clickLink("Download");
    expect((await download).suggestedFilename()).toBe("export.csv");
    await visitor.clickLink("Nothing");
    await visitor.clickLink("Orders");
    await visitor.sees("Orders");
    expect(visitor.requestsFor(/(export|empty)\/_data/)).toEqual([]);
  });

  test("a click on a link that is marked for the browser is left to it", async ({ arrive }) => {
    const visitor = await arrive("/marked");
    for (const [index, name] of ["Hard", "External"].entries()) {
      await visitor.clickLink(name);
      await visitor.sees("Plain");
      expect(visitor.documentsLoaded).toBe(2 * index + 2);
      await visitor.goTo("/marked");
      await visitor.isAlive();
    }
    const opened = visitor.page.context().waitForEvent("page");
    await visitor.clickLink("Another window");
    await (await opened).getByRole("heading", { name: "Plain" }).waitFor();
    await visitor.sees("Marked");
    expect(visitor.requestsFor("/plain/_data")).toEqual([]);
  });

  test("is handled only if it is a plain one: not with a key held down, another button, or handled already", async ({
    arrive,
  }) => {
    const visitor = await arrive("/");
    const ours = await visitor.page.evaluate(() => {
      const link = document.querySelector<HTMLAnchorElement>("a[href='/plain']");
      const kinds: Record<string, MouseEventInit> = {
        ctrl: { ctrlKey: true },
        meta: { metaKey: true },
        shift: { shiftKey: true },
        alt: { altKey: true },
        middle: { button: 1 },
        plain: {},
      };
      const taken: string[] = [];
      for (const [kind, init] of Object.entries(kinds)) {
        // Runs last: other listeners have handled the click by then. Prevents the browser from following it.
        const hear = (event: Event): void => {
          if (event.defaultPrevented) taken.push(kind);
          event.preventDefault();
        };
        addEventListener("click", hear, { once: true });
        link?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ...init }));
      }
      return taken;
    });
    expect(ours).toEqual(["plain"]);
    await visitor.sees("Plain");
  });

  test("a click on the same link twice is one navigation, on another the last one wins", async ({ arrive, proxy }) => {
    const gate = proxy.when("/orders/_data").hold();
    const visitor = await arrive("/");
    await visitor.clickLink("Orders");
    await gate.taken();
    await visitor.clickLink("Orders");
    await visitor.clickLink("Tall");
    await visitor.sees("Tall");
    await expect.poll(() => visitor.requestsFor("/orders/_data").map(({ end }) => end)).toEqual(["gone"]);
    gate.release();
    await visitor.sees("Tall");
    expect(visitor.address).toBe("/tall");
  });
});

describe("Escape", () => {
  test("cancels a pending navigation and changes nothing", async ({ arrive, proxy }) => {
    const gate = proxy.when("/orders/_data").hold();
    const visitor = await arrive("/");
    await visitor.clickLink("Orders");
    await gate.taken();
    await visitor.page.keyboard.press("Escape");
    await expect.poll(() => visitor.requestsFor("/orders/_data").map(({ end }) => end)).toEqual(["gone"]);
    gate.release();
    await visitor.sees("Home");
    expect(visitor.address).toBe("/");
    await visitor.clickLink("Tall");
    await visitor.sees("Tall");
  });

  test("restores the address when a step back was pending", async ({ arrive, proxy }) => {
    const visitor = await arrive("/");
    await visitor.clickLink("Orders");
    await visitor.sees("Orders");
    await visitor.clickLink("Tall");
    await visitor.sees("Tall");
    // A new document has no stored pages: the one behind Back must be fetched. Before it is alive, a step back loads a
    // document.
    await visitor.page.reload();
    await visitor.isAlive();
    await visitor.page.mouse.move(5, 5);
    const gate = proxy.when("/orders/_data").hold();
    await visitor.page.evaluate(() => history.back());
    await gate.taken();
    await visitor.page.keyboard.press("Escape");
    await expect.poll(() => visitor.address).toBe("/tall");
    await visitor.sees("Tall");
    gate.release();
  });
});

describe("back and forward", () => {
  test("pending back and forward yield to a click, which follows the visible page: no history entry is lost", async ({
    arrive,
    proxy,
  }) => {
    const visitor = await arrive("/");
    for (const name of ["Orders", "Tall"]) {
      await visitor.clickLink(name);
      await visitor.sees(name);
    }
    await visitor.page.reload();
    // Before that, a step back loads a document.
    await visitor.isAlive();
    await visitor.page.mouse.move(5, 5);
    const gate = proxy.when("/orders/_data").hold();
    await visitor.page.evaluate(() => history.back());
    await gate.taken();
    await visitor.clickLink("Plain");
    await visitor.sees("Plain");
    expect(visitor.address).toBe("/plain");
    gate.release();
    for (const [path, heading] of [
      ["/tall", "Tall"],
      ["/orders", "Orders"],
    ] as const) {
      await visitor.page.evaluate(() => history.back());
      await visitor.sees(heading);
      expect(visitor.address).toBe(path);
    }
    await visitor.page.evaluate(() => history.go(2));
    await visitor.sees("Plain");
  });

  test("show the stored page at once, without a request, at its scroll position", async ({ arrive }) => {
    const visitor = await arrive("/");
    await visitor.clickLink("Tall");
    await visitor.sees("Tall");
    await visitor.page.evaluate(() => {
      scrollTo(0, 2500);
      document.querySelector("[data-scroll-key=box]")?.scrollTo(0, 300);
    });
    // By script, so that the pointer does not scroll to the link first.
    await visitor.page.evaluate(() => document.querySelector<HTMLElement>("a[href='/orders']")?.click());
    await visitor.sees("Orders");
    expect(await visitor.page.evaluate(() => scrollY)).toBe(0);
    // The pointer may come to rest on a link. Such a prefetch does not count.
    const asked = () => visitor.requestsFor(/(tall|orders)\/_data/).filter(({ headers }) => !headers.purpose).length;
    const before = asked();
    await visitor.page.goBack();
    await visitor.sees("Tall");
    await expect.poll(() => visitor.page.evaluate(() => scrollY)).toBe(2500);
    expect(await visitor.page.evaluate(() => document.querySelector("[data-scroll-key=box]")?.scrollTop)).toBe(300);
    await visitor.page.goForward();
    await visitor.sees("Orders");
    expect(asked()).toBe(before);
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("give a page that had failed another chance", async ({ app, arrive, proxy }) => {
    const visitor = await arrive("/");
    const [preamble] = (await (await fetch(`${app.url}/orders/7/_data`)).text()).split("\n");
    const circle = `${preamble}\n{"kind":"redirect","status":303,"to":"/orders/7"}\n{"kind":"end"}\n`;
    proxy.when("/orders/7/_data").answer(200, circle, { "content-type": "application/vnd.holdfast.page-data" });
    await visitor.clickLink("Order 7");
    await visitor.sees("Address leads in a circle");
    proxy.forgetRequests();
    await visitor.page.goBack();
    await visitor.sees("Home");
    // The pointer is over the link there, which is prefetched while the circle still is one.
    await expect.poll(() => proxy.requestsFor("/orders/7/_data")[0]?.end).toBe("complete");
    await visitor.page.evaluate(() => fetch("/healthz"));
    proxy.healed();
    await visitor.page.goForward();
    await visitor.sees("Order 7");
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("back and forward and a reload restore the scroll position also on a page that grows after hydration", async ({
    arrive,
  }) => {
    const visitor = await arrive("/growing");
    const { page } = visitor;
    await page.getByText("grown").waitFor();
    await page.mouse.move(300, 300);
    await page.locator("#holdfast-announcer").waitFor({ state: "attached" });
    await page.evaluate(() => scrollTo(0, 2_000));
    await page.reload();
    await visitor.isAlive();
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(2_000);
  });

  test("show the right page also after a reload, before anything else has been touched", async ({ arrive }) => {
    const visitor = await arrive("/");
    await visitor.clickLink("Orders");
    await visitor.sees("Orders");
    await visitor.page.reload();
    await visitor.isAlive();
    await visitor.page.goBack();
    await visitor.sees("Home");
    expect(visitor.address).toBe("/");
    await visitor.page.goForward();
    await visitor.sees("Orders");
  });

  test("back and forward in the moment in which a reload begins show the page of the address", async ({
    arrive,
    proxy,
  }) => {
    const visitor = await arrive("/");
    const { page } = visitor;
    await visitor.clickLink("Orders");
    await visitor.sees("Orders");
    await page.goBack();
    await visitor.sees("Home");
    // The new document exists, and nothing of its content has arrived, its script included.
    proxy.when("/").times(1).drip(1_000_000, 1_000);
    await page.reload({ waitUntil: "commit" });
    await page.evaluate(() => history.forward());
    await visitor.sees("Orders");
    expect(visitor.address).toBe("/orders");
  });

  test("back and forward from a page that is not hydrated yet hydrate it first, and discard nothing of it", async ({
    arrive,
  }) => {
    const visitor = await arrive("/");
    await visitor.clickLink("Orders");
    await visitor.sees("Orders");
    // Prevents React's scheduled work, as on a busy machine.
    await visitor.page.addInitScript(() => {
      MessagePort.prototype.postMessage = () => undefined;
    });
    await visitor.page.reload({ waitUntil: "networkidle" });
    expect(await visitor.page.locator("html[data-holdfast=alive]").count()).toBe(0);
    const layout = await visitor.page.getByRole("navigation").first().elementHandle();
    await visitor.page.goBack();
    await visitor.sees("Home");
    expect(await layout?.evaluate((element) => element.isConnected)).toBe(true);
    await visitor.isAlive();
  });

  test("back and forward inside one page are left to the browser: hash, scroll, no request", async ({ arrive }) => {
    const visitor = await arrive("/tall");
    await visitor.page.getByRole("link", { name: "To the middle" }).scrollIntoViewIfNeeded();
    const before = await visitor.page.evaluate(() => scrollY);
    await visitor.clickLink("To the middle");
    expect(visitor.address).toBe("/tall#middle");
    await expect.poll(() => visitor.page.evaluate(() => scrollY)).toBeGreaterThan(1000);
    await visitor.page.goBack();
    await expect.poll(() => visitor.address).toBe("/tall");
    await expect.poll(() => visitor.page.evaluate(() => scrollY)).toBe(before);
    await visitor.sees("Tall");
    await visitor.clickLink("Orders");
    await visitor.sees("Orders");
    expect(visitor.requestsFor(/tall\/_data/)).toEqual([]);
  });

  test("a second click on the same hash scrolls there again, in the same entry", async ({ arrive }) => {
    const visitor = await arrive("/tall");
    const scroll = () => visitor.page.evaluate(() => scrollY);
    await visitor.clickLink("To the middle");
    await expect.poll(scroll).toBeGreaterThan(1000);
    const entries = await visitor.page.evaluate(() => history.length);
    await visitor.page.evaluate(() => scrollTo(0, 0));
    await visitor.clickLink("To the middle");
    await expect.poll(scroll).toBeGreaterThan(1000);
    expect(await visitor.page.evaluate(() => history.length)).toBe(entries);
    await visitor.page.goBack();
    await expect.poll(() => visitor.address).toBe("/tall");
  });

  test("back and forward from elsewhere lead to a page that is usable at once", async ({ arrive }) => {
    const visitor = await arrive("/");
    await visitor.clickLink("Orders");
    await visitor.sees("Orders");
    await visitor.page.goto("about:blank");
    await visitor.page.goBack();
    await visitor.sees("Orders");
    await visitor.clickLink("Tall");
    await visitor.sees("Tall");
  });
});

describe("for the visitor", () => {
  test("the title is announced and the heading has the focus, each time", async ({ arrive }) => {
    const visitor = await arrive("/");
    const said = () => visitor.page.locator("#holdfast-announcer").textContent();
    const focused = () => visitor.page.evaluate(() => document.activeElement?.tagName);
    for (const [link, heading] of [
      ["Orders", "Orders"],
      ["Tall", "Tall"],
      ["Orders", "Orders"],
    ] as const) {
      await visitor.clickLink(link);
      await visitor.sees(heading);
      await expect.poll(said).toBe(heading);
      await expect.poll(focused).toBe("H1");
    }
  });

  test("a page is painted before its heading gets the focus; what the visitor focuses first keeps it", async ({
    arrive,
  }) => {
    const visitor = await arrive("/");
    const focusesOf = (link: string, early?: string) =>
      visitor.page.evaluate(
        async ([name, other]) => {
          const heading = document.querySelector("h1")?.textContent;
          const atCommit = new Promise<Element | null>((resolve) => {
            new MutationObserver((_, observer) => {
              if (document.querySelector("h1")?.textContent === heading) return;
              observer.disconnect();
              resolve(document.activeElement);
              if (other) document.querySelector<HTMLElement>(other)?.focus();
            }).observe(document, { childList: true, subtree: true, characterData: true });
          });
          [...document.links].find(({ textContent }) => textContent === name)?.click();
          const first = (await atCommit)?.tagName;
          // Longer than a page waits for a frame.
          await new Promise((resolve) => setTimeout(resolve, 300));
          return [first, document.activeElement?.tagName];
        },
        [link, early] as const,
      );
    expect(await focusesOf("Orders")).toEqual(["BODY", "H1"]);
    expect((await focusesOf("Tall", "a[href='/']"))[1]).toBe("A");
  });

  test("a window without frames, as one that is minimized, moves the focus too", async ({ arrive }) => {
    const visitor = await arrive("/");
    await visitor.page.evaluate(() => {
      globalThis.requestAnimationFrame = () => 0;
    });
    await visitor.clickLink("Orders");
    await expect.poll(() => visitor.page.evaluate(() => document.activeElement?.textContent)).toBe("Orders");
  });

  test("the focus goes to the element that the page names, and to its main part without a heading", async ({
    arrive,
  }) => {
    const visitor = await arrive("/marked");
    const focused = () => visitor.page.evaluate(() => document.activeElement?.tagName);
    await visitor.clickLink("Aimed");
    await visitor.sees("Aimed");
    await expect.poll(focused).toBe("P");
    await visitor.page.goBack();
    await visitor.sees("Marked");
    await visitor.clickLink("Headless");
    await visitor.page.getByText("A page without a heading.").waitFor();
    await expect.poll(focused).toBe("MAIN");
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("back restores the focus, or moves it to the heading if the element is missing", async ({ arrive }) => {
    const visitor = await arrive("/");
    const focused = () => visitor.page.evaluate(() => document.activeElement?.textContent);
    await visitor.clickLink("Order 7");
    await visitor.sees("Order 7");
    await visitor.page.goBack();
    await visitor.sees("Home");
    await expect.poll(focused).toBe("Order 7");
    expect(await visitor.page.locator("#holdfast-announcer").textContent()).toBe("Home");
    await visitor.page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await visitor.page.evaluate(() => document.querySelector<HTMLElement>("a[href='/orders']")?.click());
    await visitor.sees("Orders");
    await visitor.page.goBack();
    await expect.poll(focused).toBe("Home");
  });

  test("a link with a hash leads to that part of the page", async ({ arrive }) => {
    const visitor = await arrive("/");
    await visitor.clickLink("Middle");
    await visitor.sees("Tall");
    expect(visitor.address).toBe("/tall#middle");
    await expect.poll(() => visitor.page.evaluate(() => scrollY)).toBeGreaterThan(1000);
  });

  test("a view transition never blocks, and Back and Forward of its step are transitions too", async ({ arrive }) => {
    const visitor = await arrive("/", { reducedMotion: "no-preference" });
    const { page } = visitor;
    await visitor.isAwake();
    await page.evaluate(() => {
      const begin = document.startViewTransition.bind(document);
      document.startViewTransition = (change) => {
        document.documentElement.dataset.moved = `${Number(document.documentElement.dataset.moved ?? 0) + 1}`;
        return begin(change);
      };
    });
    const moved = () => page.evaluate(() => Number(document.documentElement.dataset.moved ?? 0));
    await visitor.clickLink("Smooth");
    await visitor.sees("Tall");
    expect(await moved()).toBe(1);
    // During the animation.
    await visitor.enterLink("Orders");
    await visitor.sees("Orders");
    expect(await moved()).toBe(1);
    await page.goBack();
    await visitor.sees("Tall");
    expect(await moved()).toBe(1);
    await page.goBack();
    await visitor.sees("Home");
    expect(await moved()).toBe(2);
    await page.goForward();
    await visitor.sees("Tall");
    expect(await moved()).toBe(3);
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.goBack();
    await visitor.sees("Home");
    expect(await moved()).toBe(3);
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("there are no accessibility problems, before and after", async ({ arrive }) => {
    const visitor = await arrive("/");
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await visitor.clickLink("Orders");
    await visitor.sees("Orders");
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });
});

describe("a region", () => {
  test("changes alone: what is around it keeps its state and scroll positions, and Back restores the region's own", async ({
    arrive,
    proxy,
  }) => {
    const visitor = await arrive("/shelf");
    const { page } = visitor;
    await visitor.isAwake();
    await visitor.pressButton("Counted 0");
    await page.evaluate(() => {
      document.querySelector("[data-list]")?.scrollTo(0, 150);
      scrollTo(0, 60);
    });
    const around = () =>
      page.evaluate(() => [
        document.querySelector("main > button")?.textContent,
        document.querySelector("[data-list]")?.scrollTop,
        scrollY,
      ]);
    const inRegion = () => page.evaluate(() => document.querySelector("[data-region]")?.scrollTop);
    // Without a pointer: before a click Playwright scrolls by itself.
    const open = (id: number) =>
      page.evaluate((book) => document.querySelector<HTMLElement>(`a[href='/shelf/${book}']`)?.click(), id);
    await open(12);
    await visitor.sees("Book 12");
    expect(await around()).toEqual(["Counted 1", 150, 60]);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Book 12");
    await expect.poll(() => page.locator("#holdfast-announcer").textContent()).toBe("Book 12");
    await page.evaluate(() => document.querySelector("[data-region]")?.scrollTo(0, 300));
    await open(11);
    await visitor.sees("Book 11");
    expect(await inRegion()).toBe(0);
    await page.goBack();
    await visitor.sees("Book 12");
    await expect.poll(inRegion).toBe(300);
    expect(await around()).toEqual(["Counted 1", 150, 60]);
    // A page that does not exist is shown in the region too, and from there every link leads on.
    visitor.expecting(/404/);
    await open(13);
    await visitor.sees("Page not found");
    expect(await around()).toEqual(["Counted 1", 150, 60]);
    expect(visitor.documentsLoaded).toBe(1);
    // Data that is cut makes it a full load, and Back and Forward work as before.
    visitor.expecting(/ERR_|Failed to load/);
    proxy.when("/shelf/10/_data").times(1).cutAfter(40);
    await open(10);
    await visitor.sees("Book 10");
    expect(visitor.documentsLoaded).toBe(2);
    await page.goBack();
    await visitor.sees("Page not found");
  });

  test("a region has its own scroll position after Back in a new document too", async ({ arrive }) => {
    const visitor = await arrive("/shelf/12");
    const { page } = visitor;
    await visitor.isAwake();
    await page.evaluate(() => {
      document.querySelector("[data-region]")?.scrollTo(0, 400);
      document.querySelector<HTMLElement>("a[href='/shelf/11']")?.click();
    });
    await visitor.sees("Book 11");
    await page.reload();
    await visitor.isAwake();
    await page.goBack();
    await visitor.sees("Book 12");
    await expect.poll(() => page.evaluate(() => document.querySelector("[data-region]")?.scrollTop)).toBe(400);
  });

  test("a region that is out of sight is scrolled into view, and Back shows the link again", async ({ arrive }) => {
    const visitor = await arrive("/shelf", { viewport: { width: 390, height: 300 } });
    const { page } = visitor;
    await visitor.isAwake();
    await page.evaluate(() => document.querySelector("section")?.style.setProperty("margin-top", "600px"));
    await visitor.clickLink("Book 1");
    await visitor.sees("Book 1");
    const isInView = (selector: string) =>
      page.evaluate((one) => {
        const { top, bottom } = document.querySelector(one)?.getBoundingClientRect() ?? { top: -1, bottom: -1 };
        return top >= 0 && bottom <= innerHeight;
      }, selector);
    await expect.poll(() => isInView("h1")).toBe(true);
    await page.goBack();
    await visitor.sees("Shelf");
    await expect.poll(() => isInView("a[href='/shelf/1']")).toBe(true);
  });
});

describe("a value of the history entry", () => {
  test("survives Back, Forward, a hash, a dialog, another page and a reload, without a request", async ({ arrive }) => {
    const visitor = await arrive("/desk");
    const { page } = visitor;
    await visitor.isAwake();
    const shows = async (...names: string[]): Promise<void> => {
      for (const name of names) await page.getByRole("button", { name, exact: true }).waitFor();
    };
    await visitor.pressButton("Drawer 1");
    await visitor.pressButton("Is shut");
    await shows("Drawer 2", "Is open");
    await page.goBack();
    await shows("Drawer 1", "Is shut");
    await page.goForward();
    await shows("Drawer 2", "Is open");
    await page.evaluate(() => {
      location.hash = "notes";
    });
    await expect.poll(() => visitor.address).toBe("/desk#notes");
    await shows("Drawer 2", "Is open");
    expect(visitor.requestsFor(/_data/)).toEqual([]);
    await visitor.clickLink("Note 1");
    await page.locator("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await shows("Drawer 2", "Is open");
    await visitor.clickLink("Orders");
    await visitor.sees("Orders");
    await page.goBack();
    await shows("Drawer 2", "Is open");
    await page.reload();
    await visitor.isAwake();
    await shows("Drawer 2", "Is open");
    await page.evaluate(() => history.go(-2));
    await shows("Drawer 1", "Is shut");
    expect(visitor.address).toBe("/desk");
  });
});

describe("a form", () => {
  test("keeps the page and its input when the server refuses it, and explains why", async ({ arrive }) => {
    const visitor = (await arrive("/orders/21")).expecting(/422/);
    await visitor.pressButton("Rename");
    await visitor.page.getByText("A name is needed.").waitFor();
    expect(await visitor.page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("name");
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("shows the updated page afterwards, and sends once however often it is pressed", async ({ arrive, proxy }) => {
    const gate = proxy.when(/_action/).hold();
    const visitor = await arrive("/orders/22");
    await visitor.fillIn("Name", "Renamed");
    await visitor.page.getByRole("button", { name: "Rename", exact: true }).dblclick();
    await gate.taken();
    await visitor.page.getByRole("button", { name: "Saving Renamed" }).waitFor();
    gate.release();
    await visitor.sees("Renamed");
    await visitor.page.getByText("Saved").waitFor();
    expect(visitor.requestsFor(/_action/)).toHaveLength(1);
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("follows the redirect of its action", async ({ arrive }) => {
    const visitor = await arrive("/orders/23");
    await visitor.fillIn("Name", "leave");
    await visitor.pressButton("Rename");
    await visitor.sees("Orders");
    expect(visitor.address).toBe("/orders");
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("a form that the browser itself has posted is followed by navigations as usual", async ({ arrive }) => {
    const visitor = (await arrive("/orders/26")).expecting(/422/);
    // As when the button is pressed before hydration.
    await visitor.page.evaluate(() => document.querySelector("form")?.submit());
    await visitor.page.getByText("A name is needed.").waitFor();
    await visitor.isAlive();
    expect(visitor.documentsLoaded).toBe(2);
    expect(visitor.address).toBe("/orders/26");
    await visitor.fillIn("Name", "Alive");
    await visitor.pressButton("Rename");
    await visitor.sees("Alive");
    expect(visitor.documentsLoaded).toBe(2);
  });

  test("a search form is a navigation", async ({ arrive }) => {
    const visitor = await arrive("/search");
    await visitor.fillIn("Words", "two words");
    await visitor.pressButton("Find");
    await visitor.sees("Search two words");
    expect(visitor.address).toBe("/search?q=two+words");
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("can be sent without navigating", async ({ arrive }) => {
    const visitor = await arrive("/orders/24");
    await visitor.pressButton("Rename quickly");
    await visitor.sees("Quick");
    await visitor.page.getByText("done").waitFor();
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("a form whose response is lost is kept, and sent again only if the visitor agrees", async ({
    arrive,
    proxy,
  }) => {
    const visitor = (await arrive("/orders/25")).expecting(/Failed to load resource|ERR_/);
    await visitor.fillIn("Name", "Kept");
    proxy.when(/_action/).drop();
    await visitor.pressButton("Rename");
    await visitor.page.getByText("What you typed is kept").waitFor();
    expect(await visitor.page.getByLabel("Name").inputValue()).toBe("Kept");
    proxy.healed();
    await visitor.page.getByRole("button", { name: "Send again" }).click();
    await visitor.sees("Kept");
    // A browser may repeat a request whose connection broke before any response. It is the same attempt.
    const attempts = visitor
      .requestsFor(/_action\/rename\/_data/)
      .map(({ body }) => /name="_attempt"\s+(\d+)/.exec(body.toString())?.[1]);
    expect([...new Set(attempts)]).toEqual(["1", "2"]);
  });
});

describe("unsaved input", () => {
  test("is not lost by a click or a step back unless the visitor agrees", async ({ arrive }) => {
    const visitor = await arrive("/");
    await visitor.clickLink("Edit");
    await visitor.fillIn("Text", "unsaved");
    await visitor.clickLink("Orders");
    await visitor.pressButton("Stay");
    expect(visitor.address).toBe("/edit");
    await visitor.page.evaluate(() => history.back());
    await visitor.page.getByRole("button", { name: "Leave anyway" }).waitFor();
    await expect.poll(() => visitor.address).toBe("/edit");
    expect(await visitor.page.getByLabel("Text").inputValue()).toBe("unsaved");
    await visitor.pressButton("Leave anyway");
    await visitor.sees("Home");
    expect(visitor.address).toBe("/");
  });

  test("is where it was when a step back was refused, not where the page was left before", async ({ arrive }) => {
    const visitor = await arrive("/");
    const { page } = visitor;
    await visitor.clickLink("Edit");
    await visitor.sees("Edit");
    await page.evaluate(() => {
      document.body.style.paddingBottom = "3000px";
      scrollTo(0, 600);
      document.querySelector<HTMLElement>("a[href='/orders']")?.click();
    });
    await visitor.sees("Orders");
    await page.goBack();
    await visitor.sees("Edit");
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(600);
    await visitor.fillIn("Text", "unsaved");
    await page.evaluate(async () => {
      scrollTo(0, 900);
      const stepped = () => new Promise((resolve) => addEventListener("popstate", resolve, { once: true }));
      history.back();
      // There, and back again.
      await stepped();
      await stepped();
    });
    expect(visitor.address).toBe("/edit");
    expect(await page.evaluate(() => scrollY)).toBe(900);
  });
});
