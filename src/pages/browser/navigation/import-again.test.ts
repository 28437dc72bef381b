import { describe, expect, it } from "vitest";
import { createImport } from "./import-again.ts";

const origin = "https://shop.example";
const path = "/_assets/orders-1.js";
const address = `${origin}${path}`;

/** As Chromium says it, about the address that it was given. */
function failedFetch(url: string): TypeError {
  return new TypeError(`Failed to fetch dynamically imported module: ${url}`);
}

/** A browser that never fetches an address again once it has failed, and a server that fails for a while. */
function forgetfulServer({ failures, exports = { default: "page" } }: { failures: number; exports?: object }) {
  const requests: string[] = [];
  const failed = new Set<string>();
  const importFrom = async (specifier: string): Promise<object> => {
    const url = new URL(specifier, origin).href;
    if (failed.has(url)) throw failedFetch(url);
    requests.push(url);
    if (requests.length > failures) return exports;
    failed.add(url);
    throw failedFetch(url);
  };
  return { requests, load: () => importFrom(address), import: createImport(importFrom) };
}

describe("a module that could not be fetched", () => {
  it("is fetched from another address when it is asked for again", async () => {
    const server = forgetfulServer({ failures: 3 });
    const asked = () => server.import(server.load).catch((error: unknown) => String(error));
    expect(await asked()).toContain(address);
    expect(server.requests).toHaveLength(1);
    await asked();
    await asked();
    expect(server.requests).toHaveLength(3);
    expect(await asked()).toEqual({ default: "page" });
    expect(new Set(server.requests).size).toBe(4);
    for (const url of server.requests) expect(url.split("?")[0]).toBe(address);
  });

  it("fails once for two who wait for the same fetch", async () => {
    const { imported, importAgain } = recorded();
    const { promise, reject } = Promise.withResolvers<object>();
    const both = Promise.allSettled([importAgain(() => promise), importAgain(() => promise)]);
    reject(failedFetch(address));
    expect((await both).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(imported).toEqual([]);
    expect(await importAgain(() => promise)).toEqual({ default: "" });
  });

  it("is taken from its own address where the browser fetches it again", async () => {
    let failures = 1;
    const load = async () => {
      if (failures-- > 0) throw failedFetch(address);
      return { default: "page" };
    };
    const imported = createImport(() => Promise.reject(new Error("another address")));
    await expect(imported(load)).rejects.toThrow(address);
    expect(await imported(load)).toEqual({ default: "page" });
  });

  it("stays missing where the bundler gives the file's exports other names", async () => {
    const server = forgetfulServer({ failures: 1, exports: { t: {} } });
    for (let tries = 0; tries < 3; tries++) await expect(server.import(server.load)).rejects.toThrow(address);
  });
});

it.each([
  ["an error of another kind", new Error(`Failed to fetch dynamically imported module: ${address}`)],
  ["an error that only mentions the address", new TypeError(`No answer from ${address}`)],
  ["an address that would lead elsewhere", failedFetch(`${origin}//elsewhere.example/a.js`)],
])("nothing is imported after %s", async (_, error) => {
  const { imported, importAgain } = recorded();
  for (let tries = 0; tries < 3; tries++) await expect(importAgain(() => Promise.reject(error))).rejects.toBe(error);
  expect(imported).toEqual([]);
});

it("an error that names another origin leads to the page's own", async () => {
  const { imported, importAgain } = recorded();
  const load = () => Promise.reject(failedFetch("https://elsewhere.example/a.js"));
  await expect(importAgain(load)).rejects.toThrow();
  await importAgain(load);
  expect(imported).toEqual([expect.stringMatching(/^\/a\.js\?\d+$/)]);
});

function recorded() {
  const imported: string[] = [];
  const importAgain = createImport(async (url) => {
    imported.push(url);
    return { default: "" };
  });
  return { imported, importAgain };
}
