import "./panels.css";
import { useEffect, useState, useSyncExternalStore } from "react";
import { useScripts } from "../parts/copy.tsx";
import { atFirst, type CachedPage, current, subscribe, type Watched } from "./watch.ts";

/** Live views of the framework's work in this tab, fed by its own signals. */
export function Panels() {
  const watched = useSyncExternalStore(subscribe, current, atFirst);
  const now = useClock();
  if (!useScripts()) return null;
  return (
    <section className="panels" aria-labelledby="panels">
      <h2 id="panels">What happens in this tab</h2>
      <Navigations watched={watched} />
      <Slots running={watched.running} />
      <Cache cached={watched.cached} now={now} />
      <FullLoads watched={watched} now={now} />
      <Envelopes watched={watched} />
      <Trace watched={watched} />
    </section>
  );
}

function Navigations({ watched: { navigations } }: { watched: Watched }) {
  return (
    <div className="panel broad">
      <h3>Navigations</h3>
      {navigations.length === 0 ? (
        <p className="muted">None yet in this tab. Follow any link.</p>
      ) : (
        <ol>
          {navigations.map(({ at, to, end, ms }) => (
            <li key={at}>
              <code>{to}</code>
              <span className={`state ${colourOf(end)}`}>{end}</span>
              <span className="muted">{Math.round(ms).toLocaleString("en")} ms</span>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function colourOf(end: string): string {
  if (/^committed, [45]/.test(end)) return "warning";
  if (end.startsWith("committed") || end === "redirected") return "good";
  return end.startsWith("failed") ? "error" : "warning";
}

const slots = [0, 1, 2, 3, 4];

function Slots({ running }: { running: readonly string[] }) {
  return (
    <div className="panel">
      <h3>Prefetches running</h3>
      <p className="slots">
        {slots.map((slot) => (
          <span key={slot} className={slot < running.length ? "taken" : undefined} />
        ))}
        <span className="muted">{running.length} of 5</span>
      </p>
    </div>
  );
}

const freshMs = 30_000;
const expiresMs = 300_000;

function Cache({ cached, now }: { cached: readonly CachedPage[]; now: number }) {
  const kept = cached.filter(({ storedAt }) => now - storedAt < expiresMs);
  return (
    <div className="panel">
      <h3>Fetched ahead</h3>
      {kept.length === 0 && <p className="muted">Nothing. Rest on a link.</p>}
      <ol>
        {kept.slice(0, 6).map(({ path, storedAt }) => {
          const age = Math.max(0, now - storedAt);
          return (
            <li key={path}>
              <code>{path}</code>
              <span className={`state ${age < freshMs ? "good" : "warning"}`}>{age < freshMs ? "fresh" : "stale"}</span>
              <span className="muted">{Math.floor(age / 1000)} s</span>
            </li>
          );
        })}
      </ol>
      {kept.length > 6 && <p className="muted">and {kept.length - 6} more</p>}
    </div>
  );
}

function FullLoads({ watched: { fullLoads }, now }: { watched: Watched; now: number }) {
  const recent = fullLoads.filter(({ at }) => now - at < 60_000);
  return (
    <div className="panel">
      <h3>Automatic full loads</h3>
      <p className="muted">{recent.filter(({ allowed }) => allowed).length} of 3 in the last minute</p>
      <ol>
        {recent.map(({ at, reason, allowed }) => (
          <li key={at}>
            <span>{reason}</span>
            <span className={`state ${allowed ? "warning" : "error"}`}>{allowed ? "loaded in full" : "refused"}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Envelopes({ watched: { envelopes } }: { watched: Watched }) {
  return (
    <div className="panel two">
      <h3>Last envelopes</h3>
      {envelopes.length === 0 ? (
        <p className="muted">None yet. A trace is sent when its page has settled, an error at once.</p>
      ) : (
        <ol>
          {envelopes.map(({ at, items, bytes }) => (
            <li key={`${at}-${bytes}`}>
              <time dateTime={new Date(at).toISOString()}>{new Date(at).toISOString().slice(11, 19)} UTC</time>
              <span>{items.join(", ")}</span>
              <span className="muted">{bytes.toLocaleString("en")} bytes</span>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function Trace({ watched: { trace } }: { watched: Watched }) {
  return (
    <div className="panel">
      <h3>Trace of the last page data</h3>
      {trace ? (
        <p>
          <code>{trace.of}</code>
          <br />
          {trace.sampled ? (
            <a href={`/_holdfast/1/traces/${trace.id}`} data-hard="" data-prefetch="none">
              {trace.id.slice(0, 8)}… in the console
            </a>
          ) : (
            <span className="muted">{trace.id.slice(0, 8)}…, not sampled</span>
          )}
        </p>
      ) : (
        <p className="muted">None yet. Follow any link.</p>
      )}
    </div>
  );
}

/** The time, updated every second. Zero on the server, where nothing uses it. */
function useClock(): number {
  const [now, setNow] = useState(0);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
