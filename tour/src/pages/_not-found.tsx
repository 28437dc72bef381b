import { usePage } from "holdfast";
import { use } from "react";
import { WordsContext } from "../languages/frame-words.ts";

export default function NotFound() {
  const { path, back } = usePage();
  const words = use(WordsContext);
  return (
    <main className="plain-page">
      <title>{`${words.notFound} – Holdfast`}</title>
      <meta name="robots" content="noindex" />
      <h1>{words.notFound}</h1>
      <p>
        {words.noPageAt} <code dir="ltr">{path}</code>
      </p>
      <p>{words.sameStatus}</p>
      <nav className="buttons" aria-label={words.waysOut}>
        <a className="button primary" href="/">
          {words.home}
        </a>
        {back !== undefined && (
          <a className="button" href={back}>
            {words.back}
          </a>
        )}
        <a className="button" href="/try">
          {words.everything}
        </a>
        <a className="button" href="/docs">
          {words.documentation}
        </a>
      </nav>
    </main>
  );
}
