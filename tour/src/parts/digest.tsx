import { useAnswerAddress } from "holdfast";
import { use } from "react";
import { WordsContext } from "../languages/frame-words.ts";
import { Copy } from "./copy.tsx";

/** The digest of an error, to read aloud, copy and look up, and a form for a note about it. */
export function Digest({ code }: { code: string }) {
  const words = use(WordsContext);
  const answer = useAnswerAddress(code);
  return (
    <div className="ticket">
      <p>
        <span>
          {words.digest} <span className="digest">{code}</span>
        </span>
        <Copy text={code} what={words.copyDigest} className="button" words={words} />
      </p>
      <p>
        {words.reported}
        {answer && (
          <a href={answer} data-hard="">
            {words.seeRepaired}
          </a>
        )}
        <a href={`/_holdfast/1/events/${code}`} data-hard="">
          {words.seeThrown}
        </a>
      </p>
      <details className="note">
        <summary>{words.sayMore}</summary>
        <form method="post" action="/_holdfast/note" className="field">
          <input type="hidden" name="digest" value={code} />
          <label htmlFor="note">{words.note}</label>
          <textarea id="note" name="note" rows={3} maxLength={2000} required />
          <p>
            <button type="submit" className="button">
              {words.sendNote}
            </button>
          </p>
        </form>
      </details>
    </div>
  );
}
