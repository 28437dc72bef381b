/** What the sign-in page says about a sign-in by the provider that failed. The address names the kind. */
const words: Readonly<Record<string, (provider: string) => string>> = {
  unavailable: (provider) => `${provider} does not answer at the moment. Try again in a minute.`,
  denied: (provider) => `${provider} did not sign you in.`,
  refused: () => "That sign-in was not begun in this browser, is too old, or was used already. Begin again.",
  clock: (provider) => `The clocks of ${provider} and of this service differ. Tell the people who run it.`,
  "no-email": (provider) => `${provider} told no verified e-mail address of you, and accounts here are known by it.`,
  wait: () => "Too many sign-ins came from your network. Try again in a minute.",
  "no-role": (provider) => `None of your groups at ${provider} may see this console. Ask those who manage the groups.`,
  unverified: (provider) =>
    `There is an account with your address, and ${provider} has not verified that the address is yours.`,
};

/** Undefined for a kind that does not exist: the address may be typed in. */
export function problemWords(kind: string, provider: string): string | undefined {
  return Object.hasOwn(words, kind) ? words[kind]?.(provider) : undefined;
}
