import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { readAddressRules, readLanguages } from "#routes";
import { serverLimits } from "../limits.ts";
import { useLanguage } from "../react/use-language.ts";
import * as english from "../texts/english.ts";
import { german } from "../texts/german.ts";
import { Application } from "./application.ts";
import { action, load, onRequest, type RequestContext } from "./author/define.ts";
import { notFound, redirect } from "./author/outcome.ts";
import { acceptedLanguage } from "./languages/accepted-language.ts";
import { SiteLanguages } from "./languages/site-languages.ts";
import { sendBusy } from "./send/send-busy.ts";
import {
  type Answered,
  dataLinesOf,
  partsOf,
  type TestFiles,
  type TestOptions,
  testApplication,
} from "./test-application.ts";

const Shown = () => <h1>{useLanguage().lang}</h1>;

const files: TestFiles = {
  "index.tsx": { default: Shown },
  "about.tsx": { default: Shown },
  "about.server.ts": {
    data: load(({ lang, url }: RequestContext) => ({ lang, path: url.pathname })),
    actions: { send: action({}, ({ lang }) => lang), leave: action({}, () => redirect("/" as string)) },
  },
  "gone.tsx": { default: Shown },
  "gone.server.ts": { data: load(() => notFound()) },
  "away.tsx": { default: Shown },
  "away.server.ts": { data: load(() => redirect("/about" as string)) },
  "other.tsx": { default: Shown },
  "other.server.ts": { data: load(() => redirect("/about" as string, undefined, { lang: "ar" })) },
  "file.tsx": { default: Shown },
  "file.server.ts": { data: load(() => redirect("/list.pdf" as string)) },
  "names.server.ts": { GET: (_: Request, { lang }: RequestContext) => new Response(lang) },
};

const inThree = (more: object = {}): TestOptions => {
  const { languages, problems } = readLanguages({ list: ["en", "de", "ar"], ...more });
  if (!languages) throw new Error(problems.join());
  return { languages: { table: languages.table, texts: { en: english, de: german } } };
};

const lineOf = ({ text }: Answered): Record<string, unknown> => dataLinesOf(text)[1] as Record<string, unknown>;

describe("one tree of pages", () => {
  test("answers in every language, by document, data, action and API route", async () => {
    await using app = await testApplication(files, inThree());
    for (const [prefix, lang, html] of [
      ["", "en", '<html lang="en">'],
      ["/de", "de", '<html lang="de">'],
      ["/ar", "ar", '<html lang="ar" dir="rtl">'],
    ]) {
      const document = await app.ask(`${prefix}/about`);
      expect([document.status, document.text.includes(html ?? "")]).toEqual([200, true]);
      expect(document.text).toContain(`<h1>${lang}</h1>`);
      expect(lineOf(await app.ask(`${prefix}/about/_data`))).toMatchObject({
        kind: "page",
        data: [["~u"], { lang, path: `${prefix}/about` }],
      });
      const sent = await app.ask(`${prefix}/about/_action/send/_data`, {
        method: "POST",
        body: "a=1",
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
      expect(lineOf(sent)).toMatchObject({ kind: "outcome", outcome: { kind: "done", result: lang } });
      expect((await app.ask(`${prefix}/names`)).text).toBe(lang);
    }
    expect((await app.ask("/de")).text).toContain("<h1>de</h1>");
    expect((await app.ask("/de/_data")).status).toBe(200);
    expect((await app.ask("/fr/about")).status).toBe(404);
  });

  test("says the language of pages that are missing or fail", async () => {
    await using app = await testApplication(files, inThree());
    for (const path of ["/de/nowhere", "/de/gone"]) {
      const answer = await app.ask(path);
      expect([answer.status, answer.text.includes('<html lang="de">')]).toEqual([404, true]);
    }
  });

  test("tells the request hook, before guards and loads", async () => {
    const seen: string[] = [];
    const hook = onRequest(({ lang }) => {
      seen.push(lang);
      return {};
    });
    await using app = await testApplication({ ...files, "request.server.ts": { default: hook } }, inThree());
    await app.ask("/ar/about");
    await app.ask("/about");
    expect(seen).toEqual(["ar", "en"]);
  });

  test("redirects in the language of the request, or in the one that is named, but never to a public file", async () => {
    await using app = await testApplication(files, inThree());
    const location = async (path: string) => (await app.ask(path)).headers.location;
    expect(await location("/de/away")).toBe("/de/about");
    expect(await location("/away")).toBe("/about");
    expect(await location("/de/other")).toBe("/ar/about");
    expect(await location("/de/file")).toBe("/list.pdf");
  });

  test("has one spelling: the default language has no prefix", async () => {
    await using app = await testApplication(files, inThree());
    const answer = await app.ask("/en/about?a=1");
    expect([answer.status, answer.headers.location]).toEqual([308, "/about?a=1"]);
    // A page that is open when the default changes still gets its data.
    expect((await app.ask("/en/about/_data")).status).toBe(200);
  });

  test("has one spelling: a tag in another case leads to that of the configuration", async () => {
    await using app = await testApplication(files, inThree({ list: ["en", "pt-BR"] }));
    const answer = await app.ask("/pt-br/about?a=1");
    expect([answer.status, answer.headers.location]).toEqual([308, "/pt-BR/about?a=1"]);
    expect((await app.ask("/PT-BR")).headers.location).toBe("/pt-BR");
    expect((await app.ask("/EN/about")).headers.location).toBe("/about");
    expect((await app.ask("/pt-BR/about")).status).toBe(200);
  });
});

describe("a page that is not translated", () => {
  const some: TestFiles = { ...files, "blog/[post].tsx": { default: Shown }, "shop.tsx": { default: Shown } };

  test("has one address, to which those in other languages lead, by document and data", async () => {
    await using app = await testApplication(some, inThree({ except: ["/blog"] }));
    const german = await app.ask("/de/blog/1?a=1");
    expect([german.status, german.headers.location]).toEqual([302, "/blog/1?a=1"]);
    expect(lineOf(await app.ask("/ar/blog/1/_data"))).toMatchObject({ kind: "redirect", to: "/blog/1" });
    expect((await app.ask("/blog/1")).text).toContain('<html lang="en">');
    expect((await app.ask("/de/about")).text).toContain("<h1>de</h1>");
    const missing = await app.ask("/de/blog");
    expect([missing.status, missing.text.includes('<html lang="de">')]).toEqual([404, true]);
  });

  test("lets no visitor be redirected from the root, and is no choice of a language", async () => {
    await using app = await testApplication(some, inThree({ only: ["/shop"] }));
    const root = await app.ask("/", { headers: { "accept-language": "de", cookie: "holdfast-language=ar" } });
    expect([root.status, root.headers.vary?.includes("Accept-Language") ?? false]).toEqual([200, false]);
    const from = { headers: { referer: `${app.origin}/de/shop` } };
    expect((await app.ask("/blog/1", from)).headers["set-cookie"]).toBeUndefined();
    expect((await app.ask("/shop", from)).headers["set-cookie"]?.[0]).toContain("holdfast-language=en");
  });

  test("may lack one language only", async () => {
    const list = ["en", "de", { lang: "ar", except: ["/", "/blog"] }];
    await using app = await testApplication(some, inThree({ list }));
    expect((await app.ask("/", { headers: { "accept-language": "ar, de;q=0.5" } })).headers.location).toBe("/de");
    expect((await app.ask("/ar/blog/1")).headers.location).toBe("/blog/1");
    expect((await app.ask("/de/blog/1")).status).toBe(200);
  });
});

describe("a default language with a prefix", () => {
  test("is where pages without one lead to; API routes and missing pages answer where they are", async () => {
    await using app = await testApplication(files, inThree({ prefixDefault: true }));
    const about = await app.ask("/about?a=1");
    expect([about.status, about.headers.location, about.headers.vary]).toEqual([
      302,
      "/en/about?a=1",
      "Accept-Language, Cookie",
    ]);
    expect((await app.ask("/", { headers: { "accept-language": "de" } })).headers.location).toBe("/de");
    const inside = { headers: { referer: `${app.origin}/ar/about`, "accept-language": "de" } };
    expect((await app.ask("/about", inside)).headers.location).toBe("/ar/about");
    expect((await app.ask("/en/about")).status).toBe(200);
    expect((await app.ask("/names")).text).toBe("en");
    expect((await app.ask("/nowhere")).status).toBe(404);
  });
});

describe("the language of a visitor who comes to the root", () => {
  const german = { "accept-language": "de-AT,de;q=0.9,en;q=0.8" };

  test("is the browser's, and caches know", async () => {
    await using app = await testApplication(files, inThree());
    const answer = await app.ask("/?a=1", { headers: german });
    expect([answer.status, answer.headers.location]).toEqual([302, "/de?a=1"]);
    expect([answer.headers.vary, answer.headers["cache-control"]]).toEqual([
      "Accept-Language, Cookie",
      "private, no-store",
    ]);
    const plain = await app.ask("/", { headers: { "accept-language": "fr" } });
    expect([plain.status, plain.headers.vary?.includes("Accept-Language")]).toEqual([200, true]);
    expect((await app.ask("/")).status).toBe(200);
  });

  test("is asked for nowhere else, so that every address keeps its language", async () => {
    await using app = await testApplication(files, inThree());
    for (const path of ["/about", "/de", "/ar", "/_data", "/names"]) {
      const { status, headers } = await app.ask(path, { headers: german });
      expect([path, status, headers.vary?.includes("Accept-Language") ?? false]).toEqual([path, 200, false]);
    }
  });

  test("is the one that was chosen by a link, before that of the browser", async () => {
    await using app = await testApplication(files, inThree());
    const came = await app.ask("/", { headers: { ...german, referer: `${app.origin}/de/about` } });
    expect(came.status).toBe(200);
    const [cookie = ""] = came.headers["set-cookie"] ?? [];
    expect(cookie).toMatch(/^holdfast-language=en; Max-Age=31536000; Path=\/;.*SameSite=Lax/);
    expect((await app.ask("/", { headers: { ...german, cookie: "holdfast-language=en" } })).status).toBe(200);
    const chosen = await app.ask("/", { headers: { "accept-language": "en", cookie: "holdfast-language=ar" } });
    expect(chosen.headers.location).toBe("/ar");
    const unknown = await app.ask("/", { headers: { cookie: "holdfast-language=xx" } });
    expect(unknown.status).toBe(200);
  });

  test("is never changed by a link inside the application, even without a referrer", async () => {
    await using app = await testApplication(files, inThree());
    const inside = await app.ask("/", { headers: { ...german, "sec-fetch-site": "same-origin" } });
    expect(inside.status).toBe(200);
    const stays = await app.ask("/de/about", { headers: { referer: `${app.origin}/de` } });
    expect(stays.headers["set-cookie"]).toBeUndefined();
    const prefetched = await app.ask("/de", { headers: { referer: `${app.origin}/`, purpose: "prefetch" } });
    expect(prefetched.headers["set-cookie"]).toBeUndefined();
    const elsewhere = await app.ask("/", { headers: { ...german, referer: "https://search.example/de" } });
    expect(elsewhere.headers.location).toBe("/de");
  });

  test("is not changed by the icon or an image of a page in another language", async () => {
    await using app = await testApplication(files, inThree());
    const referer = `${app.origin}/de/about`;
    for (const address of ["/favicon.ico", "/about"]) {
      const asked = await app.ask(address, { headers: { referer, "sec-fetch-dest": "image" } });
      expect(asked.headers["set-cookie"]).toBeUndefined();
    }
    // Browsers of 2022 and before do not say what a request is for.
    expect((await app.ask("/favicon.ico", { headers: { referer } })).headers["set-cookie"]).toBeUndefined();
    expect((await app.ask("/about", { headers: { referer } })).headers["set-cookie"]).toBeDefined();
  });

  test("is not asked for where that is off, and nothing is remembered", async () => {
    await using app = await testApplication(files, inThree({ detect: false }));
    const answer = await app.ask("/", { headers: { ...german, cookie: "holdfast-language=ar" } });
    expect([answer.status, answer.headers.vary?.includes("Accept-Language") ?? false]).toEqual([200, false]);
    const chosen = await app.ask("/de", { headers: { referer: `${app.origin}/` } });
    expect(chosen.headers["set-cookie"]).toBeUndefined();
  });

  test.each([
    [undefined, undefined],
    ["", undefined],
    ["fr, it;q=0.5", undefined],
    ["de", "de"],
    ["fr, en;q=0.3, de;q=0.7", "de"],
    ["de;q=0, en", "en"],
    ["pt", "pt-BR"],
    ["PT-br;q=1.0", "pt-BR"],
    ["*", undefined],
    ["de;q=x", "de"],
    [`${"x".repeat(600)},de`, undefined],
  ])("is read from %j as %s", (header, lang) => {
    expect(acceptedLanguage(header, ["en", "de", "pt-BR"])).toBe(lang);
  });
});

describe("a language with a domain", () => {
  const domains = inThree({ list: [{ lang: "en", domain: "shop.example" }, { lang: "de", domain: "shop.de" }, "ar"] });

  test("is that of its host, without a prefix and without asking the browser", async () => {
    await using app = await testApplication(files, { ...domains, origin: "https://shop.de" });
    expect((await app.ask("/", { headers: { "accept-language": "en" } })).text).toContain("<h1>de</h1>");
    expect((await app.ask("/about")).text).toContain("<h1>de</h1>");
    expect((await app.ask("/ar/about")).text).toContain("<h1>ar</h1>");
    expect((await app.ask("/de/about")).headers.location).toBe("/about");
    expect((await app.ask("/other")).headers.location).toBe("/ar/about");
  });

  test("is where the default language leads a visitor to, on its own domain", async () => {
    await using app = await testApplication(files, { ...domains, origin: "https://shop.example" });
    expect((await app.ask("/", { headers: { "accept-language": "de" } })).headers.location).toBe("https://shop.de/");
  });
});

describe("texts of the framework", () => {
  test("the texts of refused pages and of the page of last resort are in the language of the address", async () => {
    const failing: TestFiles = {
      ...files,
      "fails.tsx": {
        default: () => {
          throw new Error("broken");
        },
      },
      "worse/_error.tsx": {
        default: () => {
          throw new Error("worse");
        },
      },
      "worse/index.tsx": {
        default: () => {
          throw new Error("broken");
        },
      },
    };
    await using app = await testApplication(failing, inThree());
    const last = await app.ask("/de/worse");
    expect([last.status, last.text.length < 2_048]).toEqual([500, true]);
    for (const text of ['<html lang="de">', german.applicationError, german.serverException, 'href="/de">Startseite'])
      expect(last.text).toContain(text);
    const refused = await app.ask("/de/about", { method: "PUT" });
    for (const text of ['<html lang="de">', "Abgelehnt (405)", german.refusedMethod])
      expect(refused.text).toContain(text);
    const wrong = await app.ask("/ar/a%2Fb");
    for (const text of ['<html lang="ar" dir="rtl">', "Refused (400)", english.refusedAddress])
      expect(wrong.text).toContain(text);
    expect((await app.ask("/about", { method: "PUT" })).text).toContain("Refused (405)");
  });

  test("another server that is asked for a page is given the language of the address, for the page of its failure", async () => {
    const { rules } = readAddressRules(undefined, [{ from: "/shop/[...rest]", to: "http://old.example/[...rest]" }]);
    await using app = await testApplication(files, {
      ...inThree(),
      rules,
      forward: async ({ response }, { language }) => {
        response.end(`${language?.html.lang} ${language?.texts.notAvailable} ${language?.home}`);
      },
    });
    expect((await app.ask("/de/shop/7")).text).toBe(`de ${german.notAvailable} /de`);
    expect((await app.ask("/shop/7")).text).toBe(`en ${english.notAvailable} /`);
  });

  test("the text of a busy server is in the language of the address", async () => {
    const { languages } = inThree();
    if (!languages) throw new Error("There are no languages.");
    const site = new SiteLanguages(languages, new Application(partsOf(files), serverLimits));
    const written: (string | Buffer)[] = [];
    const response = {
      writeHead: (_: number, headers: string[]) => {
        written.push(headers[headers.indexOf("Content-Length") + 1] ?? "");
        return response;
      },
      end: (page: Buffer) => written.push(page),
    };
    const incoming = { method: "GET", url: "/de/about?a=1" } as IncomingMessage;
    const exchange = { incoming, response: response as unknown as ServerResponse };
    sendBusy(exchange, [], site.staticIn(incoming, "https://shop.example"));
    const [length, page = ""] = written;
    expect(Buffer.byteLength(page)).toBe(Number(length));
    expect(String(page)).toContain(german.busyText);
  });
});
