import { describe, expect } from "vitest";
import type { RecordedRequest } from "../kit/index.ts";
import { walk as test } from "./walk.ts";

/** Largest number of requests open at the same time. */
function mostAtOnce(requests: readonly RecordedRequest[]): number {
  const moments = requests.flatMap(({ atMs, endedAtMs }) => [
    { at: atMs, change: 1 },
    { at: endedAtMs ?? Number.POSITIVE_INFINITY, change: -1 },
  ]);
  let open = 0;
  let most = 0;
  for (const { change } of moments.sort((a, b) => a.at - b.at || a.change - b.change)) {
    open += change;
    most = Math.max(most, open);
  }
  return most;
}

describe("a prefetch", () => {
  test("begins when the pointer rests on a link, is marked as one, and the click needs no further request", async ({
    arrive,
  }) => {
    const visitor = await arrive("/");
    await visitor.page.getByRole("link", { name: "Order 7" }).hover();
    await expect.poll(() => visitor.requestsFor("/orders/7/_data")[0]?.end).toBe("complete");
    const [request] = visitor.requestsFor("/orders/7/_data");
    // Browsers do not let a script set `Sec-Purpose`; `Purpose` is what arrives.
    expect(request?.headers.purpose).toBe("prefetch");
    expect(request?.headers["sec-purpose"]).toBeUndefined();
    await visitor.clickLink("Order 7");
    await visitor.sees("Order 7");
    expect(visitor.requestsFor("/orders/7/_data")).toHaveLength(1);
  });

  test("a prefetch that began as a press is the click itself: not marked, and aborted when another click replaces it", async ({
    arrive,
    proxy,
  }) => {
    const visitor = await arrive("/");
    await visitor.page.mouse.move(1, 1);
    const gate = proxy.when("/slow/_data").hold();
    const aborted = new Promise<string>((resolve) => {
      visitor.page.on("requestfailed", (request) => resolve(`${request.url()} ${request.failure()?.errorText}`));
    });
    // At once, so that the pointer has not rested on the link before.
    const { x, y, width, height } = (await visitor.page
      .getByRole("link", { name: "Slow", exact: true })
      .boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await visitor.page.mouse.click(x + width / 2, y + height / 2);
    await gate.taken();
    expect(visitor.requestsFor("/slow/_data")[0]?.headers.purpose).toBeUndefined();
    await visitor.enterLink("Tall");
    await visitor.sees("Tall");
    expect(await aborted).toMatch(/\/slow\/_data net::ERR_ABORTED/);
    gate.release();
  });

  test("is not made by a crawler's browser", async ({ arrive }) => {
    const visitor = await arrive("/", {
      userAgent: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/140",
    });
    await visitor.page.getByRole("link", { name: "Order 7" }).hover();
    await visitor.enterLink("Many");
    await visitor.sees("Many");
    await visitor.enterLink("Tall");
    await visitor.sees("Tall");
    expect(visitor.requestsFor(/_data/).map(({ path }) => path)).toEqual(["/many/_data", "/tall/_data"]);
  });

  test("a prefetch that a proxy redirects is not followed, and the click gets its page", async ({ arrive, proxy }) => {
    const visitor = await arrive("/");
    proxy.when("/orders/7/_data").answer(302, "", { location: "/orders/7/_data" });
    await visitor.page.getByRole("link", { name: "Order 7" }).hover();
    await expect.poll(() => visitor.requestsFor("/orders/7/_data").length).toBe(1);
    await visitor.clickLink("Order 7");
    await visitor.sees("Order 7");
    // One for the prefetch, one for the click, which then loaded the page in full.
    expect(visitor.requestsFor("/orders/7/_data").length).toBeLessThanOrEqual(2);
    expect(visitor.documentsLoaded).toBe(2);
  });

  test("a prefetch of the old build is not used once the tab has met the new one", async ({ arrive, proxy }) => {
    const visitor = await arrive("/");
    await visitor.page.getByRole("link", { name: "Order 7" }).hover();
    await expect.poll(() => visitor.requestsFor("/orders/7/_data")[0]?.end).toBe("complete");
    const other = '{"build":"other","route":"/","fresh":0,"expires":0,"tag":""}\n';
    proxy.when("/tall/_data").answer(200, other, { "content-type": "application/vnd.holdfast.page-data" });
    await visitor.page.getByRole("link", { name: "Tall", exact: true }).hover();
    await expect.poll(() => visitor.requestsFor("/tall/_data")[0]?.end).toBe("complete");
    await visitor.clickLink("Order 7");
    await visitor.sees("Order 7");
    expect(visitor.requestsFor("/orders/7/_data")).toHaveLength(2);
  });

  test("begins when a link has the focus for a while", async ({ arrive }) => {
    const visitor = await arrive("/");
    await visitor.page.keyboard.press("Tab");
    await visitor.page.getByRole("link", { name: "Tall", exact: true }).focus();
    await expect.poll(() => visitor.requestsFor("/tall/_data").length).toBe(1);
  });

  test("a prefetch that runs is joined by the click: one request in total", async ({ arrive, proxy }) => {
    const gate = proxy.when("/orders/7/_data").hold();
    const visitor = await arrive("/");
    await visitor.page.getByRole("link", { name: "Order 7" }).hover();
    await gate.taken();
    await visitor.clickLink("Order 7");
    await visitor.page.locator("body[aria-busy=true]").waitFor();
    gate.release();
    await visitor.sees("Order 7");
    expect(visitor.requestsFor("/orders/7/_data")).toHaveLength(1);
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("a prefetch that fails is not reused: the click requests again, and succeeds", async ({ arrive, proxy }) => {
    const visitor = (await arrive("/")).expecting(/503/);
    const gate = proxy.when("/orders/7/_data").times(1).answer(503, "busy", { "content-type": "text/plain" }).hold();
    // Counted in the browser, which repeats a request whose connection closes.
    const asked: string[] = [];
    visitor.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await visitor.page.getByRole("link", { name: "Order 7" }).hover();
    await gate.taken();
    await visitor.clickLink("Order 7");
    gate.release();
    await visitor.sees("Order 7");
    expect(asked.filter((path) => path === "/orders/7/_data")).toHaveLength(2);
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("a prefetch that found the server busy stops prefetching for a while, but never a click", async ({
    arrive,
    proxy,
  }) => {
    const visitor = (await arrive("/")).expecting(/429/);
    proxy.when("/orders/7/_data").times(1).answer(429, "", { "retry-after": "60" });
    await visitor.page.getByRole("link", { name: "Order 7" }).hover();
    await expect.poll(() => visitor.requestsFor(/_data/).length).toBe(1);
    await visitor.page.clock.install();
    await visitor.page.getByRole("link", { name: "Tall", exact: true }).hover();
    await visitor.letTimePass(400);
    expect(visitor.requestsFor("/tall/_data")).toHaveLength(0);
    await visitor.clickLink("Order 7");
    await visitor.sees("Order 7");
  });

  test("finds a redirect and stores it, without following it", async ({ arrive }) => {
    const visitor = await arrive("/");
    await visitor.page.getByRole("link", { name: "Moved" }).hover();
    await expect.poll(() => visitor.requestsFor("/moved/_data")[0]?.end).toBe("complete");
    await visitor.clickLink("Moved");
    await visitor.sees("Orders");
    expect(visitor.requestsFor("/moved/_data")).toHaveLength(1);
    expect(visitor.requestsFor("/orders/_data").map(({ headers }) => headers.purpose)).toEqual([undefined]);
  });

  test("is not made of a target that is no page, nor of a link that opts out", async ({ arrive }) => {
    const visitor = await arrive("/");
    await visitor.isAwake();
    await visitor.page.clock.install();
    for (const name of ["Download", "Nothing", "Order 8", "Home"]) {
      await visitor.page.getByRole("link", { name }).hover();
      await visitor.letTimePass(200);
    }
    expect(visitor.requestsFor(/_data/)).toEqual([]);
  });

  test("waits for the pressed button when the visitor saves data", async ({ arrive }) => {
    const visitor = await arrive("/");
    await visitor.page.addInitScript(() =>
      Object.defineProperty(navigator, "connection", { value: { saveData: true } }),
    );
    await visitor.page.reload();
    await visitor.isAlive();
    await visitor.page.clock.install();
    await visitor.page.getByRole("link", { name: "Order 7" }).hover();
    await visitor.isAwake();
    await visitor.letTimePass(400);
    expect(visitor.requestsFor(/_data/)).toEqual([]);
    await visitor.page.mouse.down();
    await expect.poll(() => visitor.requestsFor("/orders/7/_data").length).toBe(1);
  });
});

test("the code for navigation loads although an animation leaves the browser no idle moment", async ({ arrive }) => {
  const visitor = await arrive("/");
  await visitor.page.addInitScript(() => {
    const frameMs = 20;
    const animate = (): void => {
      const start = performance.now();
      document.documentElement.style.opacity = String(0.9 + 0.1 * Math.random());
      while (performance.now() - start < frameMs);
      requestAnimationFrame(animate);
    };
    requestAnimationFrame(animate);
  });
  await visitor.page.reload();
  await visitor.isAwake();
});

describe("two hundred links in view", () => {
  test("never have more than five prefetches at once, nor more than the burst, and a click takes precedence", async ({
    arrive,
    proxy,
  }) => {
    proxy.when(/orders\/\d+\/_data/).delay(150);
    const visitor = await arrive("/many", { viewport: { width: 1600, height: 1200 } });
    await expect.poll(() => visitor.requestsFor(/_data/).length, { timeout: 5_000 }).toBeGreaterThan(10);
    await visitor.clickLink("Tall");
    await visitor.sees("Tall");
    const prefetches = () =>
      visitor.requestsFor(({ path, headers }) => /_data/.test(path) && headers.purpose === "prefetch");
    await expect.poll(() => prefetches().filter(({ end }) => end === "open")).toEqual([]);
    expect(mostAtOnce(prefetches())).toBeLessThanOrEqual(5);
    expect(mostAtOnce(prefetches())).toBeGreaterThan(2);
    expect(prefetches().length).toBeLessThanOrEqual(22);
  });

  test("two hundred links in view that leave the view before their turn are not fetched; those that enter it are", async ({
    arrive,
    proxy,
  }) => {
    const gate = proxy
      .when(/orders\/\d+\/_data/)
      .times(5)
      .hold();
    const visitor = await arrive("/many", { viewport: { width: 320, height: 320 } });
    await visitor.page.mouse.move(160, 300);
    const fetched = () => visitor.requestsFor(/orders\/\d+\/_data/).map(({ path }) => Number(/\d+/.exec(path)?.[0]));
    await expect.poll(() => fetched().length).toBe(5);
    await visitor.page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: "instant" }));
    // The observer reports both in the frame after the paint.
    await visitor.page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    gate.release();
    await expect.poll(() => fetched().length, { timeout: 5_000 }).toBeGreaterThan(10);
    expect(
      fetched()
        .slice(5)
        .filter((id) => id < 200),
    ).toEqual([]);
  });
});

describe("age", () => {
  test("a prefetched page of less than 30 seconds is shown without a request; an older one is shown at once and revalidated", async ({
    arrive,
    proxy,
  }) => {
    const visitor = await arrive("/");
    await visitor.page.clock.install();
    await visitor.goTo("/");
    await visitor.isAwake();
    const link = visitor.page.getByRole("link", { name: "Order 7" });
    const prefetched = async () => {
      await link.hover();
      await visitor.page.clock.runFor(100);
      await expect.poll(() => visitor.requestsFor("/orders/7/_data").at(-1)?.end).toBe("complete");
      await visitor.page.mouse.move(600, 600);
    };
    await prefetched();
    // The page's clock also runs by itself: five seconds are left for a busy machine.
    await visitor.page.clock.runFor(25_000);
    await visitor.clickLink("Order 7");
    await visitor.sees("Order 7");
    expect(visitor.requestsFor("/orders/7/_data")).toHaveLength(1);
    const [answer] = await visitor.page.getByText(/^Answer \d+$/).allInnerTexts();

    await visitor.clickLink("Home");
    await visitor.sees("Home");
    await visitor.page.clock.runFor(10_000);
    const gate = proxy.when("/orders/7/_data").hold();
    await visitor.clickLink("Order 7");
    await visitor.page.getByText(answer ?? "no answer", { exact: true }).waitFor();
    await gate.taken();
    gate.release();
    await expect.poll(() => visitor.page.getByText(/^Answer \d+$/).allInnerTexts()).not.toEqual([answer]);
    expect(visitor.requestsFor("/orders/7/_data")).toHaveLength(2);
  });
});

describe("something changed by the visitor", () => {
  test("empties the prefetched pages, in every tab", async ({ arrive }) => {
    const visitor = await arrive("/orders/31");
    await visitor.page.getByRole("link", { name: "Orders" }).hover();
    await expect.poll(() => visitor.requestsFor("/orders/_data")[0]?.end).toBe("complete");
    const other = await visitor.page.context().newPage();
    await other.goto(`${visitor.proxy.url}/orders/32`);
    await other.getByRole("button", { name: "Rename quickly" }).click();
    await other.getByRole("heading", { name: "Quick" }).waitFor();
    await visitor.page.mouse.move(500, 500);
    await visitor.clickLink("Orders");
    await visitor.sees("Orders");
    expect(visitor.requestsFor("/orders/_data")).toHaveLength(2);
  });
});
