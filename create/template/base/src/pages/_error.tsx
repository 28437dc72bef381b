import { useAnswerAddress, usePage } from "holdfast";

export default function Failed({ digest, side, retry }: ErrorProps) {
  const { path, search } = usePage();
  const answer = useAnswerAddress(digest);
  return (
    <main>
      <title>Application error</title>
      <h1>Application error</h1>
      <p>
        A {side === "server" ? "server" : "client"}-side exception has occurred. It has been recorded; if you write to
        us, this digest leads to it:
      </p>
      {digest && <p className="digest">{digest}</p>}
      <div className="buttons">
        <a
          className="button first"
          href={path + search}
          onClick={(event) => {
            event.preventDefault();
            retry();
          }}
        >
          Try again
        </a>
        {answer && (
          <a className="button" href={answer} data-hard="">
            Is it repaired?
          </a>
        )}
        <a className="button" href="/">
          All notes
        </a>
      </div>
    </main>
  );
}
