import { Blocks } from "../../../parts/blocks.tsx";

export default function ErrorPage({ data }: PageProps<"/docs/errors/[code]">) {
  return (
    <article className="prose">
      <title>{`${data.code} – Holdfast`}</title>
      <h1>
        <code>{data.code}</code>
      </h1>
      <Blocks blocks={data.blocks} />
      <p>
        <a href="/docs/error-catalogue">All errors</a>
      </p>
    </article>
  );
}
