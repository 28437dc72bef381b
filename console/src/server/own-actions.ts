import { type Cookies, invalid } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { accountsHere, applicantOf, endAllSessions, refuseSignIn, sessionCookie } from "./accounts.ts";
import { chooseTheme, chooseZone, themeNamed, zoneNamed } from "./own-choices.ts";
import { formOf, passwordIn, textIn } from "./posted.ts";
import type { Said } from "./said.ts";
import type { Scope } from "./scope.ts";
import { refuseCode } from "./sign-in/second-step.ts";

export async function changeName({ person }: Scope, input: unknown): Promise<Said> {
  const typed = textIn(formOf(input), "name", 200);
  const changed = await accountsHere().own.rename(person.name, typed);
  if (changed.kind === "refused") invalid({ name: changed.why });
  return { said: typed === "" ? `Others see ${person.name} again.` : "Others see this name from now on." };
}

export async function changePassword(
  { person }: Scope,
  input: unknown,
  request: Parameters<typeof applicantOf>[0],
): Promise<Said> {
  const form = formOf(input);
  const typed = { old: passwordIn(form, "old"), wanted: passwordIn(form, "wanted") };
  const changed = await accountsHere().own.changePassword(person.name, typed, applicantOf(request));
  switch (changed.kind) {
    case "changed":
      return { said: "The password is new. All other sessions have ended." };
    case "wrong":
      return invalid({ old: "This is not your password." });
    case "short-password":
      return invalid({ wanted: `At least ${changed.least} characters; a few words are easily remembered.` });
    case "long-password":
      return invalid({ wanted: `At most ${changed.most} characters.` });
    case "wait":
    case "busy":
      return refuseSignIn(changed);
  }
}

/** Each change needs a code: a browser that was left open is not enough. */
export async function changeSecondFactor({ person }: Scope, input: unknown) {
  const form = formOf(input);
  const { secondFactor } = accountsHere();
  const code = textIn(form, "code", 100);
  const record = (what: string): Promise<void> => consoleApi().administration.record({ by: person.name, what });
  switch (textIn(form, "do")) {
    case "on": {
      const done = await secondFactor.confirm(person.name, code);
      if (done.kind !== "done") return refuseCode(done);
      await record("turned a second factor on");
      return { recoveryCodes: done.recoveryCodes };
    }
    case "renew": {
      const done = await secondFactor.renewCodes(person.name, code);
      if (done.kind !== "done") return refuseCode(done);
      await record("made new recovery codes");
      return { recoveryCodes: done.recoveryCodes };
    }
    case "off": {
      const done = await secondFactor.turnOff(person.name, code);
      if (done.kind === "required") return invalid({ "": "It is required here." });
      if (done.kind !== "done") return refuseCode(done);
      await record("turned the second factor off");
      return { said: "It is off. Remove the account from your app." };
    }
    default:
      return invalid({ "": "There is nothing of that name to do." });
  }
}

export function changeTheme(cookies: Cookies, input: unknown): Said {
  chooseTheme(cookies, themeNamed(textIn(formOf(input), "theme")));
  return { said: "" };
}

export function changeZone(cookies: Cookies, input: unknown): Said {
  const typed = textIn(formOf(input), "zone");
  const zone = zoneNamed(typed);
  if (typed !== "" && zone === undefined) invalid({ zone: "This time zone is not known here." });
  chooseZone(cookies, zone);
  return { said: "Kept, for this browser." };
}

/** One session of the person, or all but the one of this request. */
export async function endOwnSessions({ person }: Scope, input: unknown, cookies: Cookies): Promise<Said> {
  const form = formOf(input);
  const { sessions } = accountsHere();
  if (form.get("do") === "others") {
    const ended = await sessions.endOthers(person.name, cookies.get(sessionCookie) ?? "");
    return { said: ended === 0 ? "There was no other session." : `Ended ${ended} of ${ended + 1} sessions.` };
  }
  const isEnded = await sessions.endOne(person.name, textIn(form, "id", 100));
  return { said: isEnded ? "That session has ended." : "That session had ended already." };
}

export async function signOutEverywhere({ person }: Scope, cookies: Cookies): Promise<void> {
  await endAllSessions(cookies, person.name);
}
