import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { jsonItem, writeEnvelope } from "#protocol";
import { keepProof } from "../kit/keep-proof.ts";
import { dataFolder, RunningService } from "./running-service.ts";

const isLong = process.env.HOLDFAST_TEST_LONG !== undefined;
const issues = isLong ? 100_000 : 2_000;
/** In the long run as many as a busy site could have; in the short one as fast as possible. */
const perSecond = isLong ? 150 : Number.POSITIVE_INFINITY;
/** Memory of the service under five times its load, and its limit for any number of issues. */
const mostMiB = 320;

describe("a service with very many different issues", () => {
  it(
    `holds at most ${mostMiB} MiB while ${issues} come in and while every event is read back`,
    async () => {
      using folder = dataFolder();
      await using service = await RunningService.start(folder.path, {
        built: true,
        env: { HOLDFAST_NEW_ISSUES_PER_HOUR: String(issues) },
      });
      const figures: string[] = [];
      const note = (what: string): void => {
        figures.push(`| ${what} | ${service.residentMiB().toFixed(0)} | ${service.peakMiB().toFixed(0)} |`);
      };
      note("at the start");

      await inTurns(issues, 8, perSecond, async (n) => {
        await service.deliver(envelopeOf(n));
        if (n % (issues / 10) === 0 && n > 0) note(`${n} issues sent`);
      });
      await service.filed();
      note(`${issues} issues filed`);

      const cookie = await service.signIn();
      const read = async (path: string): Promise<string> => {
        const answer = await service.get(path, { cookie });
        if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
        return answer.text;
      };
      await inTurns(issues, 4, Number.POSITIVE_INFINITY, async (n) => {
        const text = await read(`/_holdfast/1/event/${eventIdOf(n)}.json`);
        if (!text.includes(placeOf(n))) throw new Error(`Event ${n} is not what was sent: ${text.slice(0, 500)}`);
        if (n % (issues / 4) === 0 && n > 0) note(`${n} events read back`);
      });
      note("every event read back");
      await inTurns(200, 2, Number.POSITIVE_INFINITY, async (n) => {
        await read(`/_holdfast/1/issues/${1 + n}`);
        await read(`/_holdfast/1/issues?filter=${placeOf(n * 7)}`);
      });
      note("200 issues and 200 searches shown");

      expect(service.peakMiB()).toBeLessThan(mostMiB);
      keepProof("many-issues", [
        `${issues} different issues at ${perSecond} a second, then every event by its id, then pages and searches of the console:`,
        `never more than ${service.peakMiB().toFixed(0)} MiB (wanted: ${mostMiB}).`,
        "",
        "| after | MiB held | most so far |",
        "|---|---|---|",
        ...figures,
      ]);
    },
    isLong ? 3_600_000 : 300_000,
  );
});

/** Runs a task for each number, some at a time, and at most this many per second. */
async function inTurns(
  count: number,
  atOnce: number,
  mostPerSecond: number,
  work: (n: number) => Promise<void>,
): Promise<void> {
  const began = performance.now();
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < count) {
      const n = next;
      next += 1;
      const early = began + (n * 1_000) / mostPerSecond - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      await work(n);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

function eventIdOf(n: number): string {
  return createHash("md5").update(`event ${n}`).digest("hex");
}

/** A function name that only this issue has. */
function placeOf(n: number): string {
  return `load${createHash("md5")
    .update(`place ${n}`)
    .digest("base64url")
    .replace(/[^a-z]/gi, "x")}`;
}

/** From one to about 20 KB, and one in a hundred with a text that is shown only in part. */
function envelopeOf(n: number): Uint8Array {
  const eventId = eventIdOf(n);
  const line = createHash("sha512").update(`line ${n}`).digest("hex");
  const frame = (at: number) => ({
    filename: `/srv/app/src/${line.slice(at, at + 8)}.js`,
    function: at === 0 ? placeOf(n) : `call${line.slice(at + 20, at + 40)}`,
    lineno: 1 + at,
    in_app: true,
    context_line: `  return ${line};`,
  });
  const event = {
    event_id: eventId,
    timestamp: Date.now() / 1_000,
    platform: "node",
    release: `shop@1.${n % 20}.0`,
    environment: n % 5 === 0 ? "staging" : "production",
    transaction: `/orders/${line.slice(0, 4)}`,
    user: { id: `visitor ${n % 5_000}` },
    tags: { order: `${line.slice(0, 40)}${n % 100 === 0 ? "more".repeat(50_000) : ""}`, region: `r${n % 9}` },
    exception: {
      values: [
        {
          type: "Error",
          value: `Order ${line.slice(0, 30)} cannot be loaded`,
          stacktrace: { frames: Array.from({ length: 1 + (n % 60) }, (_, at) => frame(at)).reverse() },
        },
      ],
    },
  };
  return writeEnvelope({ eventId }, [jsonItem("event", event)]);
}
