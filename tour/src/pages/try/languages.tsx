import { Tries } from "../../try/tries.tsx";

const pages = [
  { href: "/languages", says: "The page in English, the default language: its address has no prefix." },
  {
    href: "/de/languages",
    says: "The same page in German. Its links stay in German; the buttons at its top change the language.",
  },
  { href: "/ar/languages", says: "The same page in Arabic, from right to left, with six forms of the plural." },
  { href: "/de/languages/nowhere", says: "A page that is missing is missing in German: 404." },
  { href: "/de/languages/storm", says: "A page that fails does so in German, with its digest: 500." },
  { href: "/de/docs/languages", says: "The guides are not translated: this leads to the one address of the guide." },
];

export default function Languages() {
  return (
    <div className="card stack">
      <Tries
        tries={pages}
        link={(href) => (
          <a href={href} data-prefetch="none">
            {href}
          </a>
        )}
      />
    </div>
  );
}
