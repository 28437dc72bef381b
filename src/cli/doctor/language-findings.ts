import { hasTexts, readApplication } from "#build";
import type { DoctorFinding } from "./finding.ts";

const about = "Languages";

type Languages = NonNullable<Awaited<ReturnType<typeof readApplication>>["languages"]>;
type Entry = Languages["table"]["list"][number];

/** The languages, which pages each has, and those without texts of the framework. */
export async function languageFindings(root: string): Promise<DoctorFinding[]> {
  // The findings about routes and settings say why an application cannot be read.
  const { languages } = await readApplication(root).catch(() => ({ languages: undefined }));
  if (!languages) return [];
  const { table, texts } = languages;
  const message = table.list.map((entry) => describe(entry, entry.lang === table.default)).join(", ");
  const inEnglish = table.list.map(({ lang }) => lang).filter((lang) => !texts[lang] && !hasTexts(lang));
  if (inEnglish.length === 0) return [{ kind: "good", about, message }];
  const missing = `texts of the framework are English in ${inEnglish.join(", ")}; give them as texts of the language`;
  return [
    { kind: "good", about, message },
    { kind: "notice", about, message: missing },
  ];
}

function describe({ lang, dir, domain, only, except }: Entry, isDefault: boolean): string {
  const facts = [
    ...(isDefault ? ["default"] : []),
    ...(dir === "rtl" ? ["right to left"] : []),
    ...(domain === undefined ? [] : [`on ${domain}`]),
    ...(only ? [`only ${only.join(" ")}`] : []),
    ...(except ? [`except ${except.join(" ")}`] : []),
  ];
  return facts.length === 0 ? lang : `${lang} (${facts.join("; ")})`;
}
