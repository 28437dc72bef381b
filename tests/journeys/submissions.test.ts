import { describe, expect } from "vitest";
import { journey, type Visitor, withoutJavaScript } from "../kit/index.ts";

const test = journey({ app: "tests/fixtures/forms" }).extend("board", async ({ visit }) => {
  return async (name: string): Promise<Visitor> => {
    const visitor = await visit(`/b/${name}`);
    await visitor.isAlive();
    return visitor;
  };
});

/** Hovers over a link until its page is prefetched. */
async function fetchAhead(visitor: Visitor, board: string): Promise<void> {
  await visitor.page.getByRole("link", { name: "List" }).hover();
  await expect.poll(() => visitor.requestsFor(`/b/${board}/list/_data`).at(-1)?.end).toBe("complete");
}

const listed = (visitor: Visitor): Promise<string[]> => visitor.page.locator("li > span, ol > li").allTextContents();

/** Waits for the code that sends forms. Without it and without a connection, a pressed form waits for it. */
async function canSend(visitor: Visitor): Promise<void> {
  await expect.poll(() => visitor.requestsFor(/_assets\/live-page/).at(-1)?.end).toBe("complete");
}

/** The form with this button. */
const form = (visitor: Visitor, button: string) =>
  visitor.page.locator("form").filter({ has: visitor.page.getByRole("button", { name: button, exact: true }) });

/** Posts of forms, without the queries about them. A browser may repeat one whose connection broke. */
function sent(visitor: Visitor): string[] {
  return visitor
    .requestsFor(/_action\/\w+\/_data/)
    .map(({ body }) => /name="_key"\s+([\w-]+)[\s\S]*name="_attempt"\s+(\d+)/.exec(body.toString())?.slice(1).join(" "))
    .filter((text, index, all) => all.indexOf(text) === index)
    .map(String);
}

describe("several forms", () => {
  test("several forms of one action are sent at once, each separately, and the page is reloaded at most once", async ({
    board,
    proxy,
  }) => {
    const visitor = await board("hearts");
    const gate = proxy.when(/_action\/heart\/_data/).hold();
    for (const id of ["1", "2", "3"]) await visitor.pressButton(`Heart ${id}`);
    await gate.taken(3);
    gate.release();
    await expect.poll(() => listed(visitor)).toEqual(["Item 1 (1)", "Item 2 (1)", "Item 3 (1)"]);
    expect(sent(visitor)).toHaveLength(3);
    expect(visitor.requestsFor("/b/hearts/_data").length).toBeLessThanOrEqual(1);
  });

  test("several posts of one fetcher with other fields are all sent, and each once", async ({ board }) => {
    const visitor = await board("hearts-of-one-fetcher");
    await visitor.pressButton("Heart all");
    await expect.poll(() => listed(visitor)).toEqual(["Item 1 (1)", "Item 2 (1)", "Item 3 (1)"]);
    expect(sent(visitor)).toHaveLength(3);
  });

  test("several forms are at most four at the same time, and those that wait are sent afterwards", async ({
    board,
    proxy,
  }) => {
    const visitor = await board("five");
    const gate = proxy.when(/_action\/\w+\/_data/).hold();
    for (const id of ["1", "2", "3"]) await visitor.pressButton(`Heart ${id}`);
    await visitor.fillIn("New", "Fourth");
    await visitor.pressButton("Add");
    await visitor.fillIn("Kept", "Fifth");
    await visitor.pressButton("Add and keep");
    await gate.taken(4);
    await expect(form(visitor, "Add and keep").getByText("sending").isVisible()).resolves.toBe(true);
    expect(visitor.requestsFor(/_action\/\w+\/_data/)).toHaveLength(4);
    gate.release();
    await expect
      .poll(() => listed(visitor))
      .toEqual(["Item 1 (1)", "Item 2 (1)", "Item 3 (1)", "Fourth (0)", "Fifth (0)"]);
  });

  test("show a refusal only at its form, with its input", async ({ board }) => {
    const visitor = (await board("refused")).expecting(/422/);
    await visitor.fillIn("Name 2", "Item 3");
    await visitor.pressButton("Rename 2");
    await form(visitor, "Rename 2").getByText("There is one of this name.", { exact: true }).waitFor();
    expect(await visitor.page.getByText("There is one of this name.", { exact: true }).count()).toBe(1);
    expect(await form(visitor, "Rename 2").locator("output").textContent()).toBe(": There is one of this name.");
    for (const [id, text] of [
      ["1", ""],
      ["2", "Item 3"],
      ["3", ""],
    ])
      expect(await visitor.page.getByLabel(`Name ${id}`, { exact: true }).inputValue()).toBe(text);
    await visitor.fillIn("Name 1", "");
    await visitor.pressButton("Rename 1");
    const message = form(visitor, "Rename 1").getByRole("alert");
    await message.waitFor();
    expect(await visitor.page.getByLabel("Name 1", { exact: true }).getAttribute("aria-describedby")).toBe(
      await message.getAttribute("id"),
    );
    expect(await visitor.page.evaluate(() => document.activeElement?.ariaLabel)).toBe("Name 1");
    // The message of the other one stays.
    expect(await form(visitor, "Rename 2").getByText("There is one of this name.", { exact: true }).count()).toBe(1);
  });

  test("several forms of different actions and a link do not stop each other", async ({ board, proxy }) => {
    const visitor = await board("crossed");
    const gate = proxy.when(/_action\/\w+\/_data/).hold();
    await visitor.fillIn("New", "First");
    await visitor.pressButton("Add");
    await visitor.fillIn("Kept", "Second");
    await visitor.pressButton("Add and keep");
    await gate.taken(2);
    await visitor.clickLink("List");
    await visitor.sees("List");
    gate.release();
    await expect.poll(() => listed(visitor)).toEqual(expect.arrayContaining(["First", "Second"]));
    expect(visitor.requestsFor(/_action/).every(({ end }) => end === "complete")).toBe(true);
    // Their results are shown on their page.
    await visitor.page.goBack();
    await visitor.sees("Board");
    await form(visitor, "Add").getByText("done").waitFor();
    await expect.poll(() => listed(visitor)).toEqual(expect.arrayContaining(["First (0)", "Second (0)"]));
  });

  test("several forms of one slot are sent one after the other; the same twice is one", async ({ board, proxy }) => {
    const visitor = await board("order");
    const gate = proxy.when(/_action\/\w+\/_data/).hold();
    await visitor.fillIn("Kept", "One");
    await visitor.page.getByRole("button", { name: "Add and keep" }).dblclick();
    await visitor.fillIn("Kept", "Two");
    await visitor.pressButton("Add and keep");
    await gate.taken(1);
    gate.release();
    await expect.poll(() => listed(visitor)).toEqual(expect.arrayContaining(["One (0)", "Two (0)"]));
    expect((await listed(visitor)).slice(-2)).toEqual(["One (0)", "Two (0)"]);
    expect(sent(visitor)).toHaveLength(2);
  });
});

describe("a redirect of a form", () => {
  test("shows the current page, also if an older one was prefetched", async ({ board }) => {
    const visitor = await board("redirected");
    await fetchAhead(visitor, "redirected");
    await visitor.fillIn("Next", "After");
    await visitor.pressButton("Add and go");
    await visitor.sees("List");
    expect(await listed(visitor)).toContain("After");
  });

  test("is not followed if the visitor has gone elsewhere", async ({ board, proxy }) => {
    const visitor = await board("gone");
    const gate = proxy.when(/_action\/\w+\/_data/).hold();
    await visitor.fillIn("Next", "After");
    await visitor.pressButton("Add and go");
    await gate.taken();
    await visitor.clickLink("List");
    await visitor.sees("List");
    await visitor.clickLink("Board");
    await visitor.sees("Board");
    gate.release();
    // The page of the form shows the result.
    await expect.poll(() => listed(visitor)).toContain("After (0)");
    expect(visitor.address).toBe("/b/gone");
  });

  test("leaves the form pending until the visitor has arrived: a second press is not a second item", async ({
    board,
    proxy,
  }) => {
    const visitor = await board("once");
    const gate = proxy.when("/b/once/list/_data").hold();
    await visitor.fillIn("Next", "After");
    await visitor.pressButton("Add and go");
    await gate.taken();
    await visitor.pressButton("Add and go");
    gate.release();
    await visitor.sees("List");
    expect((await listed(visitor)).filter((text) => text === "After")).toHaveLength(1);
  });
});

describe("prefetched pages are discarded", () => {
  test("prefetched pages are discarded in the visitor's other tabs when an action redirects", async ({
    board,
    proxy,
  }) => {
    const visitor = await board("elsewhere");
    const other = await visitor.page.context().newPage();
    await other.goto(`${proxy.url}/b/elsewhere`);
    await other.locator("html[data-holdfast=alive]").waitFor();
    await other.getByRole("link", { name: "List" }).hover();
    await expect.poll(() => proxy.requestsFor("/b/elsewhere/list/_data")[0]?.end).toBe("complete");
    await visitor.fillIn("Next", "After");
    await visitor.pressButton("Add and go");
    await visitor.sees("List");
    await other.getByRole("link", { name: "List" }).click();
    await other.getByText("After").waitFor();
  });

  test("prefetched pages are discarded in the visitor's other tabs when a form is posted without script, and their visible pages are reloaded", async ({
    board,
    proxy,
  }) => {
    const visitor = await board("silent");
    const other = await visitor.page.context().newPage();
    await other.goto(`${proxy.url}/b/silent`);
    await other.getByLabel("New", { exact: true }).fill("After");
    // As before hydration.
    await other.evaluate(() => document.querySelector<HTMLFormElement>("form[aria-label=Add]")?.submit());
    await other.getByText("After (0)").waitFor();
    await visitor.page.bringToFront();
    await visitor.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await expect.poll(() => listed(visitor)).toContain("After (0)");
  });

  test("prefetched pages are discarded when the response is lost: the action may have run", async ({
    board,
    proxy,
  }) => {
    const visitor = (await board("lost")).expecting(/ERR_/);
    await fetchAhead(visitor, "lost");
    proxy.when(/_action/).cutAfter(1);
    await visitor.fillIn("New", "After");
    await visitor.pressButton("Add");
    await expect.poll(() => proxy.requestsFor(/_action\/add\/_data/)[0]?.end).toBe("cut");
    proxy.healed();
    await visitor.clickLink("List");
    await visitor.sees("List");
    expect(await listed(visitor)).toContain("After");
  });
});

describe("a form whose response is lost", () => {
  test("is queried when the connection returns, and runs once", async ({ board, proxy }) => {
    const visitor = (await board("online")).expecting(/ERR_/);
    proxy.when(/_action/).stallAfter(1);
    await visitor.fillIn("New", "Once");
    await visitor.pressButton("Add");
    await expect.poll(() => proxy.requestsFor(/_action/)[0]?.bytes).toBe(1);
    await proxy.offline();
    await form(visitor, "Add").getByText("It is not known whether this was received").waitFor();
    expect(await visitor.page.getByLabel("New", { exact: true }).inputValue()).toBe("Once");
    proxy.healed();
    await proxy.online();
    await visitor.page.evaluate(() => dispatchEvent(new Event("online")));
    await form(visitor, "Add").getByText("done").waitFor();
    // The outcome is shown before the page that follows it.
    await expect.poll(async () => (await listed(visitor)).filter((text) => text === "Once (0)")).toHaveLength(1);
    expect(sent(visitor)).toHaveLength(1);
    expect(await form(visitor, "Add").getByRole("alert").count()).toBe(0);
    expect(await visitor.page.getByLabel("New", { exact: true }).inputValue()).toBe("");
  });

  test("says that it was not received, and is sent again only if the visitor agrees", async ({ board, proxy }) => {
    const visitor = (await board("unsent")).expecting(/ERR_/);
    proxy.when(/_action\/add\/_data/).drop();
    await visitor.fillIn("New", "Later");
    await visitor.pressButton("Add");
    await form(visitor, "Add").getByText("This was not received").waitFor();
    expect(await listed(visitor)).not.toContain("Later (0)");
    proxy.healed();
    await visitor.pressButton("Send again");
    await expect.poll(() => listed(visitor)).toContain("Later (0)");
    const [first, second] = sent(visitor);
    // The same submission, for the second time.
    expect(second).toBe(first?.replace(/1$/, "2"));
  });

  test("is sent when possible, if the visitor agrees while the connection is lost", async ({ board, proxy }) => {
    const visitor = (await board("consent")).expecting(/ERR_/);
    await canSend(visitor);
    await proxy.offline();
    await visitor.fillIn("New", "Later");
    await visitor.pressButton("Add");
    await visitor.pressButton("Send when possible");
    await form(visitor, "Add").getByText("It is sent again if it was not received").waitFor();
    await proxy.online();
    await visitor.page.evaluate(() => dispatchEvent(new Event("online")));
    await expect.poll(() => listed(visitor)).toContain("Later (0)");
  });

  test("waits for the visitor if the code that sends it cannot be loaded either", async ({ visit, proxy }) => {
    const gate = proxy.when(/_assets\/live-page/).hold();
    const visitor = (await visit("/b/codeless")).expecting(/ERR_|Failed to load/);
    await visitor.isAlive();
    await gate.taken();
    await proxy.offline();
    await visitor.fillIn("New", "Without code");
    await visitor.pressButton("Add");
    await visitor.page.getByText("Connection lost. What you typed is kept.").waitFor();
    expect(await visitor.page.getByLabel("New", { exact: true }).inputValue()).toBe("Without code");
    gate.release();
    proxy.healed();
    await proxy.online();
    await visitor.pressButton("Retry");
    await expect.poll(() => listed(visitor)).toContain("Without code (0)");
    expect(sent(visitor)).toHaveLength(1);
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("is discarded by the visitor: nothing is sent, and the input stays", async ({ board, proxy }) => {
    const visitor = (await board("discarded")).expecting(/ERR_/);
    proxy.when(/_action\/add\/_data/).drop();
    await visitor.fillIn("New", "Never");
    await visitor.pressButton("Add");
    await form(visitor, "Add").getByText("This was not received").waitFor();
    proxy.healed();
    await visitor.pressButton("Discard");
    await expect.poll(() => form(visitor, "Add").getByRole("alert").count()).toBe(0);
    expect(await visitor.page.getByLabel("New", { exact: true }).inputValue()).toBe("Never");
    expect(sent(visitor)).toHaveLength(1);
    expect(await listed(visitor)).not.toContain("Never (0)");
  });

  test("a form that was only slow is refused after the visitor was shown that it had not arrived", async ({
    board,
    proxy,
  }) => {
    const visitor = (await board("late")).expecting(/409|ERR_/);
    const gate = proxy
      .when(/_action\/add\/_data/)
      .times(1)
      .hold();
    await visitor.fillIn("New", "Late");
    await visitor.pressButton("Add");
    await gate.taken();
    // The browser's own connection breaks, but the proxy still has the request.
    const cut = proxy.requestsFor(/_action\/add\/_data/)[0];
    await visitor.page.evaluate(() => dispatchEvent(new Event("offline")));
    await visitor.page.context().setOffline(true);
    await form(visitor, "Add").getByText("It is not known whether this was received").waitFor();
    await visitor.page.context().setOffline(false);
    await form(visitor, "Add").getByText("This was not received").waitFor();
    gate.release();
    await expect.poll(() => cut?.end).not.toBe("open");
    await visitor.clickLink("List");
    await visitor.sees("List");
    expect(await listed(visitor)).not.toContain("Late");
  });

  test("is shown as still being sent while its action runs on", async ({ board, proxy }) => {
    const visitor = (await board("still")).expecting(/ERR_/);
    await visitor.fillIn("Slow", "Patience");
    await visitor.fillIn("Milliseconds", "12000");
    await canSend(visitor);
    await visitor.pressButton("Add slowly");
    // The server has it, and says that it is running.
    await expect.poll(() => visitor.requestsFor(/_outcome/).at(-1)?.end).toBe("complete");
    await proxy.offline();
    await form(visitor, "Add slowly").getByText("It is not known whether this was received").waitFor();
    await proxy.online();
    await visitor.page.evaluate(() => dispatchEvent(new Event("online")));
    const notice = form(visitor, "Add slowly").getByRole("status").getByText("Still sending. What you typed is kept.");
    await notice.waitFor();
    expect([await form(visitor, "Add slowly").getByRole("alert").count(), sent(visitor).length]).toEqual([0, 1]);
  });

  test("a fetcher's form whose response is lost is shown at the edge of the window", async ({ board, proxy }) => {
    const visitor = (await board("fetcher")).expecting(/ERR_/);
    proxy.when(/_action\/heart\/_data/).drop();
    await visitor.pressButton("Heart 1");
    const bar = visitor.page.locator("#holdfast-submission");
    await bar.getByText("This was not received").waitFor();
    proxy.healed();
    await bar.getByRole("button", { name: "Send again" }).click();
    await expect.poll(() => listed(visitor)).toContain("Item 1 (1)");
    await expect.poll(() => bar.count()).toBe(0);
  });
});

describe("a fetcher", () => {
  test("a field that saves itself leaves the last text on the server, over a slow and failing network, and runs none twice", async ({
    board,
    proxy,
  }) => {
    const visitor = (await board("autosave")).expecting(/ERR_/);
    const saved = async (): Promise<string[]> => (await listed(visitor)).slice(3);
    let posts = 0;
    const post = /_action\/save\/_data/;
    proxy.when(post).delay(150);
    proxy.when(({ path }) => post.test(path) && posts % 4 === 0).cutAfter(0);
    proxy.when(({ path }) => post.test(path) && ++posts % 4 === 2).drop();
    proxy
      .when(/_outcome/)
      .times(1)
      .drop();
    const text = "What is typed quickly arrives, and the last text stays.";
    await visitor.page.getByLabel("Saved").pressSequentially(text, { delay: 50 });
    await visitor.page.locator("label > output", { hasText: "done" }).waitFor();
    await expect.poll(async () => (await saved()).at(-1)).toBe(`${text} (0)`);
    const all = await saved();
    expect(new Set(all).size).toBe(all.length);
    expect(posts).toBeGreaterThan(4);
    // Typing was quicker than the network: most texts were replaced while they waited.
    expect(all.length).toBeLessThan(text.length / 2);
  });

  test("sends parallel calls at once", async ({ board, proxy }) => {
    const visitor = await board("parallel");
    const gate = proxy.when(/_action\/heart\/_data/).hold();
    await visitor.pressButton("At once");
    await gate.taken(3);
    gate.release();
    await expect.poll(() => listed(visitor)).toEqual(["Item 1 (1)", "Item 2 (1)", "Item 3 (1)"]);
  });
});

describe("a slow action", () => {
  // Longer than a route may take. A long run also has one that asks for its outcome many times.
  const slow = process.env.HOLDFAST_TEST_LONG === undefined ? [5] : [5, 20];
  test.for(slow.map((seconds) => [`${seconds} seconds`, seconds * 1_000] as const))(
    "an action of %s has no notice, and runs once",
    async ([name, ms], { board }) => {
      const visitor = await board(`slow ${ms}`.replace(" ", "-"));
      await visitor.fillIn("Slow", name);
      await visitor.fillIn("Milliseconds", `${ms}`);
      await visitor.pressButton("Add slowly");
      const notices = form(visitor, "Add slowly").getByRole("alert");
      await form(visitor, "Add slowly").getByText("sending").waitFor();
      await expect.poll(() => visitor.requestsFor(/_outcome/).length).toBeGreaterThan(0);
      expect(await notices.count()).toBe(0);
      await form(visitor, "Add slowly").getByText("done").waitFor();
      expect(await notices.count()).toBe(0);
      await expect.poll(async () => (await listed(visitor)).filter((text) => text === `${name} (0)`)).toHaveLength(1);
      expect(sent(visitor)).toHaveLength(1);
    },
  );

  test("leaves the rest of the page usable", async ({ board }) => {
    const visitor = await board("meanwhile");
    await visitor.fillIn("Slow", "Slow");
    await visitor.fillIn("Milliseconds", "3000");
    await visitor.pressButton("Add slowly");
    await visitor.pressButton("Heart 1");
    await expect.poll(() => listed(visitor)).toContain("Item 1 (1)");
    expect(await listed(visitor)).not.toContain("Slow (0)");
    await expect.poll(() => listed(visitor)).toContain("Slow (0)");
  });
});

describe("a form whose code does not load although the server responds", () => {
  for (const [failures, documents, how] of [
    [2, 1, "twice, is sent by it when it does"],
    [Number.POSITIVE_INFINITY, 2, "at all, is posted by the browser"],
  ] as const)
    test(how, async ({ visit, proxy }) => {
      proxy
        .when(/_assets\/live-page/)
        .times(failures)
        .answer(404);
      const visitor = (await visit("/b/unloaded")).expecting(/404|Failed to load|error loading/i);
      await visitor.isAlive();
      await expect.poll(() => visitor.requestsFor(/_assets\/live-page/).length).toBe(1);
      await visitor.fillIn("New", `After ${documents}`);
      await visitor.pressButton("Add");
      await expect.poll(() => listed(visitor)).toContain(`After ${documents} (0)`);
      expect(visitor.documentsLoaded).toBe(documents);
    });
});

describe("a form that is being sent", () => {
  test("a form that is being sent when the page is reloaded has its outcome in the next document", async ({
    board,
  }) => {
    const visitor = await board("reloaded");
    await visitor.fillIn("Slow", "Reloaded");
    await visitor.fillIn("Milliseconds", "3000");
    await visitor.pressButton("Add slowly");
    await expect.poll(() => visitor.requestsFor(/addSlowly\/_data/).length).toBe(1);
    await visitor.page.reload();
    await form(visitor, "Add slowly").getByText("done").waitFor();
    await expect.poll(() => listed(visitor)).toContain("Reloaded (0)");
    // The restored input has arrived after all.
    await expect.poll(() => visitor.page.getByLabel("Slow", { exact: true }).inputValue()).toBe("");
    expect(sent(visitor)).toHaveLength(1);
  });

  test("a form that is being sent when the page is reloaded changes it, also if a network's sign-in page answers first", async ({
    board,
    proxy,
  }) => {
    const visitor = await board("portal");
    const portal = proxy.when(/_outcome/).answer(200, "<h1>Sign in</h1>", { "content-type": "text/html" });
    await visitor.fillIn("Slow", "Found");
    await visitor.fillIn("Milliseconds", "3000");
    await visitor.pressButton("Add slowly");
    await expect.poll(() => visitor.requestsFor(/addSlowly\/_data/).length).toBe(1);
    await visitor.page.reload();
    await form(visitor, "Add slowly").getByText("received").waitFor();
    await visitor.pressButton("Discard");
    portal.remove();
    await expect.poll(() => listed(visitor)).toContain("Found (0)");
    expect(sent(visitor)).toHaveLength(1);
  });

  test("a form that is being sent and is lost when the visitor has left is shown at the edge of the window", async ({
    board,
    proxy,
  }) => {
    const visitor = (await board("away")).expecting(/ERR_/);
    const gate = proxy
      .when(/_action\/add\/_data/)
      .drop()
      .hold();
    await visitor.fillIn("New", "Away");
    await visitor.pressButton("Add");
    await gate.taken();
    await visitor.clickLink("List");
    await visitor.sees("List");
    gate.release();
    await visitor.page.locator("#holdfast-submission").getByText("This was not received").waitFor();
    proxy.healed();
    await visitor.pressButton("Send again");
    await expect.poll(() => listed(visitor)).toContain("Away");
  });
});

test("an upload on a slow line arrives, however long the server receives nothing", async ({ board }) => {
  const visitor = await board("upload");
  const session = await visitor.page.context().newCDPSession(visitor.page);
  await visitor.page.getByLabel("File").setInputFiles({
    name: "picture",
    mimeType: "application/octet-stream",
    buffer: Buffer.alloc(400_000),
  });
  const line = { offline: false, latency: 20, downloadThroughput: 100_000, uploadThroughput: 50_000 };
  await session.send("Network.emulateNetworkConditions", line);
  await visitor.pressButton("Upload");
  await expect.poll(() => listed(visitor), { timeout: 40_000 }).toContain("picture of 400000 (0)");
  expect(sent(visitor)).toHaveLength(1);
});

describe("a form that fails", () => {
  test("a form that fails because its action throws keeps page and text, and shows the digest of the event", async ({
    board,
    app,
  }) => {
    const visitor = (await board("thrown")).expecting(/500/);
    await visitor.fillIn("Hopeless", "Still here");
    await visitor.pressButton("Try");
    await form(visitor, "Try").getByText("A server-side exception has occurred.").waitFor();
    expect(await visitor.page.getByLabel("Hopeless").inputValue()).toBe("Still here");
    await visitor.sees("Board");
    const digest = await visitor.digestShown();
    expect(digest).toBeDefined();
    const event = await fetch(`${app.url}/_holdfast/d/${digest}`, { redirect: "manual" });
    expect(event.status).toBeLessThan(400);
    // Sending the same again is another attempt.
    await visitor.pressButton("Try");
    await expect.poll(() => sent(visitor).length).toBe(2);
    const [first, second] = sent(visitor);
    expect(second).toBe(first?.replace(/1$/, "2"));
    await expect.poll(() => visitor.digestShown()).not.toBe(digest);
  });

  test.for([
    ["401", "Sign in in another tab"],
    ["403", "This was not taken."],
  ] as const)("a form that fails with %s keeps page and text, and says why", async ([status, words], { board }) => {
    const visitor = (await board(`refused-${status}`)).expecting(new RegExp(status));
    await visitor.fillIn("Hopeless", "Still here");
    await visitor.fillIn("Why", status);
    await visitor.pressButton("Try");
    await form(visitor, "Try").getByText(words).waitFor();
    expect(await visitor.page.getByLabel("Hopeless").inputValue()).toBe("Still here");
  });

  test("a form that fails because it is too large keeps page and text, and says why", async ({ board }) => {
    const visitor = (await board("large")).expecting(/413/);
    const text = "x".repeat(1_100_000);
    await visitor.fillIn("New", text);
    await visitor.pressButton("Add");
    await form(visitor, "Add").getByText("This is too large.").waitFor();
    expect((await visitor.page.getByLabel("New", { exact: true }).inputValue()).length).toBe(text.length);
  });
});

test("an action that succeeded is shown as such if its page cannot be loaded, and the page follows", async ({
  board,
}) => {
  const visitor = (await board("broken")).expecting(/500/);
  await visitor.fillIn("Last", "Done");
  await visitor.fillIn("Loads", "2");
  await visitor.pressButton("Add and break");
  await form(visitor, "Add and break").getByText("done").waitFor();
  await visitor.sees("Board");
  expect(await visitor.page.getByLabel("Last").inputValue()).toBe("");
  await expect.poll(() => listed(visitor)).toContain("Done (0)");
  expect(sent(visitor)).toHaveLength(1);
});

describe("after success", () => {
  test("a form is emptied, and another one keeps its text", async ({ board }) => {
    const visitor = await board("emptied");
    await visitor.fillIn("Kept", "Stays");
    await visitor.fillIn("New", "Goes");
    await visitor.pressButton("Add");
    await form(visitor, "Add").getByText("done").waitFor();
    expect(await visitor.page.getByLabel("New", { exact: true }).inputValue()).toBe("");
    expect(await visitor.page.getByLabel("Kept").inputValue()).toBe("Stays");
    await visitor.pressButton("Add and keep");
    await form(visitor, "Add and keep").getByText("done").waitFor();
    expect(await visitor.page.getByLabel("Kept").inputValue()).toBe("Stays");
  });

  test("a form that was edited while it was being sent is left unchanged", async ({ board, proxy }) => {
    const visitor = await board("edited");
    const gate = proxy.when(/_action\/\w+\/_data/).hold();
    await visitor.fillIn("New", "Sent");
    await visitor.pressButton("Add");
    await gate.taken();
    await visitor.fillIn("New", "Typed since");
    gate.release();
    await form(visitor, "Add").getByText("done").waitFor();
    expect(await visitor.page.getByLabel("New", { exact: true }).inputValue()).toBe("Typed since");
  });
});

describe("a session that ends", () => {
  /** Signs in, and shows the private page and then the open one, so that the private one is behind Back. */
  async function signedIn(visit: (path: string) => Promise<Visitor>): Promise<Visitor> {
    const visitor = await visit("/enter");
    await visitor.isAlive();
    await visitor.pressButton("Enter");
    await visitor.sees("Private page of Ada");
    await visitor.clickLink("Open");
    await visitor.sees("Open to Ada");
    return visitor;
  }

  /** Records every heading that is visible from now on. */
  async function watchHeadings(visitor: Visitor): Promise<() => Promise<string[]>> {
    await visitor.page.evaluate(() => {
      const seen = new Set<string>();
      Object.assign(globalThis, { seen });
      const look = (): void => {
        for (const { textContent } of document.querySelectorAll("h1")) seen.add(textContent ?? "");
        requestAnimationFrame(look);
      };
      look();
    });
    return () => visitor.page.evaluate(() => [...(globalThis as unknown as { seen: Set<string> }).seen]);
  }

  test("leaves nothing private behind Back, whatever its cookie is called", async ({ visit }) => {
    const visitor = await signedIn(visit);
    await visitor.pressButton("Leave from here");
    await visitor.sees("Open to nobody");
    const headings = await watchHeadings(visitor);
    await visitor.page.goBack();
    await visitor.sees("Enter");
    expect(await headings()).toEqual(["Open to nobody", "Enter"]);
  });

  test("a session that ends by a redirect leaves nothing private behind Back", async ({ visit }) => {
    const visitor = await signedIn(visit);
    await visitor.page.goBack();
    await visitor.sees("Private page of Ada");
    await visitor.pressButton("Leave");
    await visitor.sees("Enter");
    const headings = await watchHeadings(visitor);
    await visitor.page.goBack();
    await visitor.page.waitForURL(/\/enter/);
    await visitor.sees("Enter");
    expect(await headings()).toEqual(["Enter"]);
  });

  test("is noticed by the other tabs at once", async ({ visit, proxy }) => {
    const visitor = await signedIn(visit);
    const other = await visitor.page.context().newPage();
    await other.goto(`${proxy.url}/private`);
    await other.locator("html[data-holdfast=alive]").waitFor();
    await other.getByRole("heading", { name: "Private page of Ada" }).waitFor();
    await visitor.page.bringToFront();
    await visitor.pressButton("Leave from here");
    await visitor.sees("Open to nobody");
    await other.getByRole("heading", { name: "Enter" }).waitFor();
  });

  test("a session that ends without script is noticed by a tab before it shows a prefetched or stored page", async ({
    visit,
    proxy,
  }) => {
    const visitor = await signedIn(visit);
    await visitor.page.getByRole("link", { name: "Private" }).hover();
    await expect.poll(() => visitor.requestsFor("/private/_data").at(-1)?.end).toBe("complete");
    const other = await visitor.page.context().newPage();
    await other.goto(`${proxy.url}/open`);
    await other.evaluate(() => document.querySelector("form")?.submit());
    await other.getByRole("heading", { name: "Open to nobody" }).waitFor();
    const headings = await watchHeadings(visitor);
    await visitor.clickLink("Private");
    await visitor.sees("Enter");
    expect(await headings()).not.toContain("Private page of Ada");
  });
});

describe("a document that was rendered before a change", () => {
  for (const [whose, tab] of [
    ["its own tab", "same"],
    ["another tab", "other"],
  ] as const)
    test(`a document that was rendered before a change of ${whose}, and arrives after it, is loaded again`, async ({
      board,
      proxy,
    }) => {
      const visitor = await board(`overtaken-${tab}`);
      const { page } = visitor;
      const other = tab === "same" ? page : await page.context().newPage();
      if (other !== page) await other.goto(page.url());
      await canSend(visitor);
      const gate = proxy.when(/_action\/add\/_data/).hold();
      await visitor.fillIn("New", "Overtaken");
      await visitor.pressButton("Add");
      await gate.taken();
      const document = proxy.when(new RegExp(`/b/overtaken-${tab}$`)).holdResponse();
      const loading = other.reload();
      await document.responded;
      gate.release();
      await expect.poll(() => proxy.requestsFor(/_action\/add\/_data/)[0]?.end).toBe("complete");
      document.release();
      await loading;
      const texts = () => other.locator("li > span").allTextContents();
      await expect.poll(texts).toContain("Overtaken (0)");
    });
});

/** Reloads while the browser waits for the response to a form, which discards it. */
async function reloadAtOnce({ page }: Visitor): Promise<void> {
  const loaded = page.waitForEvent("domcontentloaded");
  // Playwright rejects, because the pending navigation is aborted by this one.
  await page.reload().catch(() => undefined);
  await loaded;
}

describe("a form that was sent before a reload", () => {
  const files = {
    entry: "entry",
    "page's file": "b-board",
    "file of navigation": "later",
    "file of forms": "live-page",
  };
  for (const [what, file] of Object.entries(files))
    test(`a form that was sent before a reload changes the page although the ${what} arrives at the second attempt`, async ({
      board,
      proxy,
    }) => {
      const visitor = (await board(`again-${file}`)).expecting(/502|page error: $|dynamically imported module/);
      const { page } = visitor;
      await visitor.fillIn("Slow", "After the page");
      await visitor.fillIn("Milliseconds", "1500");
      await visitor.pressButton("Add slowly");
      await expect.poll(() => visitor.requestsFor(/_action\/addSlowly/).length).toBe(1);
      // As after a deployment: the browser has no file of this build.
      const browser = await page.context().newCDPSession(page);
      await browser.send("Network.enable");
      await browser.send("Network.setCacheDisabled", { cacheDisabled: true });
      const failed = proxy
        .when(new RegExp(`_assets/${file}`))
        .times(1)
        .answer(502, "no", { "content-type": "text/plain" });
      await page.reload();
      await failed.taken();
      await expect.poll(() => listed(visitor), { timeout: 20_000 }).toContain("After the page (0)");
    });
});

describe("a form that the browser has posted itself", () => {
  test("a form whose response a reload discarded changes the page that follows", async ({ visit, proxy }) => {
    const gate = proxy.when(/_assets\/.*\.js/).hold();
    const visitor = await visit("/b/reloaded");
    const { page } = visitor;
    await visitor.fillIn("Slow", "After the page");
    await visitor.fillIn("Milliseconds", "1500");
    await page.getByRole("button", { name: "Add slowly" }).click({ noWaitAfter: true });
    await expect.poll(() => proxy.requestsFor(/_action\/addSlowly/).length).toBe(1);
    await reloadAtOnce(visitor);
    expect(await listed(visitor)).not.toContain("After the page (0)");
    gate.release();
    await expect.poll(() => listed(visitor)).toContain("After the page (0)");
    await form(visitor, "Add slowly").getByText("done").waitFor();
    expect(await page.getByLabel("Slow", { exact: true }).inputValue()).toBe("");
    expect((await listed(visitor)).filter((text) => text === "After the page (0)")).toHaveLength(1);
  });

  test("a form whose response two documents without code have waited for changes the page that follows", async ({
    visit,
    proxy,
  }) => {
    const gate = proxy.when(/_assets\/.*\.js/).hold();
    const visitor = await visit("/b/twice-reloaded");
    const { page } = visitor;
    const send = async (text: string): Promise<void> => {
      await visitor.fillIn("Slow", text);
      await visitor.fillIn("Milliseconds", "2000");
      await page.getByRole("button", { name: "Add slowly" }).click({ noWaitAfter: true });
    };
    await send("First");
    await expect.poll(() => proxy.requestsFor(/_action\/addSlowly/).length).toBe(1);
    await reloadAtOnce(visitor);
    await send("Second");
    await expect.poll(() => proxy.requestsFor(/_action\/addSlowly/).length).toBe(2);
    await reloadAtOnce(visitor);
    gate.release();
    await expect.poll(() => visitor.requestsFor(/addSlowly\/_outcome/).length).toBeGreaterThan(0);
    await expect.poll(() => listed(visitor)).toEqual(expect.arrayContaining(["First (0)", "Second (0)"]));
  });

  test("a form that was not received keeps its text, and the next page says so", async ({ visit, proxy }) => {
    const gate = proxy.when(/_assets\/.*\.js/).hold();
    const visitor = await visit("/b/dropped");
    const { page } = visitor;
    const rule = proxy.when(/_action\/add$/).hang();
    await visitor.fillIn("New", "Kept");
    await page.getByRole("button", { name: "Add", exact: true }).click({ noWaitAfter: true });
    await rule.taken();
    await reloadAtOnce(visitor);
    gate.release();
    await form(visitor, "Add").getByText("This was not received").waitFor();
    expect(await page.getByLabel("New", { exact: true }).inputValue()).toBe("Kept");
  });

  test("a form that was answered is not asked about", async ({ visit, proxy }) => {
    const gate = proxy.when(/_assets\/.*\.js/).hold();
    const visitor = (await visit("/b/answered")).expecting(/422/);
    const { page } = visitor;
    await page.getByRole("button", { name: "Rename 1", exact: true }).click();
    await page.getByText("A name is needed.").first().waitFor();
    await visitor.fillIn("New", "Normal");
    await page.getByRole("button", { name: "Add", exact: true }).click({ noWaitAfter: true });
    await page.getByText("Normal (0)").waitFor();
    gate.release();
    await canSend(visitor);
    expect(proxy.requestsFor(/_outcome/)).toHaveLength(0);
    expect(proxy.requestsFor(/_action\//)).toHaveLength(2);
  });

  test("forms that were posted one after the other, before the code had loaded, all change the page that follows", async ({
    visit,
    proxy,
  }) => {
    const gate = proxy.when(/_assets\/.*\.js/).hold();
    const visitor = await visit("/b/both");
    proxy.when(/_action\/add$/).holdResponse();
    await visitor.fillIn("Slow", "First");
    await visitor.fillIn("Milliseconds", "8000");
    await visitor.fillIn("New", "Second");
    // In the document itself: Playwright waits with a second click until the first form is answered.
    await visitor.page.evaluate(() => {
      const press = (name: string) =>
        [...document.querySelectorAll("button")].find((button) => button.textContent === name)?.click();
      press("Add slowly");
      setTimeout(press, 500, "Add");
    });
    await expect.poll(() => proxy.requestsFor(/_action\/addSlowly/).length).toBe(1);
    await expect.poll(() => proxy.requestsFor(/_action\/add$/).length).toBe(1);
    await reloadAtOnce(visitor);
    gate.release();
    await expect.poll(() => visitor.requestsFor(/addSlowly\/_outcome/).length).toBeGreaterThan(0);
    await expect.poll(() => listed(visitor)).toEqual(expect.arrayContaining(["First (0)", "Second (0)"]));
  });

  test("a form that was posted twice, with another text, shows the outcome of the second", async ({ visit, proxy }) => {
    const gate = proxy.when(/_assets\/.*\.js/).hold();
    const visitor = await visit("/b/second");
    const { page } = visitor;
    const press = () => page.getByRole("button", { name: "Add slowly" }).click({ noWaitAfter: true });
    await visitor.fillIn("Slow", "First");
    await visitor.fillIn("Milliseconds", "1500");
    await press();
    await expect.poll(() => proxy.requestsFor(/_action\/addSlowly/).length).toBe(1);
    const rule = proxy.when(/_action\/addSlowly$/).hang();
    await visitor.fillIn("Slow", "Second");
    await press();
    await rule.taken();
    await reloadAtOnce(visitor);
    gate.release();
    await form(visitor, "Add slowly").getByText("This was not received").waitFor();
    expect(await page.getByLabel("Slow", { exact: true }).inputValue()).toBe("Second");
    await expect.poll(() => listed(visitor)).toContain("First (0)");
  });
});

describe("where actions live", () => {
  const noted = (visitor: Visitor) => visitor.page.locator("ul > li").allTextContents();

  for (const [how, options] of [
    ["with", {}],
    ["without", withoutJavaScript],
  ] as const) {
    test(`a layout's form keeps the visitor on the page that is shown, ${how} JavaScript`, async ({ visit }) => {
      const desk = `/desk/${how}-layout`;
      const visitor = (await visit(`${desk}?x=1`, options)).expecting(/422/, /404/);
      const alive = async () => (how === "with" ? visitor.isAwake() : undefined);
      await alive();
      await visitor.fillIn("Page note", "typed");
      await visitor.fillIn("Note", "ab");
      await visitor.pressButton("Note it");
      await visitor.page.getByRole("form", { name: "Layout" }).getByText("Three letters, please.").waitFor();
      expect(await visitor.page.getByLabel("Note", { exact: true }).inputValue()).toBe("ab");
      await visitor.fillIn("Note", "first");
      await visitor.pressButton("Note it");
      await visitor.page.getByRole("form", { name: "Layout" }).getByText("Noted first").waitFor();
      await expect.poll(() => noted(visitor)).toEqual(["layout: first"]);
      expect([visitor.address, await visitor.page.getByText("Noted").count()]).toEqual([`${desk}?x=1`, 1]);
      await visitor.fillIn("Page note", "second");
      await visitor.pressButton("Note on page");
      await visitor.page.getByRole("form", { name: "Page" }).getByText("Noted second").waitFor();
      await expect.poll(() => noted(visitor)).toEqual(["layout: first", "page: second"]);

      await visitor.clickLink("Drawer");
      await visitor.sees("Drawer");
      await visitor.fillIn("Note", "third");
      await visitor.pressButton("Note it");
      await visitor.page.getByText("Noted third").waitFor();
      expect(visitor.address).toBe(`${desk}/drawer`);

      await visitor.goTo(`${desk}/nothing`);
      await alive();
      await visitor.fillIn("Note", "fourth");
      await visitor.pressButton("Note it");
      await visitor.page.getByText("Noted fourth").waitFor();
      await expect.poll(async () => (await noted(visitor)).at(-1)).toBe("layout: fourth");
      expect(visitor.address).toBe(`${desk}/nothing`);
      expect(visitor.documentsLoaded).toBe(how === "with" ? 2 : 8);
    });

    test(`a form of another page's action shows its outcome where it is, ${how} JavaScript`, async ({ visit }) => {
      const desk = `/desk/${how}-other`;
      const visitor = (await visit(`${desk}/drawer?x=1`, options)).expecting(/422/);
      if (how === "with") await visitor.isAwake();
      const form = visitor.page.getByRole("form", { name: "Other page" });
      await visitor.fillIn("Other note", "ab");
      await visitor.pressButton("Note on desk");
      await form.getByText("More letters, please.").waitFor();
      expect(await visitor.page.getByLabel("Other note", { exact: true }).inputValue()).toBe("ab");
      await visitor.sees("Drawer");
      await visitor.fillIn("Other note", "first");
      await visitor.pressButton("Note on desk");
      await form.getByText("Desk has first").waitFor();
      await visitor.sees("Drawer");
      expect(visitor.address).toBe(`${desk}/drawer?x=1`);
      await expect.poll(() => noted(visitor)).toEqual(["page: first"]);
      expect(visitor.documentsLoaded).toBe(how === "with" ? 1 : 3);
    });

    test(`a component's own action keeps the visitor on the page, and none of its code is in the browser, ${how} JavaScript`, async ({
      visit,
    }) => {
      const desk = `/desk/${how}-component`;
      const visitor = (await visit(`${desk}/drawer?x=1`, options)).expecting(/422/);
      if (how === "with") await visitor.isAwake();
      const form = visitor.page.getByRole("form", { name: "Component" });
      await visitor.fillIn("Stamp", "ab");
      await visitor.pressButton("Stamp it");
      await form.getByText("A longer stamp, please.").waitFor();
      expect(await visitor.page.getByLabel("Stamp", { exact: true }).inputValue()).toBe("ab");
      await visitor.fillIn("Stamp", "paid");
      await visitor.pressButton("Stamp it");
      await form.getByText("Stamped paid").waitFor();
      expect(visitor.address).toBe(`${desk}/drawer?x=1`);
      await expect.poll(() => noted(visitor)).toEqual(["component: paid"]);
      const files = await visitor.page.evaluate(async () => {
        const names = [...document.documentElement.outerHTML.matchAll(/\/_assets\/[\w.-]+\.js/g)].map(([name]) => name);
        return Promise.all(names.map(async (name) => (await fetch(name)).text()));
      });
      const code = files.join("\n");
      expect(code).toContain("parts/stamp.actions/");
      for (const own of ["ink-of-the-server", "A longer stamp", "stampless", "lickedByHand"])
        expect(code).not.toContain(own);
    });
  }

  test("a form of another page's action that the browser posted before its code came is alive where it is", async ({
    visit,
    proxy,
  }) => {
    // The entry alone: a browser opens six connections at most, and the form needs one.
    const gate = proxy.when(/_assets\/entry.*\.js/).hold();
    const visitor = (await visit("/desk/early/drawer?x=1")).expecting(/422/);
    await visitor.fillIn("Other note", "ab");
    await visitor.page.getByRole("button", { name: "Note on desk" }).click({ noWaitAfter: true });
    await visitor.page.getByText("More letters, please.").waitFor();
    gate.release();
    await visitor.isAwake();
    expect(visitor.address).toBe("/desk/early/drawer?x=1");
    await visitor.fillIn("Other note", "second");
    await visitor.pressButton("Note on desk");
    await visitor.page.getByText("Desk has second").waitFor();
    await expect.poll(() => noted(visitor)).toEqual(["page: second"]);
    expect(visitor.documentsLoaded).toBe(2);
  });
});
