import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/root.js";
import { openTestApp } from "../../src/cli/testing.ts";
import { application } from "../kit/index.ts";

const app = application({
  ".env": "SHOP_NAME=of all modes\n",
  ".env.test": "SHOP_NAME=from the file\n",
  "src/env.server.ts":
    'import { environment } from "holdfast/server";\nexport const env = environment({ SHOP_NAME: "text" });\n',
  "src/pages/index.tsx": "export default ({ data }: { data: { name: string } }) => <h1>{data.name}</h1>;\n",
  "src/pages/index.server.ts":
    'import { load } from "holdfast/server";\nimport { env } from "../env.server.ts";\nexport const data = load("/", () => ({ name: env.SHOP_NAME }));\n',
  "src/pages/broken.tsx": "export default () => <h1>never</h1>;\n",
  "src/pages/broken.server.ts":
    'import { load } from "holdfast/server";\n\nexport const data = load("/broken", (): never => {\n  throw new RangeError("no database");\n});\n',
});

async function open(say: (line: string) => void) {
  const opened = await openTestApp({ root: join(root, app), say });
  onTestFinished(() => opened.close());
  return opened;
}

test("an application in a test has the variables of its .env.test", async () => {
  const { request } = await open(() => undefined);
  expect((await request("/")).text).toContain("from the file");
});

test("an application in a test that responds with 500 explains why, in the terminal and to the test", async () => {
  const said: string[] = [];
  const opened = await open((line) => said.push(line));
  expect((await opened.request("/broken")).status).toBe(500);
  expect(opened.failures).toEqual([
    { name: "RangeError", message: "no database", place: "src/pages/broken.server.ts:4:9" },
  ]);
  expect(said.join("\n")).toContain("✗ RangeError in the load of /broken, on the server");
});
