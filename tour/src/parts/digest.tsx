import { Copy } from "./copy.tsx";

/** The digest of an error, to read aloud, copy and look up, and a form for a note about it. */
export function Digest({ code }: { code: string }) {
  return (
    <>
      <p>
        <span className="muted small">Digest</span>
        <br />
        <span className="digest">{code}</span> <Copy text={code} what="the digest" className="button" />
      </p>
      <p>
        <a href={`/_holdfast/1/events/${code}`} data-hard="">
          See what was thrown, in the console
        </a>
      </p>
      <details className="note">
        <summary>Say what you were doing</summary>
        <form method="post" action="/_holdfast/note" className="field">
          <input type="hidden" name="digest" value={code} />
          <label htmlFor="note">Note</label>
          <textarea id="note" name="note" rows={3} maxLength={2000} required />
          <p>
            <button type="submit" className="button">
              Send the note
            </button>
          </p>
        </form>
      </details>
    </>
  );
}
