import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { openReader } from "../../src/service/index.ts";
import { application } from "../kit/application.ts";
import { keepProof } from "../kit/keep-proof.ts";
import { startApp } from "../kit/running-app.ts";

const minutes = 10;
const minuteMs = 60_000;

/** Each run writes a line with its process and its due time. */
const shop = application({
  "src/pages/index.tsx": `export default function Home() { return <h1>Shop</h1>; }`,
  "src/schedules.server.ts": `import { appendFileSync } from "node:fs";
import { schedule } from "holdfast/server";
export const everyMinute = schedule("* * * * *", ({ dueAt }) =>
  appendFileSync(\`\${process.env.HOLDFAST_DATA}/runs.txt\`, \`\${process.pid} \${dueAt.toISOString()}\\n\`));
`,
});

test(
  "a schedule of every minute in three processes runs once a minute",
  async () => {
    const app = await startApp({ app: shop, args: ["--workers", "3"] });
    try {
      // Begins in the middle of a minute, so that the number of due times is certain.
      const now = Date.now();
      const begin = Math.ceil(now / minuteMs) * minuteMs;
      await wait(begin + minutes * minuteMs - minuteMs / 2 - now);
      const lines = readFileSync(join(app.dataFolder, "runs.txt"), "utf8").trim().split("\n");
      const due = lines.map((line) => line.split(" ")[1] ?? "").filter((time) => Date.parse(time) >= begin);
      const expected = Array.from({ length: minutes }, (_, n) => new Date(begin + n * minuteMs).toISOString());
      expect(due).toEqual(expected);
      const reader = await openReader(join(app.dataFolder, "data"));
      const monitors = (await reader.monitors(1)).map(({ name, ok, failed }) => ({ name, ok, failed }));
      reader.close();
      expect(monitors).toEqual([{ name: "every-minute", ok: lines.length, failed: 0 }]);
      const processes = new Set(lines.map((line) => line.split(" ")[0])).size;
      keepProof("schedules", [
        `A schedule of every minute in three processes of one application ran ${due.length} times in ${minutes} minutes,`,
        `each due time once, in ${processes} of the processes. Each run checked in.`,
      ]);
    } finally {
      await app.stop();
    }
  },
  (minutes + 4) * minuteMs,
);
