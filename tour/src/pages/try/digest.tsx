export default function ReadADigest({ data: { asked, read } }: PageProps<"/try/digest">) {
  return (
    <div className="card stack">
      <form className="stack" method="get">
        <div className="field">
          <label htmlFor="code">A digest, as someone said or wrote it</label>
          <input id="code" name="code" type="text" defaultValue={asked} placeholder="7k2m 9qxd 4tba" />
        </div>
        <p className="buttons">
          <button className="button primary" type="submit">
            Read it
          </button>
          <a className="button" href="/try/digest?code=7k2m9qxd+4tba">
            In small letters
          </a>
          <a className="button" href="/try/digest?code=0oiL-9QXD-4TBA">
            With O for 0, i and L for 1
          </a>
          <a className="button" href="/try/digest?code=7K2M">
            Cut off
          </a>
        </p>
      </form>
      {asked !== "" && (
        <div role="status">
          {read === undefined ? (
            <p className="state error">✗ This is no digest: it has twelve letters and digits.</p>
          ) : (
            <>
              <p>
                <span className="digest">{read.digest}</span>
              </p>
              <p className="muted">
                The event’s id begins with <code>{read.eventId}</code>.
              </p>
              <p>
                <a href={`/_holdfast/d/${read.digest}`} data-hard="">
                  Look for it in the console
                </a>
              </p>
            </>
          )}
        </div>
      )}
    </div>
  );
}
