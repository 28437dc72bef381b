import { Blocks } from "../../parts/blocks.tsx";

export default function Contents({ data }: PageProps<"/docs">) {
  return (
    <article className="prose">
      <title>Documentation – Holdfast</title>
      <Blocks blocks={data.blocks} />
    </article>
  );
}
