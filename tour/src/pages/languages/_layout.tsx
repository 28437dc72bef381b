import "../../look/try.css";
import "../../look/languages.css";
import { Link, useLanguage } from "holdfast";

const names = { en: "English", de: "Deutsch", ar: "العربية" };

export default function Ferries({ data: { words }, children }: LayoutProps<"/languages">) {
  const { lang, all } = useLanguage();
  return (
    <div className="ferries wide">
      <div className="ferries-head">
        <nav aria-label={words.language}>
          {all.map((one) => (
            <a
              key={one.lang}
              className="button"
              href={one.href}
              hrefLang={one.lang}
              lang={one.lang}
              aria-current={one.lang === lang ? "true" : undefined}
            >
              {names[one.lang]}
            </a>
          ))}
        </nav>
        <nav aria-label={words.title}>
          <Link to="/languages">{words.all}</Link>
          <Link to="/try/languages" hrefLang="en">
            {words.experiment}
          </Link>
        </nav>
      </div>
      {children}
    </div>
  );
}
