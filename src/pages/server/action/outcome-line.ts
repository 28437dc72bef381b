import type { OutcomeLine, SubmissionMemoryReach } from "../../page-data.ts";

/** The outcome of a submission, written as text in tagged form. */
export interface WrittenOutcome {
  slot: string;
  text: string;
  ran: boolean;
  session: boolean;
  memory: SubmissionMemoryReach;
  changed?: readonly string[] | undefined;
  page?: false | undefined;
}

/** Writes the line that browsers of this build and of others read. */
export function outcomeLine({ slot, text, ran, session, memory, changed, page }: WrittenOutcome): string {
  const { kind, v } = { kind: "outcome", v: 1 } as const satisfies Pick<OutcomeLine, "kind" | "v">;
  const head = `{"kind":"${kind}","v":${v},"slot":${JSON.stringify(slot)},"outcome":${text}`;
  const what = (changed ? `,"changed":${JSON.stringify(changed)}` : "") + (page === false ? `,"page":false` : "");
  return `${head},"ran":${ran},"session":${session},"memory":"${memory}"${what}}`;
}
