import type { Token } from "../../server/colour-source.ts";
import type { ShownException, ShownFrame } from "../../server/show-event.ts";
import { many } from "../charts/numbers.ts";
import { Pairs } from "./pairs.tsx";

interface StackProps {
  chain: readonly ShownException[];
  title: string;
  /** Whether every frame is open. */
  isUnfolded: boolean;
}

/**
 * The thrown exception and its causes. Frames of the application are open, those of libraries folded and counted. Text
 * in the title of the page is not repeated.
 */
export function Stack({ chain, title, isUnfolded }: StackProps) {
  return (
    <div className="stack">
      {chain.map((exception, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the chain keeps its order, and equal causes have no other key
        <section key={index} data-depth={exception.depth > 0 ? Math.min(exception.depth, deepestShown) : undefined}>
          {(index > 0 || `${exception.type}: ${exception.message}` !== title) && (
            <>
              <h3>
                {exception.relation !== "" && <span className="second">{exception.relation} </span>}
                {exception.type}
              </h3>
              {exception.message !== "" && <p className="message">{exception.message}</p>}
            </>
          )}
          {exception.frames.length === 0 ? (
            <p className="second">It came without a stack.</p>
          ) : (
            <ol className="frames">{runsOf(exception.frames).map((run, at) => writeRun(run, at, isUnfolded))}</ol>
          )}
        </section>
      ))}
    </div>
  );
}

/** Each frame of the application, and between them runs of library frames. */
type Run =
  | { kind: "own"; frame: ShownFrame; place: number }
  /** Shown completely if there is nothing else. */
  | { kind: "library"; frames: ShownFrame[]; place: number; isAll: boolean };

function runsOf(frames: readonly ShownFrame[]): Run[] {
  const runs: Run[] = [];
  const isAll = frames.every((frame) => !frame.isApplication);
  for (const [place, frame] of frames.entries()) {
    const last = runs.at(-1);
    if (frame.isApplication) runs.push({ kind: "own", frame, place });
    else if (last?.kind === "library") last.frames.push(frame);
    else runs.push({ kind: "library", frames: [frame], place, isAll });
  }
  return runs;
}

/** Deeper groups are shown at this depth, or a phone would have no room for them. */
const deepestShown = 4;

// Further frames are rarely read, and each takes a quarter of a screen.
const openedFrames = 4;

function writeRun(run: Run, index: number, isUnfolded: boolean) {
  if (run.kind === "own" && run.frame.source.length === 0 && run.frame.locals.length === 0)
    return (
      <li key={run.place} className="bare">
        <Place frame={run.frame} />
      </li>
    );
  if (run.kind === "own")
    return (
      <li key={run.place}>
        <details open={isUnfolded || index < openedFrames}>
          <summary>
            <Place frame={run.frame} />
          </summary>
          <Source frame={run.frame} />
        </details>
      </li>
    );
  return (
    <li key={run.place}>
      <details open={isUnfolded || run.isAll}>
        <summary className="second">{many(run.frames.length, "frame")} of libraries</summary>
        <ol className="frames">
          {run.frames.map((frame, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a stack keeps its order; equal frames have no other key
            <li key={at}>
              <Place frame={frame} />
            </li>
          ))}
        </ol>
      </details>
    </li>
  );
}

function Place({ frame }: { frame: ShownFrame }) {
  return (
    <span className="place">
      <code>{frame.function}</code>{" "}
      {frame.link === undefined ? (
        <span className="second">{whereIs(frame)}</span>
      ) : (
        <a className="second" href={frame.link} rel="noopener noreferrer nofollow" target="_blank">
          {whereIs(frame)}
        </a>
      )}
    </span>
  );
}

export function whereIs({ file, line, column }: ShownFrame): string {
  return [file, line, column].filter((part) => part !== undefined).join(":");
}

export function Source({ frame }: { frame: ShownFrame }) {
  return (
    <>
      {frame.source.length > 0 && (
        <section className="source" aria-label={`Source of ${frame.file}`}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, and who has only a keyboard scrolls
              them by focus */}
          <pre tabIndex={0}>
            {frame.source.map(({ number, tokens, fails }) => (
              <code key={number} className={fails ? "fails" : undefined}>
                <span className="line-number">
                  {fails ? "▸" : ""}
                  {number}
                </span>
                {tokens.map(writeToken)}
                {"\n"}
              </code>
            ))}
          </pre>
        </section>
      )}
      {frame.locals.length > 0 && <Pairs pairs={frame.locals} />}
    </>
  );
}

function writeToken([kind, text]: Token, place: number) {
  return kind === "" ? (
    text
  ) : (
    <i key={place} className={kind}>
      {text}
    </i>
  );
}

/** As text for copying, in the style of a terminal. */
export function writeStack(chain: readonly ShownException[]): string {
  return chain
    .map(
      ({ relation, depth, type, message, frames }) =>
        `${"  ".repeat(depth)}${relation === "" ? "" : `${relation.replace(/:$/, "")}: `}${type}: ${message}\n${frames.map((frame) => `    at ${frame.function} (${whereIs(frame)})`).join("\n")}`,
    )
    .join("\n");
}
