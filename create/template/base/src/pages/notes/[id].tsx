import { Day } from "../../day.tsx";

export default function Note({ data }: PageProps<"/notes/[id]">) {
  return (
    <main>
      <title>{data.title}</title>
      <h1>{data.title}</h1>
      <Day date={data.written} />
      {data.text && <p className="text">{data.text}</p>}
      <p>
        <a href="/">All notes</a>
      </p>
    </main>
  );
}
