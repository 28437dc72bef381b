import { Link } from "holdfast";
import { Pending } from "../../try/pending.tsx";

const choices = [0, 500, 2_000, 5_000, 9_000, 12_000];

export default function Slow({ data }: PageProps<"/try/slow">) {
  return (
    <div className="card stack">
      <p>
        The server took <strong>{data.ms.toLocaleString("en")} ms</strong> for this page and had it at{" "}
        <time dateTime={data.at.toISOString()}>{data.at.toISOString().slice(11, 19)} UTC</time>.
      </p>
      <p className="buttons">
        {choices.map((ms) => (
          <Link key={ms} className="button" to="/try/slow" search={{ ms }} prefetch="none">
            {ms.toLocaleString("en")} ms
          </Link>
        ))}
      </p>
      <Pending />
    </div>
  );
}
