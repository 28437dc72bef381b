import "../../../look/lamps.css";
import { Form, Link, useSocket } from "holdfast";
import { useEffect, useState } from "react";
import { useScripts } from "../../../parts/copy.tsx";

type Props = PageProps<"/try/live">;
type Change = Props["data"]["latest"][number];

const all = Array.from({ length: 18 }, (_, index) => index);

export default function Live({ data, actions }: Props) {
  const [lit, setLit] = useState<readonly number[]>(data.lit);
  const [tabs, setTabs] = useState<number>();
  const [queued, setQueued] = useState(0);
  const { state, send } = useSocket("/try/live/room", {
    onMessage: (message) => {
      if ("tabs" in message) return setTabs(message.tabs);
      if ("lit" in message) {
        setQueued(0);
        return setLit(message.lit);
      }
      const { lamp, on } = message.change;
      setLit((before) => [...before.filter((one) => one !== lamp), ...(on ? [lamp] : [])]);
    },
  });
  const scripts = useScripts();
  return (
    <div className="card stack">
      <div className="live-head">
        {scripts && <Connection state={state} tabs={tabs} queued={queued} />}
        <noscript>
          <p>Without JavaScript the lamps are a form: they work, and the page shows how it was when you loaded it.</p>
        </noscript>
      </div>
      <Form action={actions.switch}>
        <div className="lamps">
          {all.map((lamp) => (
            <button
              key={lamp}
              type="submit"
              name="lamp"
              value={lamp}
              className="lamp"
              aria-pressed={lit.includes(lamp)}
              onClick={(event) => {
                event.preventDefault();
                if (send({ lamp }) === "waiting") setQueued((before) => before + 1);
              }}
            >
              <span className="hidden">Lamp {lamp + 1}</span>
            </button>
          ))}
        </div>
      </Form>
      <p className="buttons">
        {scripts ? (
          <button
            type="button"
            className="button"
            disabled={state !== "open"}
            onClick={() => void send({ drop: true })}
          >
            Drop my connection
          </button>
        ) : (
          <Link className="button" to="/try/live" prefetch="none">
            Refresh
          </Link>
        )}
        <a className="button" href="/try/live" target="_blank" rel="noreferrer">
          Open a second tab
        </a>
      </p>
      <h2>What happened</h2>
      <Feed latest={data.latest} lastId={data.lastId} />
    </div>
  );
}

interface ConnectionProps {
  state: ReturnType<typeof useSocket>["state"];
  tabs: number | undefined;
  queued: number;
}

function Connection({ state, tabs, queued }: ConnectionProps) {
  if (state === "open")
    return (
      <p role="status" className="state good">
        ● Connected{tabs !== undefined && `, ${tabs} ${tabs === 1 ? "tab" : "tabs"} here`}
      </p>
    );
  if (state === "closed")
    return (
      <p role="status" className="state error">
        ✕ Closed by the server
      </p>
    );
  return (
    <p role="status" className="state warning">
      ○ {state === "waiting" ? "Connection lost, reconnecting" : "Connecting"}
      {queued > 0 && `. ${queued} ${queued === 1 ? "switch waits" : "switches wait"} for it`}
    </p>
  );
}

/** The changes, by server-sent events. A browser that reconnects says the last one it has, so none is missed. */
function Feed({ latest, lastId }: Pick<Props["data"], "latest" | "lastId">) {
  const [changes, setChanges] = useState<readonly Change[]>(latest);
  useEffect(() => {
    const source = new EventSource(`/try/live/feed?after=${lastId}`);
    source.onmessage = ({ data }) => {
      const change = JSON.parse(data);
      setChanges((before) => [...before, { ...change, at: new Date(change.at) }].slice(-6));
    };
    return () => source.close();
  }, [lastId]);
  if (changes.length === 0) return <p className="muted">Nothing since this server started.</p>;
  return (
    <ul className="plain-list feed" aria-live="polite">
      {changes.toReversed().map(({ id, lamp, on, at }) => (
        <li key={id}>
          <time dateTime={at.toISOString()}>{at.toISOString().slice(11, 19)}</time> Lamp {lamp + 1} {on ? "on" : "off"}
        </li>
      ))}
    </ul>
  );
}
