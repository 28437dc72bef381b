import { Await } from "holdfast";
import { useState } from "react";
import { useScripts } from "../../parts/copy.tsx";

interface Line {
  ms: number;
  text: string;
}

export default function Wire({ data }: PageProps<"/try/wire">) {
  const [lines, setLines] = useState<readonly Line[]>();
  const scripts = useScripts();
  return (
    <div className="card stack">
      <p>
        The page itself has a date ({data.placed.toISOString().slice(0, 10)}), a map of {data.items.size}, a big integer
        ({String(data.cents)}), something undefined ({String(data.note)}) and a promise (
        <Await value={data.later} fallback="on its way">
          {(later) => later}
        </Await>
        ).
      </p>
      <p className="buttons">
        {scripts && (
          <button type="button" className="button primary" onClick={() => void listen(setLines)}>
            Fetch its data slowly
          </button>
        )}
        <a className="button" href="/try/wire/_data" data-hard="">
          See the answer as it is
        </a>
      </p>
      {lines && (
        <ol className="wire" aria-live="polite">
          {lines.map(({ ms, text }) => (
            <li key={ms}>
              <span className="muted">{Math.round(ms).toLocaleString("en")} ms</span>
              {text === "" ? <span className="state info">heartbeat</span> : <code>{shortened(text)}</code>}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

/** The response also contains the source that this page shows, which would hide the rest. */
function shortened(text: string): string {
  return text.length < 200 ? text : `${text.slice(0, 90)} … ${text.slice(-90)}`;
}

/** Reads the data response of this page as the framework does, with the time of each line. */
async function listen(tell: (lines: readonly Line[]) => void): Promise<void> {
  const startedAt = performance.now();
  const lines: Line[] = [];
  tell([]);
  const answer = await fetch("/try/wire/_data?slowly");
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    const whole = (rest + part.value).split("\n");
    rest = whole.pop() ?? "";
    // Lines of one packet arrive together; a fraction of a millisecond separates them.
    for (const [index, text] of whole.entries()) lines.push({ ms: performance.now() - startedAt + index / 1000, text });
    tell([...lines]);
  }
}
