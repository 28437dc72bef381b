import type { ShownEvent, ShownException, ShownFrame } from "./show-event.ts";

/** Which frames of an event's stacks are shown. */
export interface FramesShown {
  /** What is searched for. Empty for all frames. */
  word: string;
  shown: number;
  total: number;
  /** Whether the frames that are folded at first are unfolded too. */
  isUnfolded: boolean;
}

/**
 * Searches the frames of all exceptions: function, file, source and local variables. An exception without a match is
 * left out.
 */
export function findFrames(
  event: ShownEvent,
  word: string,
  unfolds: boolean,
): { event: ShownEvent; frames: FramesShown | undefined } {
  const { body } = event;
  if (body.kind !== "whole") return { event, frames: undefined };
  const total = countFrames(body.chain);
  const chain = word === "" ? body.chain : matching(body.chain, word.toLowerCase());
  return {
    event: { ...event, body: { ...body, chain } },
    frames: { word, shown: countFrames(chain), total, isUnfolded: unfolds || word !== "" },
  };
}

function matching(chain: readonly ShownException[], word: string): ShownException[] {
  return chain
    .map((exception) => ({ ...exception, frames: exception.frames.filter((frame) => textOf(frame).includes(word)) }))
    .filter(({ frames }) => frames.length > 0);
}

function textOf({ function: name, file, line, source, locals }: ShownFrame): string {
  const lines = source.map(({ tokens }) => tokens.map(([, text]) => text).join(""));
  return [name, `${file}:${line ?? ""}`, ...lines, ...locals.flat()].join("\n").toLowerCase();
}

function countFrames(chain: readonly ShownException[]): number {
  return chain.reduce((sum, { frames }) => sum + frames.length, 0);
}
