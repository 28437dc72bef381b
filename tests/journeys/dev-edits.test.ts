import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/root.js";
import { openBrowser } from "../kit/browser.ts";
import { writeFiles } from "../kit/index.ts";
import { keepProof } from "../kit/keep-proof.ts";
import { randomFrom } from "../kit/random-from.ts";

const folder = join(root, "tests/.tmp/dev-edits");
const pages = join(folder, "src/pages");
const dataFolder = join(folder, ".holdfast");

const home = `import { useState } from "react";
export default function Home({ data }: { data: { word: string } }) {
  const [count, setCount] = useState(0);
  return <main><h1>Home</h1><p id="word">{data.word}</p><label>Name<input name="name" /></label><button onClick={() => setCount(count + 1)}>Pressed {count}</button></main>;
}
`;
const homeServer = (word: string): string =>
  `import { load } from "holdfast/server";\nexport const data = load("/", () => ({ word: ${JSON.stringify(word)} }));\n`;

let server: Awaited<ReturnType<typeof started>>;
let browser: Browser;
let said: string[] = [];

beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(pages, { recursive: true });
  writeFiles(folder, {
    "src/pages/_layout.tsx": "export default ({ children }: { children: never }) => <div>{children}</div>;",
    "src/pages/index.tsx": home,
    "src/pages/index.server.ts": homeServer("first"),
    "src/pages/break.server.ts":
      'import { load } from "holdfast/server";\n\nexport const data = load("/break", (): never => {\n  throw new TypeError("no database");\n});\n',
    "src/pages/break.tsx": "export default () => <h1>never</h1>;\n",
    "src/pages/mine.server.ts":
      'import { load } from "holdfast/server";\n\nexport const cache = { fresh: "1m" };\n\nexport const data = load("/mine", ({ cookies }) => cookies.get("theme") ?? "none");\n',
    "src/pages/mine.tsx": 'export default () => <main><h1>Mine</h1><a href="/">To the home page</a></main>;\n',
    "src/pages/day.tsx":
      'const day = new Date("2026-03-01T00:30:00Z");\n\nexport default function Day() {\n  return (\n    <main>\n      <h1>{day.toDateString()}</h1>\n    </main>\n  );\n}\n',
  });
  server = await started();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

/** Starts it as its author does, in a separate process. */
async function started(): Promise<{ url: string; stop(): Promise<void> }> {
  const command = [join(root, "bin/holdfast.js"), "dev", folder, "--port", "0", "--host", "127.0.0.1"];
  const child = spawn(process.execPath, command, {
    cwd: root,
    env: { ...process.env, HOLDFAST_DATA: dataFolder, NODE_ENV: "" },
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => said.push(...text.trimEnd().split("\n")));
  let printed = "";
  for await (const text of child.stdout.iterator({ destroyOnReturn: false })) {
    printed += text;
    const url = /Pages\s+(http\S+)\//.exec(printed)?.[1];
    if (!url) continue;
    child.stdout.resume();
    return {
      url,
      stop: async () => {
        const gone = once(child, "exit");
        child.kill("SIGTERM");
        await gone;
      },
    };
  }
  throw new Error(`The server ended without an address: ${printed} ${said.join("\n")}`);
}

/** A file watcher treats two quick writes of one file as one change. */
async function edit(change: () => void): Promise<void> {
  await wait(150);
  said = [];
  change();
}

/**
 * Saves as editors do: empties the file and writes it a moment later. The pause is long enough for the empty file to be
 * seen.
 */
async function saveInTwoSteps(file: string, text: string): Promise<void> {
  await wait(150);
  said = [];
  const opened = openSync(file, "w");
  await wait(60);
  writeSync(opened, text);
  closeSync(opened);
}

async function open(path: string): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    // Chromium requests an icon by itself.
    if (message.type() === "error" && !message.location().url.endsWith("/favicon.ico")) problems.push(message.text());
  });
  await page.goto(server.url + path);
  return { page, problems };
}

/** Whether an address is that of the socket by which Vite notifies pages. */
const isOfVitesClient = ({ searchParams }: URL): boolean => searchParams.has("token");

function overlay(page: Page, id = "holdfast-failure"): Promise<string> {
  return page
    .locator(`#${id}`)
    .evaluateAll(([host]) => host?.shadowRoot?.textContent ?? "")
    .catch(() => "");
}

/** Line numbers of the excerpt that are visible, each in its own row. */
function linesSeen(page: Page): Promise<number[]> {
  return page.locator("#holdfast-failure").evaluate((host) => {
    const excerpt = host.shadowRoot?.querySelector("figure pre");
    const frame = excerpt?.getBoundingClientRect();
    let above = Number.NEGATIVE_INFINITY;
    return [...(excerpt?.querySelectorAll(".number") ?? [])].flatMap((number) => {
      const { top, left } = number.getBoundingClientRect();
      const isSeen = frame !== undefined && left < frame.right && top > above;
      above = top;
      return isSeen ? [Number(number.textContent)] : [];
    });
  });
}

async function alive(page: Page): Promise<void> {
  await page.locator("html[data-holdfast=alive]").waitFor();
}

describe("while an application is being written", () => {
  test("a page keeps its input and its state while its code and its data change", async () => {
    const { page, problems } = await open("/");
    await alive(page);
    await page.getByLabel("Name").fill("Ada");
    await page.getByRole("button").click();
    await edit(() => writeFileSync(join(pages, "index.tsx"), home.replace("<h1>Home</h1>", "<h1>Changed</h1>")));
    await page.getByRole("heading", { name: "Changed" }).waitFor();
    await edit(() => writeFileSync(join(pages, "index.server.ts"), homeServer("second")));
    await page.getByText("second").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Ada");
    expect(await page.getByRole("button").textContent()).toBe("Pressed 1");
    expect(problems.join("\n")).toBe("");

    await edit(() => writeFileSync(join(pages, "index.tsx"), home.replace("</main>", "</main")));
    await expect.poll(() => overlay(page)).toContain("This file cannot be compiled");
    expect(await overlay(page)).toContain("src/pages/index.tsx:4");
    await edit(() => writeFileSync(join(pages, "index.tsx"), home));
    await expect.poll(() => overlay(page)).toBe("");
    await page.getByRole("heading", { name: "Home" }).waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Ada");
    await page.close();
  });

  test("an error is shown with its line, its route and its event; five lines are logged; a restart keeps the event", async () => {
    said = [];
    const { page } = await open("/break");
    await expect.poll(() => overlay(page)).toContain("no database");
    const shown = await overlay(page);
    for (const part of ["/break", "src/pages/break.server.ts:4:9", "Open in editor", "Stack on the server"])
      expect(shown).toContain(part);
    expect(said).toHaveLength(5);
    const address = said[4]?.trim() ?? "";
    expect(shown).toContain(address.split("/").at(-1));
    expect(await linesSeen(page)).toEqual([1, 2, 3, 4, 5, 6]);

    await server.stop();
    server = await started();
    await page.goto(server.url + new URL(address).pathname);
    await page.getByText("no database").first().waitFor();
    await page.close();
  });

  test("a page that is not cached says why, on the page and in the terminal, as long as it is on screen", async () => {
    said = [];
    const { page } = await open("/mine");
    const why = "cookies.theme was read at src/pages/mine.server.ts:5";
    const note = page.locator("#holdfast-cache-note");
    await expect.poll(() => overlay(page, "holdfast-cache-note")).toContain(`Not cached: ${why}`);
    expect(said.filter((line) => line.startsWith(`/mine is not cached: ${why}`))).toHaveLength(1);
    await alive(page);
    await page.getByRole("link").click();
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await expect.poll(() => note.count()).toBe(0);
    await page.goBack();
    await page.getByRole("heading", { name: "Mine" }).waitFor();
    await expect.poll(() => note.count()).toBe(1);
    await note.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => note.count()).toBe(0);
    await page.close();
  });

  test("an error in the browser is shown at its place in the sources, and disappears with its cause", async () => {
    writeFileSync(
      join(pages, "press.tsx"),
      'export default function Press() {\n  const press = () => {\n    throw new RangeError("pressed too hard");\n  };\n  return <button onClick={press}>Press</button>;\n}\n',
    );
    await expect.poll(async () => (await fetch(`${server.url}/press`)).status).toBe(200);
    const { page } = await open("/press");
    await alive(page);
    await page.getByRole("button").click();
    await expect.poll(() => overlay(page)).toContain("src/pages/press.tsx:3:11");
    expect(await overlay(page)).toContain("in the browser");
    // The page shows no digest, but the overlay links to this event.
    const address = (): Promise<string | null | undefined> =>
      page
        .locator("#holdfast-failure")
        .evaluateAll(([host]) => host?.shadowRoot?.querySelector("footer a")?.getAttribute("href"));
    await expect.poll(address).toMatch(/\/_holdfast\/d\/[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/);
    const event = await browser.newPage();
    await expect
      .poll(async () => {
        await event.goto((await address()) ?? "");
        return event.locator("h1").textContent();
      })
      .toContain("pressed too hard");
    await event.close();
    await edit(() =>
      writeFileSync(
        join(pages, "press.tsx"),
        "export default function Press() {\n  return <button>Harmless</button>;\n}\n",
      ),
    );
    await page.getByRole("button", { name: "Harmless" }).waitFor();
    await expect.poll(() => overlay(page)).toBe("");
    rmSync(join(pages, "press.tsx"));
    await page.close();
  });

  test("a file that is emptied before it is written again costs neither the page nor its input", async () => {
    const { page, problems } = await open("/");
    await page.locator("html[data-holdfast=alive]").waitFor();
    let documents = 0;
    page.on("request", (request) => {
      if (request.isNavigationRequest()) documents += 1;
    });
    await page.getByLabel("Name").fill("kept");
    for (const word of ["once", "twice", "thrice"]) {
      await saveInTwoSteps(join(pages, "index.tsx"), home.replace("Home</h1>", `Home ${word}</h1>`));
      await page.getByRole("heading", { name: `Home ${word}` }).waitFor();
      await saveInTwoSteps(join(pages, "index.server.ts"), homeServer(word));
      await page.locator("#word", { hasText: word }).waitFor();
      expect(said).toEqual([]);
    }
    expect(await page.getByLabel("Name").inputValue()).toBe("kept");
    expect(documents).toBe(0);
    expect(problems.join("\n")).toBe("");

    const broken = "export default function Home() { return <main>";
    await saveInTwoSteps(join(pages, "index.tsx"), broken);
    await expect.poll(() => overlay(page)).toContain("cannot be compiled");
    await saveInTwoSteps(join(pages, "index.tsx"), home);
    await expect.poll(() => overlay(page)).toBe("");
    expect(await page.getByLabel("Name").inputValue()).toBe("kept");
    await saveInTwoSteps(join(pages, "index.server.ts"), homeServer("first"));
    await page.locator("#word", { hasText: "first" }).waitFor();
    await page.close();
  });

  test("a hydration error is one sentence, with the line of the element", async () => {
    said = [];
    const page = await browser.newPage({ timezoneId: "America/New_York" });
    await page.goto(`${server.url}/day`);
    const headline = page.locator("#holdfast-failure h1");
    await headline.waitFor();
    expect(await headline.textContent()).toBe(
      "The server rendered “Sun Mar 01 2026”, and the browser “Sat Feb 28 2026”.",
    );
    expect(await page.locator("#holdfast-failure figcaption code").textContent()).toBe("src/pages/day.tsx:6:7");
    expect(await linesSeen(page)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await page.locator("#holdfast-failure details").first().textContent()).toContain("Date formatting");
    await expect
      .poll(() => said)
      .toEqual([
        "✗ Error while hydrating /day, in the browser",
        "  The server rendered “Sun Mar 01 2026”, and the browser “Sat Feb 28 2026”.",
        "  src/pages/day.tsx:6:7",
        "  6 | <h1>{day.toDateString()}</h1>",
        expect.stringContaining("/_holdfast/d/"),
      ]);
    await page.close();
  });

  test("a style that production refuses is refused in development too, with a message; stylesheets change in place", async () => {
    writeFiles(folder, {
      "src/styled.css": "#sheet { color: rgb(1, 2, 3) }",
      "src/pages/styled.tsx": `import { useEffect } from "react";
import "../styled.css";
export default function Styled() {
  useEffect(() => {
    const style = document.createElement("style");
    style.nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
    style.textContent = "#script { color: rgb(4, 5, 6) }";
    document.head.append(style);
  }, []);
  return <main><p id="sheet">a</p><p id="script">b</p><p id="attribute" style={{ color: "rgb(7, 8, 9)" }}>c</p></main>;
}
`,
    });
    await expect.poll(async () => (await fetch(`${server.url}/styled`)).status).toBe(200);
    said = [];
    const { page } = await open("/styled");
    await alive(page);
    const colour = (id: string): Promise<string> =>
      page.locator(`#${id}`).evaluate((element) => getComputedStyle(element).color);
    await expect
      .poll(() => said.join("\n"))
      .toContain("The content security policy refused a style written by a script on /styled");
    expect([await colour("sheet"), await colour("script"), await colour("attribute")]).toEqual([
      "rgb(1, 2, 3)",
      "rgb(0, 0, 0)",
      "rgb(7, 8, 9)",
    ]);
    // Once for the script, and not for output of Vite's own client.
    expect(said.filter((line) => line.includes("content security policy"))).toHaveLength(1);
    expect(said.join("\n")).not.toContain("@vite/client");
    await edit(() => writeFileSync(join(folder, "src/styled.css"), "#sheet { color: rgb(3, 2, 1) }"));
    await expect.poll(() => colour("sheet")).toBe("rgb(3, 2, 1)");
    // By the style element of Vite's client, which its nonce allows.
    await page.locator('link[href*="styled.css"]').evaluateAll((links) => links.forEach((link) => void link.remove()));
    expect(await colour("sheet")).toBe("rgb(3, 2, 1)");
    rmSync(join(pages, "styled.tsx"));
    await page.close();
  });

  test("a page that was connected too late to hear of a change shows it, however slow the connection is", async () => {
    const file = join(pages, "late.tsx");
    const write = (word: string): void => writeFileSync(file, `export default () => <h1>${word}</h1>;\n`);
    write("before");
    const answered = async (): Promise<string> => (await fetch(`${server.url}/late`)).text();
    await expect.poll(answered).toContain("before");
    // Without any connected page, Vite keeps the notification for the next one.
    const { page: connected } = await open("/day");
    await alive(connected);
    const page = await browser.newPage();
    const isConnected = Promise.withResolvers<void>();
    const mayConnect = Promise.withResolvers<void>();
    await page.routeWebSocket(isOfVitesClient, (socket) => {
      const early: (string | Buffer)[] = [];
      socket.onMessage((message) => void early.push(message));
      isConnected.resolve();
      void mayConnect.promise.then(() => {
        const toServer = socket.connectToServer();
        for (const message of early) toServer.send(message);
        socket.onMessage((message) => toServer.send(message));
      });
    });
    const openedAt = performance.now();
    await page.goto(`${server.url}/late`);
    await isConnected.promise;
    await alive(page);
    await edit(() => write("after"));
    await expect.poll(answered).toContain("after");
    expect(await page.locator("h1").textContent()).toBe("before");
    // Longer than all that was before it, which is what the page says of itself.
    await wait(performance.now() - openedAt + 1_000);
    mayConnect.resolve();
    await page.getByRole("heading", { name: "after" }).waitFor();
    await Promise.all([page.close(), connected.close()]);
    rmSync(file);
  });

  test("a page whose code arrives between the two messages of a change shows the change", async () => {
    const file = join(pages, "late.tsx");
    const write = (word: string): void =>
      writeFileSync(file, `export default function Late() {\n  return <h1>${word}</h1>;\n}\n`);
    write("before");
    await expect.poll(async () => (await fetch(`${server.url}/late`)).status).toBe(200);
    // Of a module that it has analyzed, Vite sends updates, and else full reloads.
    const { page: first } = await open("/late");
    await alive(first);
    await first.close();
    const page = await browser.newPage();
    const codeHeld = Promise.withResolvers<void>();
    const maySendCode = Promise.withResolvers<void>();
    await page.route(
      /late\.tsx/,
      async (route) => {
        const response = await route.fetch();
        codeHeld.resolve();
        await maySendCode.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    const updateIgnored = Promise.withResolvers<void>();
    const isAlive = Promise.withResolvers<void>();
    await page.routeWebSocket(isOfVitesClient, (socket) => {
      const toServer = socket.connectToServer();
      toServer.onMessage(async (message) => {
        if (String(message).includes("holdfast:changed")) await isAlive.promise;
        socket.send(message);
        if (String(message).includes('"type":"update"')) updateIgnored.resolve();
      });
    });
    await page.goto(`${server.url}/late`);
    await codeHeld.promise;
    await edit(() => write("after"));
    await updateIgnored.promise;
    maySendCode.resolve();
    await alive(page);
    isAlive.resolve();
    await page.getByRole("heading", { name: "after" }).waitFor();
    await page.close();
    rmSync(file);
  });

  // One of each kind on average. Each run has another seed, so that many runs try every order.
  const [rounds, edits] = process.env.HOLDFAST_TEST_LONG === undefined ? [1, 6] : [6, 50];
  test(`${rounds * edits} random edits leave server and browser consistent with the files`, {
    timeout: 600_000,
  }, async () => {
    const given = Number(process.env.HOLDFAST_EDIT_SEED ?? Date.now() % 100_000);
    const seeds = Array.from({ length: rounds }, (_, round) => given + round);
    console.log(`HOLDFAST_EDIT_SEED=${given}`);
    const kinds = new Map<string, number>();
    for (const seed of seeds) for (const kind of await editAtRandom(seed)) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    const counted = [...kinds].map(([kind, times]) => `${times} × ${kind}`).join(", ");
    const proof = [
      `${rounds} rounds of ${edits} random edits in a row against one development server, with a browser looking on: ${counted}.`,
      "",
      "After each edit every page that is known answered as its file says (200 with its words, 404 when it is gone, 500 while it cannot be compiled), and the browser showed the same without a reload by hand: the page, the page for what is not found, or the file and line that cannot be compiled.",
    ];
    keepProof("random-edits", proof, seeds.join(", "));
  });

  /**
   * Changes, breaks, fixes, adds, deletes and renames pages. Server and browser must agree with the files after each.
   * Returns the steps.
   */
  async function editAtRandom(seed: number): Promise<string[]> {
    const done: string[] = [];
    const random = randomFrom(seed);
    /** Expected heading of each page. `undefined` if its file cannot be compiled. */
    const expected = new Map<string, string | undefined>([["/p0", "page 0"]]);
    const fileOf = (path: string): string => join(pages, `${path.slice(1)}.tsx`);
    const write = (path: string, heading: string | undefined): void => {
      expected.set(path, heading);
      writeFileSync(fileOf(path), `export default () => <h1>${heading ?? "broken"}</h1${heading ? ">" : ""};\n`);
    };
    write("/p0", "page 0");
    await expect.poll(async () => (await fetch(`${server.url}/p0`)).status).toBe(200);
    const { page } = await open("/p0");
    await alive(page);

    for (let turn = 1; turn <= edits; turn++) {
      const paths = [...expected.keys()];
      const path = paths[Math.floor(random() * paths.length)] ?? "/p0";
      const drawn = kindsOfEdit[Math.floor(random() * kindsOfEdit.length)] ?? "change";
      // The last page stays.
      const kind = drawn === "delete" && paths.length === 1 ? "rename" : drawn;
      await edit(() => {
        if (kind === "change" || kind === "mend") write(path, `${kind}d ${turn}`);
        else if (kind === "break") write(path, undefined);
        else if (kind === "add") write(`/p${turn}`, `added ${turn}`);
        else if (kind === "delete") {
          expected.delete(path);
          rmSync(fileOf(path));
        } else {
          expected.set(`/p${turn}`, expected.get(path));
          expected.delete(path);
          renameSync(fileOf(path), fileOf(`/p${turn}`));
        }
      });
      done.push(kind);
      const about = `edit ${turn} of seed ${seed}: ${kind} ${path}`;
      for (const known of new Set([...paths, ...expected.keys()])) {
        const heading = expected.get(known);
        const status = !expected.has(known) ? 404 : heading === undefined ? 500 : 200;
        const answered = async (): Promise<string> => {
          const answer = await fetch(server.url + known);
          return `${answer.status} ${await answer.text()}`;
        };
        await expect.poll(answered, { message: about }).toMatch(new RegExp(`^${status} .*${heading ?? ""}`, "s"));
      }
      await agrees(page, expected, about);
      if (random() < 0.3) await page.goto(`${server.url}${[...expected.keys()][0]}`).catch(() => undefined);
    }
    for (const path of expected.keys()) rmSync(fileOf(path));
    await page.close();
    return done;
  }

  /**
   * Checks that the browser shows the file of its page: its heading, the overlay of the error, or that there is no such
   * page.
   */
  async function agrees(page: Page, expected: ReadonlyMap<string, string | undefined>, about: string): Promise<void> {
    const path = new URL(page.url()).pathname;
    const heading = expected.get(path);
    const words = expected.has(path) ? (heading ?? "This file cannot be compiled") : "not found";
    const shown = async (): Promise<string> =>
      (await page.locator("body").allInnerTexts()).join() + (await overlay(page));
    await expect.poll(() => shown().catch(() => ""), { message: about }).toContain(words);
    if (heading === undefined) return;
    // Errors of another file may be shown too, but none of this page's own.
    const file = `src/pages/${path.slice(1)}.tsx`;
    await expect.poll(() => overlay(page), { message: about }).not.toContain(file);
  }
});

const kindsOfEdit = ["change", "break", "mend", "add", "delete", "rename"] as const;
