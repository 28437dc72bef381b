import { describe, expect } from "vitest";
import { lastFullLoad, walk as test } from "./walk.ts";

const html = { "content-type": "text/html" };
const pageData = { "content-type": "application/vnd.holdfast.page-data" };

describe("the visitor gets the page that was clicked, by a full load, when its data", () => {
  test("never arrives", async ({ arrive, proxy }) => {
    const visitor = await arrive("/");
    proxy.when("/orders/_data").hang();
    const clicked = Date.now();
    await visitor.clickLink("Orders");
    await visitor.sees("Orders");
    expect(Date.now() - clicked).toBeGreaterThan(3_700);
    expect(visitor.documentsLoaded).toBe(2);
    expect(await lastFullLoad(visitor)).toBe("timeout-data");
    expect(visitor.address).toBe("/orders");
  });

  test("begins and then falls silent", async ({ arrive, proxy }) => {
    const visitor = await arrive("/");
    proxy.when("/orders/_data").stallAfter(20);
    await visitor.clickLink("Orders");
    await visitor.sees("Orders");
    expect(await lastFullLoad(visitor)).toBe("timeout-data");
  });

  test.for([
    ["is an error page of something in between", 502, html, "<h1>Bad gateway</h1>", "wrong-content-type"],
    ["is the page of a captive portal", 200, html, "<h1>Sign in to the network</h1>", "wrong-content-type"],
    ["is empty", 204, {}, "", "no-content"],
    ["is a download", 200, { ...pageData, "content-disposition": "attachment" }, "x", "attachment"],
    ["is not readable", 200, pageData, "{]\n", "unreadable-data"],
    ["is something else", 200, pageData, '{"hello":"world"}\n', "unreadable-data"],
    ["ends too soon", 200, pageData, "", "cut-data"],
    [
      "comes from another build",
      200,
      pageData,
      '{"build":"other","route":"/orders","fresh":0,"expires":0,"tag":""}\n{"kind":"page","status":200,"params":{},"data":[]}\n{"kind":"end"}\n',
      "build-mismatch",
    ],
  ] as const)("%s", async ([, status, headers, body, reason], { arrive, proxy }) => {
    const visitor = await arrive("/");
    if (status >= 400) visitor.expecting(/502/);
    proxy.when(/^\/orders\/7\/_data\?x=1$/).answer(status, body, headers);
    await visitor.page.evaluate(() =>
      document.querySelector("a[href='/orders/7']")?.setAttribute("href", "/orders/7?x=1#here"),
    );
    await visitor.clickLink("Order 7");
    await visitor.sees("Order 7");
    expect(visitor.address).toBe("/orders/7?x=1#here");
    expect(await lastFullLoad(visitor)).toBe(reason);
    expect(visitor.documentsLoaded).toBe(2);
  });

  test("is cut in the middle", async ({ arrive, proxy }) => {
    const visitor = (await arrive("/")).expecting(/ERR_|Failed to load/);
    proxy.when("/orders/7/_data").cutAfter(60);
    await visitor.clickLink("Order 7");
    await visitor.sees("Order 7");
    expect(await lastFullLoad(visitor)).toBe("cut-data");
  });

  test("is refused on the wire", async ({ arrive, proxy }) => {
    const visitor = (await arrive("/")).expecting(/ERR_|Failed to load/);
    proxy.when("/orders/7/_data").drop();
    await visitor.clickLink("Order 7");
    await visitor.sees("Order 7");
    expect(await lastFullLoad(visitor)).toBe("network");
  });
});

describe("the visitor gets the page that was clicked, by a full load, when its code", () => {
  test.for([
    ["is gone, as after a deploy", 404, "gone", "text/html", [/404/]],
    ["is answered by a failing server", 500, "failed", "text/plain", [/500/]],
    ["is a page instead", 200, "<h1>Portal</h1>", "text/html", [/MIME/]],
    // The browser logs nothing: the error goes to the code that requested the chunk, which is ours.
    ["is not what was built", 200, "export default function Orders( {", "text/javascript", []],
  ] as const)("%s", async ([, status, body, type, complaints], { arrive, proxy }) => {
    const visitor = (await arrive("/")).expecting(...complaints);
    await visitor.page.mouse.move(300, 300);
    await visitor.page.locator("#holdfast-announcer").waitFor({ state: "attached" });
    proxy
      .when(/_assets\/orders/)
      .times(1)
      .answer(status, body, { "content-type": type });
    // A pointer that rests on the link would fetch the code ahead, and the click would get it whole.
    await visitor.enterLink("Orders");
    await visitor.sees("Orders");
    expect(visitor.address).toBe("/orders");
    expect(await lastFullLoad(visitor)).toBe("missing-module");
  });

  test("never arrives", async ({ arrive, proxy }) => {
    const visitor = await arrive("/");
    await visitor.page.mouse.move(300, 300);
    await visitor.page.locator("#holdfast-announcer").waitFor({ state: "attached" });
    proxy
      .when(/_assets\/orders-index/)
      .times(1)
      .hang();
    await visitor.clickLink("Orders");
    await expect.poll(() => visitor.documentsLoaded, { timeout: 6_000 }).toBe(2);
    await visitor.sees("Orders");
    expect(await lastFullLoad(visitor)).toBe("timeout-code");
  });

  test("is permanently missing: then it is a page without script", async ({ arrive, proxy }) => {
    const visitor = (await arrive("/")).expecting(/404|Failed to fetch|MIME/);
    proxy.when(/_assets\/orders/).answer(404, "gone", html);
    await visitor.clickLink("Orders");
    await visitor.sees("Orders");
    await visitor.clickLink("Tall");
    await visitor.sees("Tall");
    expect(visitor.documentsLoaded).toBe(3);
  });

  test("does not load after a reload: then Back still leads to the previous page", async ({ arrive, proxy }) => {
    const visitor = await arrive("/");
    await visitor.clickLink("Plain");
    await visitor.sees("Plain");
    proxy.when(/_assets\/plain/).hang();
    // Not from the browser's cache, or it would not be requested.
    await (await visitor.page.context().newCDPSession(visitor.page)).send("Network.clearBrowserCache");
    await visitor.page.reload({ waitUntil: "commit" });
    await visitor.sees("Plain");
    await expect.poll(() => visitor.requestsFor(/_assets\/plain/).length).toBe(2);
    await visitor.page.evaluate(() => history.back());
    await visitor.sees("Home");
    expect(visitor.address).toBe("/");
  });

  test("the visitor gets the clicked page when the navigation code itself is missing", async ({ arrive, proxy }) => {
    proxy.when(/_assets\/later/).answer(404, "gone", html);
    const visitor = (await arrive("/")).expecting(/404|Failed to fetch|MIME/);
    await visitor.clickLink("Orders");
    await visitor.sees("Orders");
    expect(visitor.documentsLoaded).toBe(2);
  });
});

describe("before the navigation code is loaded", () => {
  test("the last click wins, and shows that it is pending", async ({ arrive, proxy }) => {
    proxy.when(/_assets\/later/).hang();
    const visitor = await arrive("/");
    await visitor.clickLink("Orders");
    await visitor.page.locator("#holdfast-pending").waitFor();
    await visitor.clickLink("Tall");
    await visitor.sees("Tall");
    expect(visitor.address).toBe("/tall");
    expect(visitor.documentsLoaded).toBe(2);
  });

  test("a click while the browser is already loading another document takes precedence", async ({ arrive, proxy }) => {
    proxy.when(/_assets\/later/).answer(404, "gone", html);
    const gate = proxy.when("/orders").hold();
    const visitor = (await arrive("/")).expecting(/404|Failed to fetch|MIME/);
    // By script: Playwright itself would wait for the held document.
    await visitor.page.evaluate(() => {
      const click = (path: string) => document.querySelector<HTMLElement>(`a[href='${path}']`)?.click();
      navigation.addEventListener("navigate", () => setTimeout(click, 100, "/tall"), { once: true });
      click("/orders");
    });
    await gate.taken();
    // The probe of the second click gets its response only after the first document would have arrived.
    await expect.poll(() => visitor.requestsFor("/healthz").length).toBeGreaterThan(1);
    gate.release();
    await visitor.sees("Tall");
    expect(visitor.address).toBe("/tall");
  });

  test("Escape cancels a click", async ({ arrive, proxy }) => {
    const gate = proxy.when(/_assets\/later/).hold();
    const visitor = await arrive("/");
    await visitor.clickLink("Orders");
    await gate.taken();
    await visitor.page.keyboard.press("Escape");
    gate.release();
    await visitor.isAwake();
    await visitor.sees("Home");
    await visitor.clickLink("Tall");
    await visitor.sees("Tall");
    expect(visitor.documentsLoaded).toBe(1);
  });
});

describe("without a connection", () => {
  test("the page stays, says so, and the click is completed once the connection is back", async ({ arrive, proxy }) => {
    const visitor = (await arrive("/")).expecting(/ERR_|Failed to load/);
    await visitor.page.mouse.move(300, 300);
    await visitor.page.locator("#holdfast-announcer").waitFor({ state: "attached" });
    await proxy.offline();
    await visitor.clickLink("Order 7");
    await visitor.page.getByText("Connection lost").waitFor();
    await visitor.sees("Home");
    await visitor.pressButton("Alive 0");
    await visitor.page.getByRole("button", { name: "Alive 1" }).waitFor();
    await proxy.online();
    await visitor.sees("Order 7");
    expect(visitor.address).toBe("/orders/7");
    expect(visitor.documentsLoaded).toBe(1);
    expect(await visitor.page.getByText("Connection lost").count()).toBe(0);
  });

  test("a first click, before the code was loaded, waits as well", async ({ arrive, proxy }) => {
    proxy.when(/_assets\/later/).answer(404, "gone", html);
    const visitor = (await arrive("/")).expecting(/ERR_|Failed to (load|fetch)|404|MIME/);
    await proxy.offline();
    await visitor.clickLink("Order 7");
    await visitor.page.getByText("Connection lost").waitFor();
    await visitor.sees("Home");
    await proxy.online();
    await visitor.sees("Order 7");
  });

  test("another click replaces the waiting one, and Retry tries at once", async ({ arrive, proxy }) => {
    const visitor = (await arrive("/")).expecting(/ERR_|Failed to load/);
    await visitor.page.mouse.move(300, 300);
    await visitor.page.locator("#holdfast-announcer").waitFor({ state: "attached" });
    await proxy.offline();
    await visitor.clickLink("Orders");
    await visitor.page.getByText("Connection lost").waitFor();
    await visitor.clickLink("Tall");
    await visitor.page.getByText("Connection lost").waitFor();
    await proxy.online();
    await visitor.page
      .getByRole("button", { name: "Retry" })
      .click({ timeout: 1_000 })
      .catch(() => "it had retried by itself");
    await visitor.sees("Tall");
    expect(visitor.documentsLoaded).toBe(1);
  });
});

const otherBuild =
  '{"build":"other","route":"/","fresh":0,"expires":0,"tag":""}\n{"kind":"page","status":200,"params":{},"data":[]}\n{"kind":"end"}\n';

describe("full loads never turn into a loop", () => {
  test("a page that navigates by itself and fails each time ends on the error page, which says so and offers links", async ({
    visit,
    proxy,
  }) => {
    proxy.when(/_data/).answer(200, "{]\n", pageData);
    const visitor = await visit("/restless/ping");
    // Counted at the proxy: Playwright inspects a page with user activation, and such loads are not counted.
    await expect.poll(() => visitor.requestsFor(/restless.*_data/).length).toBe(3);
    await visitor.sees("Page does not load");
    // The requested one, and one for each address without a click.
    expect(visitor.documentsLoaded).toBe(3);
    expect(await visitor.page.getByText("client-side exception").count()).toBe(0);
    expect(await visitor.digestShown()).toBeDefined();
    // Each of its links is the visitor's own choice, so it is loaded in any case.
    await visitor.clickLink("Home");
    await visitor.sees("Home");
    expect(visitor.documentsLoaded).toBe(4);
  });

  test("the target of a click is always loaded: two builds behind one address show every page", async ({
    arrive,
    proxy,
  }) => {
    proxy.when(/_data/).answer(200, otherBuild, pageData);
    const visitor = await arrive("/");
    const clicks = ["Orders", "Tall", "Home", "Order 7", "Home", "Order 7"];
    for (const link of clicks) {
      await visitor.clickLink(link);
      await visitor.sees(link);
      await visitor.isAlive();
    }
    expect(visitor.documentsLoaded).toBe(1 + clicks.length);
    for (const heading of ["Home", "Order 7", "Home"]) {
      await visitor.page.goBack();
      await visitor.sees(heading);
      await visitor.isAlive();
    }
  });

  test("if the tab has no storage, the history entry remembers", async ({ arrive, proxy }) => {
    const visitor = await arrive("/");
    await visitor.page.addInitScript(() => {
      Object.defineProperty(window, "sessionStorage", {
        get() {
          throw new DOMException("denied", "SecurityError");
        },
      });
    });
    await visitor.page.reload();
    await visitor.isAlive();
    proxy.when("/orders/7/_data").answer(200, "{]\n", pageData);
    await visitor.clickLink("Order 7");
    await visitor.sees("Order 7");
    expect(visitor.documentsLoaded).toBe(3);
  });
});

describe("repeated clicks on one link, whose page the browser loads in full and slowly,", () => {
  for (const [when, code] of [
    ["after", undefined],
    ["before", /_assets\/later/],
  ] as const)
    test(`repeated clicks ${when} the code for navigation is loaded are one request, and it arrives`, async ({
      arrive,
      proxy,
    }) => {
      if (code) proxy.when(code).answer(404, "gone", html);
      const visitor = await arrive("/");
      if (code) visitor.expecting(/Failed to (load|fetch)|404|MIME/);
      else await visitor.isAwake();
      proxy.when("/orders/_data").answer(200, "<h1>Portal</h1>", html);
      const slow = proxy.when("/orders").holdResponse();
      const { x, y } = (await visitor.page.getByRole("link", { name: "Orders", exact: true }).boundingBox()) ?? {
        x: 0,
        y: 0,
      };
      const click = () => visitor.page.mouse.click(x + 2, y + 2);
      await click();
      await slow.responded;
      for (let clicks = 0; clicks < 5; clicks += 1) await click();
      slow.release();
      await visitor.sees("Orders");
      expect(proxy.requestsFor("/orders")).toHaveLength(1);
    });
});
