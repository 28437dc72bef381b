import { describe, expect, test } from "vitest";
import { addressIn, languageOf, splitLanguage } from "./languages.ts";
import { readLanguages } from "./read-languages.ts";

function tableOf(settings: unknown) {
  const { languages, problems } = readLanguages(settings);
  expect(problems).toEqual([]);
  if (!languages) throw new Error("There are no languages.");
  return languages.table;
}

const three = tableOf({ list: ["en", "de", "ar"] });

describe("the language is taken off a path", () => {
  test.each([
    ["/", undefined, "/"],
    ["/about", undefined, "/about"],
    ["/de", "de", "/"],
    ["/de/about", "de", "/about"],
    ["/de/de", "de", "/de"],
    ["/dex/about", undefined, "/dex/about"],
    ["/about/de", undefined, "/about/de"],
    ["/DE/about", "de", "/about"],
  ])("%s", (pathname, lang, path) => {
    expect(splitLanguage(three, "", pathname)).toEqual({ lang, path });
  });

  test("below the path of the application", () => {
    expect(splitLanguage(three, "/admin", "/admin/de/users")).toEqual({ lang: "de", path: "/admin/users" });
    expect(splitLanguage(three, "/admin", "/admin/de")).toEqual({ lang: "de", path: "/admin" });
    expect(splitLanguage(three, "/admin", "/de/users")).toEqual({ lang: undefined, path: "/de/users" });
  });
});

describe("the language is written into an address", () => {
  const here = (lang: string) => ({ lang, origin: "https://shop.example" });

  test.each([
    ["/", "de", "/de"],
    ["/?a=1#b", "de", "/de?a=1#b"],
    ["/about?a=/x", "de", "/de/about?a=/x"],
    ["/about", "en", "/about"],
    ["/de/about", "ar", "/de/about"],
    ["?tab=2", "de", "?tab=2"],
    ["#top", "de", "#top"],
    ["//evil.example/x", "de", "//evil.example/x"],
    ["https://shop.example/about", "de", "https://shop.example/about"],
    ["/_holdfast", "de", "/_holdfast"],
  ])("%s in %s is %s", (address, lang, written) => {
    expect(addressIn(three, "", address, here(lang))).toBe(written);
  });

  test("a written language is read back, in every language and below every path", () => {
    for (const at of ["", "/admin"])
      for (const settings of [three, tableOf({ list: ["en", "de", "ar"], prefixDefault: true })])
        for (const lang of ["en", "de", "ar"])
          for (const path of ["/", "/about", "/a/b"]) {
            const address = at + (path === "/" && at ? "" : path);
            const written = addressIn(settings, at, address, here(lang));
            expect(addressIn(settings, at, written, here("ar"))).toBe(
              lang === "en" && !settings.prefixDefault ? addressIn(settings, at, address, here("ar")) : written,
            );
            expect(languageOf(settings, at, new URL(written, "https://shop.example"))).toBe(lang);
            expect(splitLanguage(settings, at, written).path).toBe(address);
          }
  });

  test("a language with a domain leads there from other domains, and has a prefix on hosts of developers", () => {
    const table = tableOf({ list: [{ lang: "en", domain: "shop.example" }, { lang: "de", domain: "shop.de" }, "ar"] });
    const at = (origin: string, lang: string) => addressIn(table, "", "/about", { origin, lang });
    expect(at("https://shop.example", "en")).toBe("/about");
    expect(at("https://shop.example", "de")).toBe("https://shop.de/about");
    expect(at("https://shop.de", "de")).toBe("/about");
    expect(at("https://shop.de", "en")).toBe("https://shop.example/about");
    expect(at("https://shop.de", "ar")).toBe("/ar/about");
    expect(at("http://localhost:3000", "de")).toBe("/de/about");
    expect(languageOf(table, "", new URL("https://shop.de/about"))).toBe("de");
    expect(languageOf(table, "", new URL("https://shop.de:8443/ar/about"))).toBe("ar");
    expect(languageOf(table, "", new URL("http://localhost:3000/about"))).toBe("en");
  });
});

describe("pages that are not translated", () => {
  const here = (lang: string) => ({ lang, origin: "https://shop.example" });
  const only = tableOf({ list: ["en", "de", { lang: "ar", except: ["/shop/cart"] }], only: ["/", "/shop"] });

  test.each([
    ["/", "de", "/de"],
    ["/?a=1", "de", "/de?a=1"],
    ["/shop", "de", "/de/shop"],
    ["/shop/cart", "de", "/de/shop/cart"],
    ["/shop/cart", "ar", "/shop/cart"],
    ["/shops", "de", "/shops"],
    ["/blog/1?a#b", "de", "/blog/1?a#b"],
    ["/blog/1", "ar", "/ar/blog/1"],
  ])("%s in %s is %s", (address, lang, written) => {
    expect(addressIn(only, "", address, here(lang))).toBe(written);
  });

  test("pages have their address in the default language, with its prefix, on its domain, and below a path", () => {
    const prefixed = tableOf({ list: ["en", "de"], except: ["/blog"], prefixDefault: true });
    expect(addressIn(prefixed, "", "/blog", here("de"))).toBe("/en/blog");
    expect(addressIn(prefixed, "/admin", "/admin/blog/1", here("de"))).toBe("/admin/en/blog/1");
    expect(addressIn(prefixed, "/admin", "/admin/users", here("de"))).toBe("/admin/de/users");
    const domains = tableOf({
      list: [
        { lang: "en", domain: "shop.example" },
        { lang: "de", domain: "shop.de" },
      ],
      except: ["/blog"],
    });
    expect(addressIn(domains, "", "/blog", { lang: "de", origin: "https://shop.de" })).toBe(
      "https://shop.example/blog",
    );
  });

  test("pages are named as requests write them", () => {
    const table = tableOf({ list: ["en", "de"], except: ["/über-uns"] });
    expect(addressIn(table, "", "/%C3%BCber-uns/team", here("de"))).toBe("/%C3%BCber-uns/team");
  });
});

test("settings of languages get a default, a direction and their switches", () => {
  expect(tableOf({ list: ["de", { lang: "ar" }, { lang: "he", dir: "ltr" }], default: "ar" })).toEqual({
    default: "ar",
    prefixDefault: false,
    detect: true,
    canonical: true,
    list: [{ lang: "de" }, { lang: "ar", dir: "rtl" }, { lang: "he" }],
  });
});

test.each([
  [[], "languages must be"],
  [{ list: [] }, "languages must be"],
  [{ list: ["en_US"] }, '"en_US" must be a language tag'],
  [{ list: ["../x"] }, "must be a language tag"],
  [{ list: ["en", "en"] }, "has en twice"],
  [
    {
      list: [
        { lang: "en", domain: "a.de" },
        { lang: "de", domain: "a.de" },
      ],
    },
    "the domain a.de twice",
  ],
  [{ list: [{ lang: "en", domain: "https://a.de" }] }, "no host such as"],
  [{ list: [{ lang: "en", text: {} }] }, "unknown setting text"],
  [{ list: [{ lang: "en", texts: { home: 1 } }] }, "texts that are no texts"],
  [{ list: ["en"], default: "de" }, "default must be one of the list: en"],
  [{ list: ["en"], detect: "yes" }, "languages.detect must be true or false"],
  [{ list: ["en"], prefix: true }, "languages.prefix is not known"],
  [{ list: ["pt-BR", "pt-br"] }, "has pt-br twice"],
  [{ list: ["en", "de"], only: "/shop" }, '"de" has only that is no list of paths'],
  [{ list: ["en", { lang: "de", except: ["/shop/"] }] }, '"de" has except that is no list of paths'],
  [{ list: ["en", "de"], except: ["/docs/[guide]"] }, "no list of paths"],
  [{ list: [{ lang: "en", only: ["/shop"] }, "de"] }, '"en" is the default language, which all pages have'],
])("wrong settings %j are named", (settings, problem) => {
  const { languages, problems } = readLanguages(settings);
  expect(languages).toBeUndefined();
  expect(problems.join("\n")).toContain(problem);
});
