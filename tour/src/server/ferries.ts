import type { Language } from "holdfast";
import { ferryWords } from "../languages/ferry-words.ts";

const ferries = [
  { id: "island", departs: "08:15", minutes: 25, cents: 850, free: 1 },
  { id: "lighthouse", departs: "10:40", minutes: 70, cents: 1_490, free: 2 },
  { id: "bay", departs: "17:05", minutes: 45, cents: 1_120, free: 14 },
] as const;

/** The ferries as a language writes them: names, times, prices and plurals. */
export function ferriesIn(lang: Language) {
  const words = ferryWords[lang];
  const time = new Intl.DateTimeFormat(lang, { timeStyle: "short", timeZone: "UTC" });
  const minutes = new Intl.NumberFormat(lang, { style: "unit", unit: "minute", unitDisplay: "long" });
  const euro = new Intl.NumberFormat(lang, { style: "currency", currency: "EUR" });
  const plurals = new Intl.PluralRules(lang);
  return ferries.map((ferry) => {
    const places = words.free[plurals.select(ferry.free)] ?? words.free.other;
    return {
      id: ferry.id,
      name: words.names[ferry.id],
      text: words.texts[ferry.id],
      departs: time.format(new Date(`2027-05-04T${ferry.departs}:00Z`)),
      takes: minutes.format(ferry.minutes),
      fare: euro.format(ferry.cents / 100),
      free: places.replace("{n}", new Intl.NumberFormat(lang).format(ferry.free)),
    };
  });
}
