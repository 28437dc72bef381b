import type { LanguageEntry, LanguageTable } from "./language-table.ts";
import { textDirection } from "./text-direction.ts";
import { writePathSegment } from "./write-segment.ts";

/** `languages` of the configuration. */
export interface LanguageSettings<Texts = Readonly<Record<string, string>>> {
  /** The languages, as tags such as `en` or `pt-BR`. Each tag is the prefix of its addresses: `/de/about`. */
  list: readonly (string | LanguageSetting<Texts>)[];
  /** The language of addresses without a prefix; the first of the list. */
  default?: string;
  /** The default language has a prefix too: `/en/about`. Addresses without one lead there. */
  prefixDefault?: boolean;
  /**
   * At the root of the default language, visitors who come from elsewhere are led to the language that they have chosen
   * earlier, or that their browser asks for. On by default.
   */
  detect?: boolean;
  /** Documents name their canonical address and those in other languages. On by default. */
  canonical?: boolean;
  /** Pages at and below these paths are translated, all others have the default language alone: `["/", "/shop"]`. */
  only?: readonly string[];
  /** Pages at and below these paths have the default language alone: `["/blog"]`. */
  except?: readonly string[];
}

export interface LanguageSetting<Texts = Readonly<Record<string, string>>> {
  lang: string;
  /** Direction of its text, if it is not the usual one of the language. */
  dir?: "ltr" | "rtl";
  /** A host that has only this language, without a prefix: `shop.de`. */
  domain?: string;
  /** Texts of the framework in this language. English and German are there. */
  texts?: Texts;
  /** Which pages are translated into this language, if they are not those of all languages. */
  only?: readonly string[];
  /** Which pages are not translated into this language, if they are not those of all languages. */
  except?: readonly string[];
}

export interface ReadLanguages {
  table: LanguageTable;
  /** Texts of the framework that the configuration gives, by language. */
  texts: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Reads `languages` of the configuration, with a sentence for each problem. Undefined without languages. */
export function readLanguages(settings: unknown): {
  languages: ReadLanguages | undefined;
  problems: readonly string[];
} {
  if (settings === undefined) return { languages: undefined, problems: [] };
  const { list, default: chosen, only, except, ...switches } = fieldsOf(settings);
  if (!Array.isArray(list) || list.length === 0)
    return { languages: undefined, problems: ['languages must be { list: ["en", "de"], … }'] };
  const problems: string[] = [];
  const texts: Record<string, Readonly<Record<string, string>>> = {};
  const entries = list.map((one: unknown): LanguageEntry => {
    const fields = typeof one === "string" ? { lang: one } : fieldsOf(one);
    const { lang, dir, domain, texts: own, only: ownOnly, except: ownExcept, ...others } = fields;
    const name = typeof lang === "string" ? lang : "";
    const say = (problem: string): void => void problems.push(`languages.list: ${JSON.stringify(lang)} ${problem}`);
    const usual = isPlain.test(name) ? textDirection(name) : undefined;
    if (usual === undefined) say("must be a language tag such as en or pt-BR");
    if (dir !== undefined && dir !== "ltr" && dir !== "rtl") say('has a dir that is neither "ltr" nor "rtl"');
    if (domain !== undefined && !(typeof domain === "string" && isHost.test(domain)))
      say("has a domain that is no host such as shop.de");
    if (own !== undefined && !Object.values(fieldsOf(own)).every((text) => typeof text === "string"))
      say("has texts that are no texts");
    for (const other of Object.keys(others)) say(`has an unknown setting ${other}`);
    if (own !== undefined) texts[name] = own as Readonly<Record<string, string>>;
    const isDefault = chosen === undefined ? one === list[0] : name === chosen;
    if (isDefault && (ownOnly ?? ownExcept) !== undefined) say("is the default language, which all pages have");
    const hasOwn = (ownOnly ?? ownExcept) !== undefined;
    const pages = isDefault ? {} : pagesOf(hasOwn ? { only: ownOnly, except: ownExcept } : { only, except }, say);
    return {
      lang: name,
      ...((dir ?? usual) === "rtl" && { dir: "rtl" }),
      ...(typeof domain === "string" && { domain }),
      ...pages,
    };
  });
  problems.push(...repeated(entries));
  const names = entries.map(({ lang }) => lang);
  if (chosen !== undefined && !names.includes(String(chosen)))
    problems.push(`languages.default must be one of the list: ${names.join(", ")}`);
  for (const [name, value] of Object.entries(switches)) {
    if (!switchNames.includes(name))
      problems.push(`languages.${name} is not known (known: list, default, only, except, ${switchNames.join(", ")})`);
    else if (typeof value !== "boolean") problems.push(`languages.${name} must be true or false`);
  }
  const table: LanguageTable = {
    default: chosen === undefined ? (names[0] ?? "") : String(chosen),
    prefixDefault: switches.prefixDefault === true,
    detect: switches.detect !== false,
    canonical: switches.canonical !== false,
    list: entries,
  };
  return { languages: problems.length > 0 ? undefined : { table, texts }, problems };
}

const switchNames = ["prefixDefault", "detect", "canonical"];

/** Written into addresses as it is. */
const isPlain = /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i;
const isHost = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d+)?$/;

/** Reads which pages have a language. Paths are written as requests have them. */
function pagesOf(
  settings: { only: unknown; except: unknown },
  say: (problem: string) => void,
): Pick<LanguageEntry, "only" | "except"> {
  const read = (name: "only" | "except"): string[] | undefined => {
    const paths = settings[name];
    if (paths === undefined) return undefined;
    const isGood = Array.isArray(paths) && paths.every((path) => typeof path === "string" && isPath.test(path));
    if (!isGood) say(`has ${name} that is no list of paths such as ["/", "/shop"]`);
    return isGood ? paths.map((path: string) => path.split("/").map(writePathSegment).join("/")) : undefined;
  };
  const [only, except] = [read("only"), read("except")];
  return { ...(only && { only }), ...(except && { except }) };
}

/** Parameters are left to the pages: `/docs` is about `/docs/[guide]` too. */
const isPath = /^(?:\/|(?:\/[^/?#[\]\s]+)+)$/;

function repeated(entries: readonly LanguageEntry[]): string[] {
  const twice = (values: readonly string[]): string[] => [
    ...new Set(values.filter((value, index) => values.indexOf(value) !== index)),
  ];
  return [
    ...twice(entries.map(({ lang }) => lang.toLowerCase())).map((lang) => `languages.list has ${lang} twice`),
    ...twice(entries.flatMap(({ domain }) => domain ?? [])).map((one) => `languages.list has the domain ${one} twice`),
  ];
}

function fieldsOf(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? value : {};
}
