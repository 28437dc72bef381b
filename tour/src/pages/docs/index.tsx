import { Blocks } from "../../parts/blocks.tsx";

export default function Contents({ data }: PageProps<"/docs">) {
  return (
    <article className="prose">
      <title>Documentation – Holdfast</title>
      <meta
        name="description"
        content="From an empty folder to an application that runs: tutorial, guides, reference and every error of Holdfast."
      />
      <Blocks blocks={data.blocks} />
    </article>
  );
}
