import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { writeFiles } from "../kit/application.ts";
import { openBrowser } from "../kit/browser.ts";
import { type InstalledApp, installedApp } from "./installed-app.ts";

/** Server code that uses every public entry point. Three of them send events; `holdfast/service` finds them. */
const files = {
  "src/pages/entries.server.ts": `
    import { digestOf, envelopeUrl, jsonItem, newEventId, writeEnvelope } from "holdfast/protocol";
    import { captureError, captureMessage } from "holdfast/report";
    import { load } from "holdfast/server";
    import { consoleApi } from "holdfast/service";
    import { openTestApp } from "holdfast/testing";
    import { holdfast } from "holdfast/vite";

    /** Like a program that sends reports itself. */
    async function sent(host: string): Promise<string> {
      const [project] = consoleApi().projects();
      const eventId = newEventId();
      const [name = "", port] = host.split(":");
      const dsn = { protocol: "http", publicKey: project?.publicKey ?? "", host: name, port: Number(port), path: "/_holdfast", project: "1" } as const;
      const envelope = writeEnvelope({ eventId }, [jsonItem("event", { event_id: eventId, message: "written by hand", platform: "other" })]);
      const headers = { "x-sentry-auth": \`Sentry sentry_version=7, sentry_key=\${project?.publicKey}\` };
      const answer = await fetch(envelopeUrl(dsn), { method: "POST", body: Buffer.from(envelope), headers });
      if (!answer.ok) throw new Error(\`answered \${answer.status}\`);
      return digestOf(eventId);
    }

    export const data = load("/entries", async ({ url }) => ({
      entries: [typeof openTestApp, typeof holdfast],
      message: captureMessage("through the report entry point", "warning"),
      error: captureError(new Error("handled by the application")),
      sent: await sent(url.host),
    }));`,
  "src/pages/entries.tsx": `
    import { href } from "holdfast";
    import { captureMessage } from "holdfast/report";
    import { useEffect, useState } from "react";

    export default function Entries({ data }: PageProps<"/entries">) {
      const [browser, setBrowser] = useState<string>();
      useEffect(() => setBrowser(captureMessage("in the browser")), []);
      return (
        <main>
          <h1>{data.entries.join(" and ")}</h1>
          <a href={href("/")}>Home</a>
          <ul>
            {[data.message, data.error, data.sent, browser].map((digest) => digest && <li key={digest}>{digest}</li>)}
          </ul>
        </main>
      );
    }`,
  "src/pages/title-of/[digest].server.ts": `
    import { notFound, type RequestContext } from "holdfast/server";
    import { consoleApi } from "holdfast/service";

    export async function GET(_request: Request, { params }: RequestContext<"/title-of/[digest]">): Promise<Response> {
      const found = await consoleApi().event(1, params.digest);
      return new Response(found?.issue.title ?? notFound());
    }`,
  "src/pages/told.server.ts": `
    import { captureMessage } from "holdfast/report";
    import { load } from "holdfast/server";

    export const data = load("/told", (): { never: true } => {
      captureMessage("about to break");
      throw new Error("broken after a report");
    });`,
  "src/pages/told.tsx": "export default () => <h1>Never shown</h1>;",
  "src/mounted.ts": `
    import { openApplication } from "holdfast/mount";

    const holdfast = await openApplication();
    const { status } = await holdfast.fetch(new Request("http://localhost/"));
    console.log(status, await holdfast.close());`,
  "tests/page.test.tsx": `
    import { renderPage } from "holdfast/testing";
    import { expect, test } from "vitest";
    import Entries from "../src/pages/entries.tsx";

    test("a page is shown without its server", async () => {
      const page = renderPage("/entries", Entries, {
        data: { entries: ["string", "object"], message: "1", error: "2", sent: "3" },
      });
      expect(await page.html()).toContain("<h1>string and object</h1>");
    });`,
  "tests/entries.test.ts": `
    import { openTestApp } from "holdfast/testing";
    import { afterAll, expect, test, vi } from "vitest";

    vi.setConfig({ testTimeout: 60_000, expect: { poll: { timeout: 15_000 } } });
    const app = await openTestApp();
    afterAll(() => app.close());

    test("every entry point leads to the service of the test application", async () => {
      const { status, text } = await app.request("/entries");
      expect(status).toBe(200);
      const digests = [...text.matchAll(/<li>([^<]+)/g)].map(([, digest]) => digest);
      const titles = async () => Promise.all(digests.map(async (digest) => (await app.request(\`/title-of/\${digest}\`)).text));
      await expect.poll(titles).toEqual(["through the report entry point", "handled by the application", "written by hand"]);
    });`,
};

const titles = ["through the report entry point", "handled by the application", "written by hand", "in the browser"];

let app: InstalledApp;

beforeAll(() => {
  app = installedApp("entries", true);
  writeFiles(app.folder, files);
});

describe("an installed application that uses every public entry point", () => {
  test("finds its reports during development", async () => {
    await findsItsReports(await app.serve("dev"));
  });

  test("finds its reports when it is built and started", async () => {
    expect((await app.npm(["run", "build"])).stderr).toBe("");
    await findsItsReports(await app.serve("start"));
  });

  test("runs inside of another program", async () => {
    expect((await app.node(["src/mounted.ts"])).stdout).toBe("200 finished\n");
  });

  test("finds its reports in its own tests", async () => {
    expect((await app.npm(["test"])).stdout).toMatch(/6 passed/);
  });

  test("fails as before when a request is reproduced", async () => {
    const url = await app.serve("start");
    const page = await (await fetch(`${url}/told`)).text();
    const digest = /class="digest">([^<]+)/.exec(page)?.[1] ?? "";
    await expect.poll(() => titleOf(url, digest)).toBe("broken after a report");
    const { stdout, status } = await app.holdfast(["reproduce", digest, "--data", join(app.folder, ".holdfast")]);
    expect(stdout).toContain("Still fails:");
    expect(stdout).toContain("src/pages/told.server.ts:7");
    expect(status).toBe(1);
  });

  test("has correct types", async () => {
    await app.npm(["run", "check"]);
  });
});

async function findsItsReports(url: string): Promise<void> {
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`${url}/entries`);
  await page
    .getByRole("listitem")
    .nth(titles.length - 1)
    .waitFor();
  const digests = await page.getByRole("listitem").allTextContents();
  await expect.poll(() => Promise.all(digests.map((digest) => titleOf(url, digest)))).toEqual(titles);
  await browser.close();
}

async function titleOf(url: string, digest: string): Promise<string> {
  return (await fetch(`${url}/title-of/${digest}`)).text();
}
