import { action, type Cookies, load, redirect } from "holdfast/server";
import { type Accounts, consoleApi } from "holdfast/service";
import { sessionCookie } from "../../server/accounts.ts";
import {
  changeName,
  changePassword,
  changeTheme,
  changeZone,
  endOwnSessions,
  signOutEverywhere,
} from "../../server/own-actions.ts";
import { choicesIn } from "../../server/own-choices.ts";
import { scopeOf } from "../../server/scope.ts";

const route = "/[project]/me";

async function accountOf(accounts: Accounts, email: string, cookies: Cookies) {
  return {
    shownName: (await accounts.names()).get(email),
    hasPassword: accounts.hasPasswords && (await accounts.own.hasPassword(email)),
    hasSecondFactor: (await accounts.secondFactor.state(email)).kind === "on",
    sessions: await accounts.sessions.of(email, cookies.get(sessionCookie)),
  };
}

export const data = load(route, async ({ cookies, ...context }) => {
  const { person } = scopeOf(context);
  const { access, now } = consoleApi();
  const { theme, zone, isZoneChosen } = choicesIn(cookies);
  return {
    now: now(),
    name: person.name,
    theme,
    zone: isZoneChosen ? zone : undefined,
    zones: Intl.supportedValuesOf("timeZone").filter((one) => one !== "UTC"),
    account: access.kind === "accounts" ? await accountOf(access.accounts, person.name, cookies) : undefined,
  };
});

export const actions = {
  name: action({ route }, ({ input, ...context }) => changeName(scopeOf(context), input)),
  password: action({ route }, ({ input, ...context }) => changePassword(scopeOf(context), input, context)),
  theme: action({ route }, ({ input, cookies, ...context }) => {
    scopeOf(context);
    return changeTheme(cookies, input);
  }),
  zone: action({ route }, ({ input, cookies, ...context }) => {
    scopeOf(context);
    return changeZone(cookies, input);
  }),
  session: action({ route }, ({ input, cookies, ...context }) => endOwnSessions(scopeOf(context), input, cookies)),
  everywhere: action({ route }, async ({ cookies, ...context }) => {
    await signOutEverywhere(scopeOf(context), cookies);
    return redirect("/sign-in");
  }),
};
