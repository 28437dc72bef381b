import { addressBelow, addressIn, isTranslated, spellAddress, splitLanguage } from "#routes";
import type { SitePages } from "./author/visit-scope.ts";
import type { Site } from "./site.ts";

type KnownSite = Pick<Site, "application" | "languages">;

/** The addresses of an application's pages, as a request of this origin names them. */
export function sitePages({ application, languages }: KnownSite, origin: string): SitePages {
  const { at, routes } = application.parts.table;
  const isOpen = async (path: string): Promise<boolean> => {
    const { route } = await application.find(application.match(path));
    return !route.guards.some((guard) => guard !== undefined);
  };
  const whole = (address: string): string => new URL(address, origin).href;
  return {
    paths: async (which) => {
      // An optional parameter may be left out.
      const plain = routes.filter(
        ({ kind, segments }) =>
          kind === "page" && segments.every((one) => one.kind === "static" || one.kind === "optional"),
      );
      const paths = plain.map(({ segments }) => addressBelow(at, `/${segments.flatMap(textOf).join("/")}`));
      if (which === "all") return paths;
      const open = await Promise.all(paths.map(isOpen));
      return paths.filter((_, index) => open[index]);
    },
    addressesOf: (address) => {
      const own = addressBelow(at, address);
      const spelled = application.parts.trailingSlash ? spellAddress(own) : own;
      if (!languages) return { kind: "one", url: whole(spelled) };
      const { table } = languages;
      const plain = splitLanguage(table, at, spelled).path;
      const inLanguage = (lang: string): string => whole(addressIn(table, at, plain, { lang, origin }));
      const list = table.list.filter((entry) => isTranslated(entry, at, plain));
      if (list.length < 2) return { kind: "one", url: inLanguage(table.default) };
      return {
        kind: "several",
        main: inLanguage(table.default),
        all: list.map(({ lang }) => ({ lang, url: inLanguage(lang) })),
      };
    },
  };
}

function textOf(segment: { kind: string; text?: string }): string[] {
  return segment.text === undefined ? [] : [encodeURIComponent(segment.text)];
}
