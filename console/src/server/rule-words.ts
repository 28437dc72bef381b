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

const words: Readonly<Record<string, RuleWords>> = {
  "new-issue": {
    name: "New issue",
    about: "An error that has not been seen before.",
    filters: all,
    numbers: [],
  },
  regression: { name: "Regression", about: "A resolved issue happens again.", filters: all, numbers: [] },
  frequency: {
    name: "Frequent issue",
    about: "An issue reaches so many events, or so many visitors, within some minutes.",
    filters: all,
    numbers: [
      { name: "events", label: "Events" },
      { name: "visitors", label: "Visitors" },
      { name: "minutes", label: "Within minutes" },
    ],
  },
  "error-rate": {
    name: "Error rate",
    about: "An hour has many times the errors per request of the same hour last week, and at least ten.",
    filters: ["routes"],
    numbers: [{ name: "factor", label: "Times last week" }],
  },
  "crash-free": {
    name: "Crash-free sessions",
    about: "Fewer sessions of an hour end without a crash than in the same hour last week.",
    filters: ["environments"],
    numbers: [{ name: "factor", label: "Percentage points below last week" }],
  },
  budget: {
    name: "Slower since a release",
    about: "A route exceeds its budget, or has a poor web vital, since the newest release.",
    filters: ["routes"],
    numbers: [],
  },
  "check-in": {
    name: "Scheduled task",
    about: "A scheduled task was missed, late, took too long or failed.",
    filters: ["levels", "environments"],
    numbers: [],
  },
  service: {
    name: "Trouble of the service",
    about: "Its disk is nearly full, reports wait to be filed, or its store cannot be written, for a minute.",
    filters: [],
    numbers: [],
  },
};

export function ruleWords(kind: string): RuleWords {
  return words[kind] ?? { name: kind, about: "", filters: [], numbers: [] };
}
