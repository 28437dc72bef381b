import { Link } from "holdfast";
import { TokenBook } from "../../../parts/settings/tokens.tsx";

type Props = PageProps<"/[project]/settings/tokens">;

/** Both kinds on one page: they differ in who owns them, not in what they do. */
export default function Tokens({ data, params: { project }, actions }: Props) {
  const { now, own, ofProject } = data;
  return (
    <main className="settings">
      <title>Tokens · Holdfast</title>
      <meta name="description" content="Tokens with which programs use the service." />
      <p>
        <Link to="/[project]/settings" params={{ project }}>
          Settings
        </Link>
      </p>
      <h1>Tokens</h1>
      <p>A program uses the service with a token: a script, a pipeline, an agent, or the command line.</p>
      {own && (
        <TokenBook id="own" title="Your tokens" tokens={own} now={now} action={actions.own}>
          A program acts in your name, in all your projects. A token permits no more than your roles, and ends with your
          account.
        </TokenBook>
      )}
      {ofProject && (
        <TokenBook id="project" title={`Tokens of ${data.name}`} tokens={ofProject} now={now} action={actions.project}>
          They belong to the project alone, and work on when people leave.
        </TokenBook>
      )}
      {!own && !ofProject && <p className="second">The owners of the project make them.</p>}
    </main>
  );
}
