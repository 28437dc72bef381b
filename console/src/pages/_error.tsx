import { usePage } from "holdfast";

export default function Problem({ status, digest }: ErrorProps) {
  const { path } = usePage();
  const refused = status === 401 || status === 403;
  return (
    <main className="lonely">
      <title>{refused ? "Not allowed · Holdfast" : "Something broke · Holdfast"}</title>
      <meta name="robots" content="noindex" />
      <h1>{refused ? "This console is not open to you" : "The console itself has failed"}</h1>
      {refused ? (
        <p>
          You may not do this here, or are not signed in to the application. Who may is decided by{" "}
          <code>console.authorize</code> in <code>holdfast.config.ts</code>, or by the role of your account.
        </p>
      ) : (
        <p>What it could not show is still kept. The failure has been recorded{digest ? " under this digest:" : "."}</p>
      )}
      {digest && <p className="digest-large">{digest}</p>}
      <p>
        <a href={path} data-hard="">
          Try again
        </a>
      </p>
    </main>
  );
}
