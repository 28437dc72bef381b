import { grouped } from "../parts/charts/numbers.ts";

export type RuleFilterName = "levels" | "environments" | "routes";

export interface RuleNumber {
  readonly name: "events" | "visitors" | "minutes" | "factor";
  readonly label: string;
}

export interface RuleWords {
  readonly name: string;
  readonly about: string;
  readonly filters: readonly RuleFilterName[];
  readonly numbers: readonly RuleNumber[];
}

const all: readonly RuleFilterName[] = ["levels", "environments", "routes"];

type Numbers = Readonly<Record<RuleNumber["name"], number>>;

interface Wording extends Omit<RuleWords, "about"> {
  readonly about: (numbers: Numbers) => string;
}

const count = (n: number): string => grouped(n);

const words: Readonly<Record<string, Wording>> = {
  "new-issue": {
    name: "New issue",
    about: () => "An error that has not been seen before.",
    filters: all,
    numbers: [],
  },
  regression: { name: "Regression", about: () => "A resolved issue happens again.", filters: all, numbers: [] },
  frequency: {
    name: "Frequent issue",
    about: ({ events, visitors, minutes }) =>
      `An issue reaches ${count(events)} events or ${count(visitors)} visitors within ${count(minutes)} minutes.`,
    filters: all,
    numbers: [
      { name: "events", label: "Events" },
      { name: "visitors", label: "Visitors" },
      { name: "minutes", label: "Within minutes" },
    ],
  },
  "error-rate": {
    name: "Error rate",
    about: ({ factor }) =>
      `An hour has ${count(factor)} times the errors per request of the same hour last week, and at least ten.`,
    filters: ["routes"],
    numbers: [{ name: "factor", label: "Times last week" }],
  },
  "crash-free": {
    name: "Crash-free sessions",
    about: ({ factor }) =>
      `The sessions of an hour without a crash are ${count(factor)} percentage points below the same hour last week.`,
    filters: ["environments"],
    numbers: [{ name: "factor", label: "Percentage points below last week" }],
  },
  budget: {
    name: "Slower since a release",
    about: () => "A route exceeds its budget, or has a poor web vital, since the newest release.",
    filters: ["routes"],
    numbers: [],
  },
  "check-in": {
    name: "Scheduled task",
    about: () => "A scheduled task was missed, late, took too long or failed.",
    filters: ["levels", "environments"],
    numbers: [],
  },
  service: {
    name: "Trouble of the service",
    about: () =>
      "Its disk is nearly full, reports wait to be filed, its store cannot be written, or spike protection drops " +
      "errors, for a minute.",
    filters: [],
    numbers: [],
  },
};

export function ruleWords(rule: Numbers & { readonly kind: string }): RuleWords {
  const known = words[rule.kind];
  if (known === undefined) return { name: rule.kind, about: "", filters: [], numbers: [] };
  return { ...known, about: known.about(rule) };
}
