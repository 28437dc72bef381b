import { href } from "holdfast";
import { NewToken, TokenList } from "../../../parts/settings/tokens.tsx";

type Props = PageProps<"/[project]/settings/tokens">;

export default function ProjectTokens({ data, params: { project }, actions }: Props) {
  return (
    <main className="settings">
      <title>Tokens · Holdfast</title>
      <meta name="description" content="Tokens with which programs use this project." />
      <h1>Tokens of {data.project}</h1>
      <p>
        A program uses a token for the API of this project. It belongs to the project, so that it works on when people
        leave. <a href={href("/[project]/settings", { project })}>Back to the settings</a>
      </p>
      <TokenList tokens={data.tokens} now={data.now} action={actions.tokens} />
      <NewToken action={actions.tokens} />
    </main>
  );
}
