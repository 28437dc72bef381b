import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "./config.ts";
import { limitsThatHold, serverLimitsOf, settableLimits } from "./limit-settings.ts";

function folderWith(config?: string): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (config !== undefined) writeFileSync(join(folder, "holdfast.config.mjs"), config);
  return folder;
}

test("Every setting has a default, so that the file may be missing", async () => {
  expect(await readConfig(folderWith())).toEqual({});
});

test("Wrong headers are named with their pattern", async () => {
  const config = `export default { headers: { "/a b": {}, "/**": { "Set-Cookie": "a=1" } } };`;
  await expect(readConfig(folderWith(config))).rejects.toThrow(
    'headers["/a b"] is no pattern such as /**, /embed/** or /fonts/*.woff2; headers["/**"]["Set-Cookie"] is written by',
  );
});

test("Every wrong setting is named, all of them at once", async () => {
  const config = `export default { lang: 7, origin: "shop.example", trailingSlash: "both", nonsense: true, releases: { healing: "yes" }, edge: { tagHeader: "Tags", tagBytes: 17_000, keys: [] }, report: { sampleRate: 2, dsn: "wrong" } };`;
  const error = await readConfig(folderWith(config)).catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ code: "wrong-config" });
  const { message } = error as Error;
  const named = ["lang must be", "origin must be", 'trailingSlash must be "never" or "always"'];
  named.push("nonsense is not known", "report.sampleRate must be", 'releases.healing must be "off", "warn" or "heal"');
  named.push('edge.tagHeader must be one of "Surrogate-Key", "Cache-Tag", "Edge-Cache-Tag", "xkey"');
  named.push("edge.tagBytes must be at most 16384 bytes: no CDN reads more", "edge.keys is not known");
  for (const name of named) expect(message).toContain(name);
  // A wrong DSN must not stop an application; reporting logs what is wrong with it.
  expect(message).not.toContain("dsn must");
});

test("A wrong proxy, a name that is no directive and an empty text to scrub are named", async () => {
  const wrong = (config: string) => readConfig(folderWith(`export default ${config};`));
  const proxies = '["10.0.0.1", "10.0.0.0/99", "proxy.local", "::1/64", "10.0.0.0/8/8", 7]';
  const error = wrong(
    `{ trustedProxies: ${proxies}, csp: { "img-src": [], img: ["x"] }, report: { scrub: ["iban", ""] } }`,
  );
  await expect(error).rejects.toThrow(
    'trustedProxies must be a list of addresses and networks such as 10.0.0.1 or 10.0.0.0/8, not "10.0.0.0/99", "proxy.local", "10.0.0.0/8/8", 7; csp must name directives such as "img-src", not "img" (probably "img-src"); report.scrub must have no empty text: every name contains it',
  );
  await expect(wrong('{ trustedProxies: "10.0.0.1" }')).rejects.toThrow("trustedProxies must be a list");
  const right = '{ trustedProxies: ["10.0.0.0/8", "::1"], csp: { sandbox: [] }, report: { scrub: ["iban", /^x-/] } }';
  expect(await wrong(right)).toHaveProperty("csp");
});

test("A directive of newer browsers is accepted, and sources that would end a directive or a policy are named", async () => {
  const csp = (text: string) => readConfig(folderWith(`export default { csp: ${text} };`));
  const newer = '{ "model-src": ["https://models.example"], "connect-src": [""] }';
  expect(await csp(newer)).toHaveProperty(["csp", "model-src"], ["https://models.example"]);
  await expect(
    csp('{ "img-src": ["https://a.example, https://b.example", "x; y", "https://c.example"] }'),
  ).rejects.toThrow(
    'csp must list each source as a text of its own, in ASCII without , or ;, not "https://a.example, https://b.example", "x; y"',
  );
  await expect(csp('{ "a;b": ["x"], "scrpt-src": [] }')).rejects.toThrow(
    'not "a;b", "scrpt-src" (probably "script-src")',
  );
});

test("Wrong languages, their incomplete texts, and settings that contradict them are named", async () => {
  const wrong = (config: string) => readConfig(folderWith(`export default ${config};`));
  await expect(wrong('{ languages: { list: [{ lang: "ar", texts: { home: "x", hut: "y" } }] } }')).rejects.toThrow(
    /the texts of ar lack applicationError, .*; languages.list: the texts of ar have unknown names: hut/,
  );
  await expect(wrong('{ lang: "en", languages: { list: ["en"] } }')).rejects.toThrow("lang must be left out");
  const domain = '{ list: ["en", { lang: "de", domain: "shop.de" }] }';
  await expect(wrong(`{ origin: "https://shop.example", languages: ${domain} }`)).rejects.toThrow(
    "origin must be left",
  );
  expect(await wrong(`{ languages: ${domain} }`)).toMatchObject({ languages: {} });
});

test("A limit beyond its range is named with the reason, and so is one for which the shared space has no room", async () => {
  const wrong = (limits: string) => readConfig(folderWith(`export default { limits: ${limits} };`));
  await expect(wrong("{ loadSeconds: 60, files: 0, bodyBytes: 1.5, fast: 1 }")).rejects.toThrow(
    "limits.loadSeconds must be at most 28 seconds: a browser waits 30 seconds for a page; return what is slower as a promise, or let a queue do it; limits.files must be at least 1: an action without files leaves out uploads; limits.bodyBytes must be a whole number of bytes; limits.fast is not known",
  );
  await expect(wrong("{ uploadBytes: 314572800 }")).rejects.toThrow(
    "limits.uploadBytes must be at most 268435456 bytes, a quarter of limits.uploadsOnDiskBytes, which one client may use; set limits.uploadsOnDiskBytes to 1258291200 for it",
  );
  await expect(wrong("{ brokenPages: 51, brokenPageDays: 0 }")).rejects.toThrow(
    "limits.brokenPages must be at most 50: a browser asks the server about each of them; limits.brokenPageDays must be at least 1: a repair takes hours",
  );
  await expect(wrong("{ answersPerMinute: 4 }")).rejects.toThrow(
    "limits.brokenPages (5) must not exceed limits.answersPerMinute (4): a browser asks about all of its pages at once",
  );
  await expect(wrong("7")).rejects.toThrow("limits must be an object of settings");
  expect(await wrong("{ uploadBytes: 314572800, uploadsOnDiskBytes: 1258291200 }")).toHaveProperty("limits");
});

test("Every limit has a default inside of its range, and what is set reaches the server", () => {
  for (const [name, { usual, least, most }] of Object.entries(settableLimits))
    expect([name, usual >= least && usual <= most]).toEqual([name, true]);
  expect(limitsThatHold({ files: 3 })).toMatchObject({ files: 3, loadSeconds: 10 });
  expect(serverLimitsOf({ loadSeconds: 20, files: 3, uploadBytes: 5_000 }, { actionSeconds: 90 })).toMatchObject({
    ...{ loadMs: 20_000, uploadFiles: 3, uploadBytes: 5_000, actionMs: 90_000 },
    ...{ lateMs: 30_000, bodyBytes: 1_048_576 },
  });
});
