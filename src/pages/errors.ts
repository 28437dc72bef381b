import { HoldfastError } from "#errors";

/**
 * Every error this part can raise. Codes are permanent. Used as `pageErrors.…` through `import * as pageErrors`: one
 * object with all of them would reach the browser as a whole, messages for the server included.
 */
export const dataNotSendable = (path: string, what: string, whatToDo: string): HoldfastError =>
  new HoldfastError("data-not-sendable", `The data of this page has ${what} at ${path}.`, whatToDo);

export const dataTooDeep = (path: string, depth: number): HoldfastError =>
  new HoldfastError(
    "data-too-deep",
    `The data of this page is nested more than ${depth} levels deep at ${path}.`,
    "Return a flatter shape from load, or the part that the page shows.",
  );

export const dataTooLarge = (bytes: number, most: number): HoldfastError =>
  new HoldfastError(
    "data-too-large",
    `The data of this page is ${bytes} characters long; at most ${most} are sent.`,
    "Return less from load, or page through it.",
  );

export const dataUnreadable = (what: string): HoldfastError =>
  new HoldfastError("data-unreadable", `The page data could not be read: ${what}.`, "Load the page again.");

export const notInBrowser = (what: string): HoldfastError =>
  new HoldfastError(
    "not-in-browser",
    `${what} was called where no page is alive.`,
    "Call it in an event handler or effect; on the server use redirect.",
  );

export const noPageInDocument = (): HoldfastError =>
  new HoldfastError(
    "no-page-in-document",
    "The document holds no page data that this build can read.",
    "Let nothing on its way change it.",
  );

export const loadTimedOut = (route: string, ms: number): HoldfastError =>
  new HoldfastError(
    "load-timed-out",
    `Loading the data of ${route} took longer than ${ms} ms.`,
    "Pass the signal to what load waits for, and return slow parts as promises so that they are streamed.",
  );

export const actionTimedOut = (action: string, route: string, ms: number): HoldfastError =>
  new HoldfastError(
    "action-timed-out",
    `The action ${action} of ${route} took longer than ${ms} ms.`,
    "Pass the signal to what the action waits for, and let a queue do what takes longer. `submissions.actionSeconds` of holdfast.config.ts sets the time.",
  );

export const actionInterrupted = (action: string, route: string): HoldfastError =>
  new HoldfastError(
    "action-interrupted",
    `The server had to end while the action ${action} of ${route} was running.`,
    "Check whether it was done. Let the supervisor wait longer before it kills the server, or let a queue do what takes long.",
  );

export const shellTimedOut = (route: string, ms: number): HoldfastError =>
  new HoldfastError(
    "shell-timed-out",
    `Rendering ${route} had no first part after ${ms} ms.`,
    "Put what suspends inside <Suspense> or give its folder a _loading file.",
  );

export const notAComponent = (file: string, got: string): HoldfastError =>
  new HoldfastError(
    "no-default-component",
    `${file} has no component as its default export (it is ${got}).`,
    "Write `export default function …` in it.",
  );

export const wrongServerExport = (file: string, name: string, got: string, expected: string): HoldfastError =>
  new HoldfastError("wrong-server-export", `${file} exports ${name} as ${got}.`, `Make it ${expected}.`);

export const loadForOtherRoute = (file: string, stated: string, is: string): HoldfastError =>
  new HoldfastError(
    "load-for-other-route",
    `The load in ${file} says it is for ${stated}, but that file answers ${is}.`,
    `Write load("${is}", …).`,
  );

export const unsafeRedirect = (to: string): HoldfastError =>
  new HoldfastError(
    "unsafe-redirect",
    `A redirect to ${JSON.stringify(to)} was refused.`,
    "Redirect to a path of this application that begins with one slash, or name the other origin in `redirectOrigins` of holdfast.config.ts.",
  );

export const wrongEnvironment = (problems: readonly string[]): HoldfastError =>
  new HoldfastError(
    "wrong-environment",
    `The environment is not what src/env.server.ts asks for. ${sentences(problems)}`,
    "Set it where the server is started, or in a file named .env in the application's folder.",
  );

/** The generated catalogue of errors passes names of values instead of values. */
function sentences(problems: readonly string[]): string {
  return Array.isArray(problems) ? problems.map((problem) => `${problem}.`).join(" ") : String(problems);
}

export const cookieTooLate = (name: string): HoldfastError =>
  new HoldfastError(
    "cookie-too-late",
    `The cookie ${name} was set while data was loading, when the head of the answer may be on its way.`,
    "Set cookies in the request hook, in a guard or in an action.",
  );

export const cookieTooLarge = (name: string, bytes: number): HoldfastError =>
  new HoldfastError(
    "cookie-too-large",
    `The cookie ${name} would have ${bytes} bytes; browsers keep at most 4096.`,
    "Keep an id in it and the rest on the server.",
  );

export const resultTooLarge = (action: string, route: string, bytes: number, most: number): HoldfastError =>
  new HoldfastError(
    "result-too-large",
    `What the action ${action} of ${route} returned has ${bytes} bytes; at most ${most} reach a visitor without JavaScript, who was shown the page without it.`,
    "Return a short confirmation and let load return the rest. An action that changes nothing may say so by `changesNothing: true`; its answer may have any size.",
  );

export const secretTooShort = (length: number): HoldfastError =>
  new HoldfastError(
    "session-secret-too-short",
    `The session secret has ${length} characters; it needs at least 32.`,
    "Make one with `openssl rand -base64 32` and give it by an environment variable.",
  );
