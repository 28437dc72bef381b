import type { ConsoleApi } from "holdfast/service";
import { bytes } from "../../parts/charts/numbers.ts";
import type { NameOf } from "../shown-names.ts";

export type KeptApi = NonNullable<ReturnType<ConsoleApi["kept"]>>;
type Entry = NonNullable<Awaited<ReturnType<KeptApi["show"]>>>;
type State = Entry["state"];

export type ShownKept = ReturnType<typeof showKept>;

/** A kept submission as its screens show it. What the visitor sent is for those who may run it. */
export function showKept(entry: Entry, { mayChange, nameOf }: { mayChange: boolean; nameOf: NameOf }) {
  const { digest, lastDigest, state, keptAt, changedAt, by, runs, of, place } = entry;
  return {
    code: digest,
    lastCode: lastDigest,
    state: state === "failed" && runs > 0 ? "▲ failed again" : stateWords[state],
    isProblem: state === "failed" || state === "unsure",
    keptAt: keptAt.getTime(),
    changedAt: changedAt.getTime(),
    by: by === undefined ? undefined : nameOf(by),
    action: of && `${of.action} of ${of.route}`,
    place,
    sent: mayChange ? sentIn(entry) : [],
    note: noteOn(entry, mayChange),
    choices: mayChange ? choicesOf(state) : [],
  };
}

/** Each state has its own mark, not only its own colour. */
const stateWords: Readonly<Record<State, string>> = {
  running: "… running",
  failed: "▲ kept",
  unsure: "▲ may have been done",
  done: "✓ done",
  forgotten: "∅ forgotten",
  expired: "∅ expired",
};

/** Boxes that were ticked have one name. */
function sentIn({ fields, files }: Entry): [name: string, value: string][] {
  const sent = [...fields, ...files.map(({ field, name, size }) => [field, `${name} (${bytes(size)})`] as const)];
  return [...Map.groupBy(sent, ([name]) => name)].map(([name, each]) => [
    name,
    each.map(([, value]) => value).join(", "),
  ]);
}

/** Why there is no content to see. */
function noteOn({ of, unreadable, state }: Entry, mayChange: boolean): string | undefined {
  if (of) return mayChange ? undefined : "Members see what was sent.";
  if (unreadable === "other-key") return "It is sealed with another key: put that secret into HOLDFAST_SECRET_BEFORE.";
  if (unreadable === "damaged") return "It is damaged and cannot be read.";
  return state === "running" ? undefined : "What was sent has been deleted.";
}

interface Choice {
  does: "check" | "run" | "run-unsure" | "forget";
  name: string;
  /** What to know first; a second press is needed. */
  ask?: { about: string; button: string };
}

function choicesOf(state: State): Choice[] {
  if (state !== "failed" && state !== "unsure") return [];
  return [
    { does: "check", name: "Dry run" },
    state === "failed"
      ? { does: "run", name: "Run again" }
      : {
          does: "run-unsure",
          name: "Run again",
          ask: {
            about:
              "It may have been done already: its process ended in the middle, or its result could not be sent. Look first.",
            button: "Run it all the same",
          },
        },
    {
      does: "forget",
      name: "Forget",
      ask: { about: "Nothing can run it afterwards.", button: "Delete what was sent" },
    },
  ];
}
