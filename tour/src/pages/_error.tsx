import { usePage } from "holdfast";
import { Digest } from "../parts/digest.tsx";

export default function Failed({ digest, side, status, retry }: ErrorProps) {
  const { path, search, back } = usePage();
  const words = wordsFor(status, side);
  return (
    <main className="plain-page">
      <title>{`${words.title} – Holdfast`}</title>
      <meta name="robots" content="noindex" />
      <h1>{words.title}</h1>
      <p>{words.text}</p>
      {digest !== undefined && <Digest code={digest} />}
      <nav className="buttons" aria-label="Ways out">
        <a
          className="button primary"
          href={path + search}
          onClick={(event) => {
            event.preventDefault();
            retry();
          }}
        >
          Try again
        </a>
        {back !== undefined && (
          <a className="button" href={back}>
            Back
          </a>
        )}
        <a className="button" href="/">
          Home
        </a>
      </nav>
    </main>
  );
}

function wordsFor(status: number, side: ErrorProps["side"]): { title: string; text: string } {
  if (status === 400)
    return { title: "Address not understood", text: "Part of this address has a value that the page cannot use." };
  if (status === 401) return { title: "Sign-in needed", text: "This page is only for visitors who have signed in." };
  if (status === 403) return { title: "Not allowed", text: "You are signed in, but this page is not for you." };
  return {
    title: "Application error",
    text: `A ${side === "server" ? "server" : "client"}-side exception has occurred. What was thrown stays on the server; the digest leads to it.`,
  };
}
