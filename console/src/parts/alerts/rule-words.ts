interface RuleWords {
  readonly name: string;
  readonly about: string;
}

const words: Readonly<Record<string, RuleWords>> = {
  "new-issue": { name: "New issue", about: "An error that has not been seen before." },
  regression: { name: "Regression", about: "A resolved issue happens again." },
};

export function ruleWords(kind: string): RuleWords {
  return words[kind] ?? { name: kind, about: "" };
}
