import type { Language } from "holdfast";

/** What the pages about ferries say. The server takes them from here, so that the browser gets one language. */
const english = {
  title: "Ferries from Holm harbour",
  lead: "One page in three languages. The address says which; times, prices and plurals follow it.",
  departs: "Departs",
  takes: "Takes",
  fare: "Fare",
  free: { one: "{n} free place", other: "{n} free places" } as Plural,
  all: "All ferries",
  language: "Language",
  missing: "A ferry that does not exist",
  failing: "A page that fails",
  mishaps: "What goes wrong is in the language too",
  experiment: "About this experiment",
  names: { island: "Little Island", lighthouse: "The Lighthouse", bay: "Seal Bay" },
  texts: {
    island: "A harbour, a bakery, and a path that leads around the island in an hour.",
    lighthouse: "Up 172 steps, and you see two countries.",
    bay: "At low tide seals rest on the sandbank.",
  },
};

export type FerryWords = typeof english;

/** By the categories of `Intl.PluralRules`: English has two, Arabic six. */
export type Plural = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;

const german: FerryWords = {
  title: "Fähren ab Hafen Holm",
  lead: "Eine Seite in drei Sprachen. Die Adresse sagt, in welcher; Zeiten, Preise und Mehrzahl folgen ihr.",
  departs: "Abfahrt",
  takes: "Dauer",
  fare: "Preis",
  free: { one: "{n} freier Platz", other: "{n} freie Plätze" },
  all: "Alle Fähren",
  language: "Sprache",
  missing: "Eine Fähre, die es nicht gibt",
  failing: "Eine Seite, die scheitert",
  mishaps: "Auch was schiefgeht, ist in der Sprache",
  experiment: "Über diesen Versuch",
  names: { island: "Kleine Insel", lighthouse: "Der Leuchtturm", bay: "Robbenbucht" },
  texts: {
    island: "Ein Hafen, eine Bäckerei und ein Weg, der in einer Stunde um die Insel führt.",
    lighthouse: "172 Stufen hinauf, und man sieht zwei Länder.",
    bay: "Bei Ebbe ruhen Robben auf der Sandbank.",
  },
};

const arabic: FerryWords = {
  title: "عبّارات من ميناء هولم",
  lead: "صفحة واحدة بثلاث لغات. العنوان يحدد اللغة، وتتبعها الأوقات والأسعار وصيغ الجمع.",
  departs: "المغادرة",
  takes: "المدة",
  fare: "السعر",
  free: {
    zero: "لا أماكن شاغرة",
    one: "مكان شاغر واحد",
    two: "مكانان شاغران",
    few: "{n} أماكن شاغرة",
    many: "{n} مكانًا شاغرًا",
    other: "{n} مكان شاغر",
  },
  all: "كل العبّارات",
  language: "اللغة",
  missing: "عبّارة غير موجودة",
  failing: "صفحة تتعطل",
  mishaps: "وما يتعطل يظهر باللغة نفسها",
  experiment: "عن هذه التجربة",
  names: { island: "الجزيرة الصغيرة", lighthouse: "المنارة", bay: "خليج الفقمات" },
  texts: {
    island: "ميناء ومخبز ودرب يدور حول الجزيرة في ساعة.",
    lighthouse: "اصعد 172 درجة لترى بلدين.",
    bay: "عند الجزر ترتاح الفقمات على الشاطئ الرملي.",
  },
};

export const ferryWords: Readonly<Record<Language, FerryWords>> = { en: english, de: german, ar: arabic };
