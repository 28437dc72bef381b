import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/root.js";

test("`npm start` serves the tour at the printed address, keeps its data in the given folder, and ends with npm", async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "holdfast-start-"));
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  const npm = spawn("npm", ["start"], {
    cwd: root,
    env: { ...process.env, NODE_ENV: undefined, PORT: "0", HOST: "127.0.0.1", HOLDFAST_DATA: dataFolder },
    shell: process.platform === "win32",
  });
  onTestFinished(() => void npm.kill());

  const url = await saidBy(npm.stdout, /http:\/\/127\.0\.0\.1:\d+/);
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain("Holdfast");

  expect(readdirSync(dataFolder)).not.toEqual([]);

  npm.kill("SIGTERM");
  await expect
    .poll(
      () =>
        fetch(url).then(
          () => "still there",
          () => "gone",
        ),
      { timeout: 10_000 },
    )
    .toBe("gone");
});

async function saidBy(output: AsyncIterable<Buffer>, pattern: RegExp): Promise<string> {
  let said = "";
  for await (const text of output) {
    said += text;
    const found = pattern.exec(said)?.[0];
    if (found) return found;
  }
  throw new Error(`It ended without saying ${pattern}: ${said}`);
}
