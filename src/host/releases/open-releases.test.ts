import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import type { ChannelReceiver, ChannelRelay, HandlerOptions, PageHandler } from "#pages";
import { silentServerSignals } from "#signals";
import { openBrowserFiles } from "../browser-files.ts";
import { openBuiltPages } from "../built-pages.ts";
import type { Served } from "../served.ts";
import { openReleases } from "./open-releases.ts";

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-machines-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("a release on two machines", () => {
  it("what one machine has found is adopted by the other, and both answer from the build before", async () => {
    const relays = connectedRelays();
    for (const machine of ["a", "b"] as const) {
      const first = await serve("1.0", machine, relays[machine]);
      for (let turn = 0; turn < 50; turn++) expect(await first.ask()).toBe("200 1.0");
      await first.stop();
    }
    const [a, b] = [await serve("2.0", "a", relays.a), await serve("2.0", "b", relays.b)];
    expect(await b.ask()).toBe("200 2.0");
    a.breaks();
    b.breaks();
    await expect.poll(a.ask).toBe("200 1.0");
    await expect.poll(b.ask).toBe("200 1.0");
    // One of them has reported it.
    expect([a.reported, b.reported].flat()).toEqual(["healed: /cart runs on 1.0"]);
    expect(b.reportsAs).toEqual(["1.0"]);
    expect(b.failures).toBeLessThan(3);
    // The document of the build before may use its CDN, and its files have the headers of the configuration.
    const document = await fetch(b.url);
    expect(document.headers.get("x-styles-from")).toBe("https://cdn.example.org");
    const file = await fetch(`${b.url}/_assets/entry-11111111.js`);
    expect([file.status, file.headers.get("x-shop"), await file.text()]).toEqual([200, "ours", "entry of 1.0"]);
    expect(file.headers.get("access-control-allow-origin")).toBe("*");
    // What an operator chooses in the console of one machine holds on both.
    await a.pin("/cart", "new");
    await expect.poll(b.ask).toBe("500 2.0");
    expect((await b.status())?.routes).toMatchObject([
      { route: "/cart", on: "2.0", state: { kind: "pinned", to: "new" } },
    ]);
    await a.stop();
    await b.stop();
  });

  it("a message of a channel reaches the pages of both builds in a process, and those of other machines", async () => {
    const relays = connectedRelays();
    const a = await serve("1.0", "c", relays.a);
    onTestFinished(() => a.stop());
    const heard: string[] = [];
    const listener = (name: string): ChannelReceiver => ({
      message: (channel, text) => heard.push(`${name}: ${channel} ${text}`),
      gap: () => heard.push(`${name}: gap`),
    });
    a.options.relay?.listen(listener("a"));
    relays.b.listen(listener("b"));
    await relays.b.send("orders", "1");
    await a.options.relay?.send("orders", "2");
    expect(heard).toEqual(["a: orders 1", "b: orders 2"]);
  });
});

/** A machine with its own data folder. In release 2.0 the route fails when it is broken. */
async function serve(name: string, machine: string, relay: ChannelRelay) {
  const dist = buildOf(name);
  const reported: string[] = [];
  const reportsAs: string[] = [];
  const signals = {
    ...silentServerSignals,
    errorCaught: (error: unknown) => {
      reported.push((error as Error).message);
      return { kind: "unrecorded" as const };
    },
  };
  const served: Served = {
    ...{ root: folder, buildFolder: dist, release: name, development: false },
    config: { releases: { healing: "heal" }, headers: { "/_assets/**": { "X-Shop": "ours" } } },
    files: await openBrowserFiles(dist),
    openPages: (options) => openBuiltPages(dist, options),
  };
  const releases = openReleases(served, {
    dataFolder: path.join(folder, machine),
    reporting: {
      ...{ release: name, signals, headScriptOf: () => "" },
      signalsOf: (release) => {
        reportsAs.push(release);
        return signals;
      },
    },
    ...{ clientOf: () => "127.0.0.1", isProxy: () => false, relay, line: undefined, warn: () => undefined },
  });
  if (!releases) throw new Error("Releases are watched.");
  const settings = { isBroken: false };
  const given = { settings, signals } as unknown as HandlerOptions;
  const options = releases.optionsOf(given);
  const pages: PageHandler = await served.openPages(options);
  await releases.open(pages, given);
  const server = createServer((incoming, response) => {
    if (!releases.files.serve(incoming, response)) void pages.handle(incoming, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const machineUnderTest = {
    url,
    options,
    reported,
    reportsAs,
    pin: releases.pin,
    status: releases.status,
    failures: 0,
    breaks: () => {
      settings.isBroken = true;
    },
    ask: async (): Promise<string> => {
      const answer = await fetch(url);
      if (answer.status === 500) machineUnderTest.failures += 1;
      return `${answer.status} ${await answer.text()}`;
    },
    stop: async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
      await releases.close({ endsAt: performance.now() + 1_000 });
    },
  };
  return machineUnderTest;
}

/** Two machines: a message of one reaches the other. */
function connectedRelays(): { a: ChannelRelay; b: ChannelRelay } {
  const receivers: Partial<Record<"a" | "b", ChannelReceiver>> = {};
  const relay = (own: "a" | "b", other: "a" | "b"): ChannelRelay => ({
    send: async (channel, text) => {
      receivers[other]?.message(channel, text);
      return true;
    },
    listen: (receiver) => {
      receivers[own] = receiver;
    },
  });
  return { a: relay("a", "b"), b: relay("b", "a") };
}

/** A build whose only route asks the watch, as the pages of the framework do. */
function buildOf(name: string): string {
  const dist = path.join(folder, "dist", name);
  mkdirSync(path.join(dist, "server"), { recursive: true });
  writeFileSync(path.join(dist, "package.json"), '{ "type": "module" }');
  writeFileSync(path.join(dist, "server/package.json"), '{ "type": "module" }');
  writeFileSync(path.join(dist, "release.txt"), `${name}\n`);
  const file = `_assets/entry-${name === "1.0" ? "11111111" : "22222222"}.js`;
  mkdirSync(path.join(dist, "browser/_assets"), { recursive: true });
  writeFileSync(path.join(dist, "browser", file), `entry of ${name}`);
  const files = [
    { path: `/${file}`, file: `browser/${file}`, type: "text/javascript", encodings: [], immutable: true },
  ];
  // Only the first release has a CDN.
  const assets = name === "1.0" ? "https://cdn.example.org/shop" : undefined;
  const manifest = { build: name, assets, files, earlier: [], chunks: [[]] };
  writeFileSync(path.join(dist, "manifest.json"), JSON.stringify(manifest));
  writeFileSync(
    path.join(dist, "server/application.js"),
    `export const createHandler = ({ watch, settings, policy }) => ({
  build: "${name}",
  contractOf: async () => ({ kind: "contract", parts: { kind: "page", folders: "", guards: "", actions: "", methods: "" } }),
  handle: (incoming, response) => {
    const request = { route: "/cart", kind: "page", exchange: { incoming, response } };
    return watch.answer(request, () => {
      const fails = "${name}" !== "1.0" && settings.isBroken;
      response.setHeader("X-Styles-From", (policy?.csp["style-src"] ?? []).join(" "));
      response.writeHead(fails ? 500 : 200).end(${name === "1.0" ? '"1.0"' : '"2.0"'});
      watch.answered(request, fails);
    });
  },
});
`,
  );
  return dist;
}
