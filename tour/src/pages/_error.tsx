import { usePage } from "holdfast";
import { use } from "react";
import { type FrameWords, WordsContext } from "../languages/frame-words.ts";
import { Digest } from "../parts/digest.tsx";

export default function Failed({ digest, side, status, retry }: ErrorProps) {
  const { path, search, back } = usePage();
  const words = use(WordsContext);
  const { title, text } = wordsFor(status, side, words);
  return (
    <main className="plain-page">
      <title>{`${title} – Holdfast`}</title>
      <meta name="robots" content="noindex" />
      <h1>{title}</h1>
      <p>{text}</p>
      {digest !== undefined && <Digest code={digest} />}
      <nav className="buttons" aria-label={words.waysOut}>
        <a
          className="button primary"
          href={path + search}
          onClick={(event) => {
            event.preventDefault();
            retry();
          }}
        >
          {words.tryAgain}
        </a>
        {back !== undefined && (
          <a className="button" href={back}>
            {words.back}
          </a>
        )}
        <a className="button" href="/">
          {words.home}
        </a>
      </nav>
    </main>
  );
}

function wordsFor(status: number, side: ErrorProps["side"], words: FrameWords): { title: string; text: string } {
  if (status === 400) return { title: words.badAddress, text: words.badAddressText };
  if (status === 401) return { title: words.signIn, text: words.signInText };
  if (status === 403) return { title: words.notAllowed, text: words.notAllowedText };
  const what = side === "server" ? words.serverError : words.browserError;
  return { title: words.error, text: `${what} ${words.tellDigest}` };
}
