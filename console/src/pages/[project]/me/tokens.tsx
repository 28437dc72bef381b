import { href } from "holdfast";
import { NewToken, TokenList } from "../../../parts/settings/tokens.tsx";

type Props = PageProps<"/[project]/me/tokens">;

export default function OwnTokens({ data, params: { project }, actions }: Props) {
  return (
    <main className="settings">
      <title>Your tokens · Holdfast</title>
      <meta name="description" content="Tokens with which your own programs use the service." />
      <h1>Your tokens</h1>
      <p>
        A token lets a program of yours act in your name, in all your projects. It permits no more than your roles, and
        ends with your account. <a href={href("/[project]/me", { project })}>Back to your settings</a>
      </p>
      <TokenList tokens={data.tokens} now={data.now} action={actions.tokens} />
      <NewToken action={actions.tokens} />
    </main>
  );
}
