import { action, invalid, load } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { formOf, textIn } from "../server/posted.ts";
import { personOf } from "../server/scope.ts";
import { ownTokens } from "../server/token-actions.ts";

const route = "/command-line";

/** Long enough that a person need not sign in each week, short enough that a lost laptop is no door for years. */
const tokenMs = 90 * 86_400_000;

export const data = load(route, ({ locals, url, search }) => {
  const person = personOf(locals, url);
  const asked = askedIn(search);
  return { name: person.name, hasAccount: consoleApi().access.kind === "accounts", ...asked };
});

/** What the program asks for: where it listens, what it is called, and the hash of its secret. */
function askedIn(search: { get(name: string): string | null }) {
  const port = Number(search.get("port"));
  return {
    port: Number.isSafeInteger(port) && port > 0 && port < 65_536 ? port : undefined,
    machine: machineName(search.get("machine") ?? ""),
    challenge: search.get("challenge") ?? "",
    state: (search.get("state") ?? "").slice(0, 100),
    compare: (search.get("challenge") ?? "").slice(0, 4),
  };
}

function machineName(text: string): string {
  return text.replace(/[^\w.-]/g, "").slice(0, 30) || "another machine";
}

export const actions = {
  permit: action({ route }, async ({ input, locals }) => {
    const person = personOf(locals);
    ownTokens(person);
    const form = formOf(input);
    const { port, machine, challenge, state } = askedIn({ get: (name) => textIn(form, name) });
    const { tokens, now } = consoleApi();
    const code = await tokens.beginLogin({
      email: person.name,
      name: `command line on ${machine}`,
      scopes: textIn(form, "may") === "triage" ? ["read", "triage"] : ["read"],
      expires: now() + tokenMs,
      challenge,
    });
    if (code === undefined || port === undefined) return invalid({ "": "Run holdfast login again." });
    // Only to this machine: an address that someone sends cannot lead a code away.
    return { back: `http://127.0.0.1:${port}/?${new URLSearchParams({ code, state })}` };
  }),
};
