import { globSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { writeFiles } from "../kit/application.ts";
import { openBrowser } from "../kit/browser.ts";
import { type InstalledApp, installedApp, runOnNewMachine, sayHowLong } from "./installed-app.ts";

describe("the starter, from two packed files and npm alone", () => {
  test("has at most 70 packages of 120 MB", () => {
    const modules = join(inject("newMachine").app, "node_modules");
    const lock: { packages: object } = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8"));
    const packages = Object.keys(lock.packages).length;
    const megabytes = sizeOf(modules) / 1_000_000;
    console.log(`${packages} packages, ${megabytes.toFixed(0)} MB`);
    expect(packages).toBeLessThanOrEqual(70);
    expect(megabytes).toBeLessThanOrEqual(120);
  });

  test("is developed, broken, checked, tested, built without a warning, and started", {
    timeout: 240_000,
  }, async () => {
    const app = installedApp("written", true);
    await develop(app);
    await app.npm(["run", "check"]);
    expect((await app.npm(["test"])).stdout).toMatch(/4 passed/);
    expect(await testWithPlugin(app)).toMatch(/2 passed/);
    const built = await app.npm(["run", "build"]);
    expect(built.stdout).toContain("/notes/[id]");
    expect(built.stderr).toBe("");

    const url = await app.serve("start");
    const home = await fetch(url);
    expect(home.status).toBe(200);
    expect(await home.text()).toContain("A new note");
    expect((await fetch(`${url}/nowhere`)).status).toBe(404);
    const broken = await fetch(`${url}/break`);
    expect(broken.status).toBe(500);
    const page = await broken.text();
    expect(page).toMatch(/class="digest">[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}</);
    expect(page).not.toContain("on purpose");
  });

  test("the starter with every extra is built without a warning, and generates styles from its own files only", async () => {
    const { folder, framework } = inject("newMachine");
    const [create = ""] = globSync("home/.npm/_npx/*/node_modules/create-holdfast/create.js", { cwd: folder });
    const args = ["every-extra", "--yes", "--sqlite", "--tailwind", "--docker", "--holdfast", framework.file];
    await runOnNewMachine(process.execPath, [join(folder, create), ...args]);
    const app = join(folder, "every-extra");
    // Without the file, as in a subfolder of a repository or in a container image.
    rmSync(join(app, ".gitignore"));
    await runOnNewMachine("npm", ["run", "check"], app);
    writeFileSync(join(app, ".holdfast/written-by-a-visitor.html"), '<p class="bg-[#123456]">');
    expect((await runOnNewMachine("npm", ["run", "build"], app)).stderr).toBe("");
    const styles = globSync("dist/browser/_assets/*.css", { cwd: app }).map((file) =>
      readFileSync(join(app, file), "utf8"),
    );
    expect(styles.join()).toContain("max-w-\\[720px\\]");
    expect(styles.join()).not.toContain("123456");
  });
});

/**
 * Runs a page's tests with the plugin in `vite.config.ts`, which knows imports of images: as in Node, and as in a
 * document, where Vite takes a test for code of a browser.
 */
async function testWithPlugin(app: InstalledApp): Promise<string> {
  const pageTest = `import { readFileSync } from "node:fs";
import { Image } from "holdfast";
import { renderPage } from "holdfast/testing";
import { expect, test } from "vitest";
import dot from "../src/dot.svg?image";
test("the page has its image", async () => {
  expect(readFileSync("src/dot.svg", "utf8")).toContain("svg");
  const page = renderPage("/notes/[id]", <Image src={dot} alt="A dot" />, { data: {}, params: { id: "1" } } as never);
  expect(await page.html()).toContain('width="30" height="20"');
});
`;
  const added = {
    "vite.config.ts": 'import { holdfast } from "holdfast/vite";\nexport default { plugins: [holdfast()] };\n',
    "src/dot.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"/>',
    "tests/as-document.ts":
      'export default { name: "document", viteEnvironment: "client", setup: () => ({ teardown() {} }) };\n',
    "tests/page-in-node.test.tsx": pageTest,
    "tests/page-in-document.test.tsx": `// @vitest-environment ./tests/as-document.ts\n${pageTest}`,
  };
  writeFiles(app.folder, added);
  const { stdout } = await app.npm(["test", "--", "--config", "vite.config.ts", "tests/page-in"]);
  for (const path of Object.keys(added)) rmSync(join(app.folder, path));
  return stdout;
}

/** Edits, breaks and inspects the application in a real browser, as in the first minutes with it. */
async function develop(app: InstalledApp): Promise<void> {
  const url = await app.serve("dev");
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const begun = performance.now();
  await page.goto(url);
  await page.locator("html[data-holdfast=alive]").waitFor();
  sayHowLong("the first page alive", begun);
  await page.getByLabel("Title").fill("half written");
  const file = join(app.folder, "src/pages/index.tsx");
  const before = readFileSync(file, "utf8");
  const edited = performance.now();
  writeFileSync(file, before.replace("<h1>Notes</h1>", "<h1>My notes</h1>"));
  await page.getByRole("heading", { name: "My notes" }).waitFor();
  sayHowLong("an edit on the screen", edited);
  expect(await page.getByLabel("Title").inputValue()).toBe("half written");
  writeFileSync(file, before);

  await page.getByRole("link", { name: "Break something" }).click();
  await page.locator("#holdfast-failure").getByText("This page breaks on purpose.").first().waitFor();
  await page.locator("#holdfast-failure").getByText("src/pages/break.server.ts:5:9").first().waitFor();
  const event = await page.locator("#holdfast-failure footer a").getAttribute("href");
  await page.goto(event ?? "");
  await page.getByText("This page breaks on purpose.").first().waitFor();
  await browser.close();
}

function sizeOf(folder: string): number {
  return globSync("**/*", { cwd: folder }).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}
