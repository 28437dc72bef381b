import { HoldfastError, messageOf } from "#errors";

/** Messages for the `listen` error codes that a wrong setting causes. */
const listenProblems: Readonly<Record<string, string>> = {
  ENOTFOUND: "the system does not know this name",
  EAI_AGAIN: "no name server answered",
  EADDRNOTAVAIL: "this machine does not have this address",
  EACCES: "this user may not open it",
};

/** Every error this part can raise. Codes are permanent. */
export const hostErrors = {
  notBuilt: (folder: string): HoldfastError =>
    new HoldfastError(
      "not-built",
      `There is no build in ${folder}.`,
      "Run `holdfast build` in the application's folder, or name that folder.",
    ),
  brokenBuild: (folder: string, why: string): HoldfastError =>
    new HoldfastError("broken-build", `The build in ${folder} cannot be used: ${why}.`, "Run `holdfast build` again."),
  wrongConfig: (file: string, problems: readonly string[]): HoldfastError =>
    new HoldfastError(
      "wrong-config",
      `${file} has ${problems.length === 1 ? "a wrong setting" : "wrong settings"}: ${problems.join("; ")}.`,
      "Correct them and start again.",
    ),
  noConsole: (): HoldfastError =>
    new HoldfastError(
      "console-not-built",
      "The built console does not lie beside this copy of Holdfast.",
      "Run `npm run build` in its folder; the published package has it.",
    ),
  wrongSchedule: (name: string, why: string): HoldfastError =>
    new HoldfastError(
      "wrong-schedule",
      `The schedule ${name} of src/schedules.server.ts ${why}.`,
      'Write a crontab of five fields, as in schedule("0 3 * * *", …), and a time zone such as "Europe/Berlin".',
    ),
  shortInvalidateToken: (length: number, least: number): HoldfastError =>
    new HoldfastError(
      "short-invalidate-token",
      `HOLDFAST_INVALIDATE_TOKEN has ${length} characters.`,
      `Use at least ${least} random characters, or leave it out: then no one removes cached pages by the webhook.`,
    ),
  keptExpired: (names: readonly string[]): HoldfastError =>
    new HoldfastError(
      "kept-expired",
      `${names.length === 1 ? "A kept submission was" : `${names.length} kept submissions were`} too old and ${names.length === 1 ? "is" : "are"} removed: ${listOf(names)}.`,
      "Run or forget what is kept in time: `holdfast kept list` shows it. `limits.keptDays` of holdfast.config.ts sets the time.",
    ),
  startFailed: (why: string, cause: unknown): HoldfastError =>
    new HoldfastError(
      "start-failed",
      `onStart of src/lifecycle.server.ts failed: ${why}.`,
      "Correct it, or what it needs, and start again.",
      { cause },
    ),
  startTooLong: (seconds: number): HoldfastError =>
    new HoldfastError(
      "start-too-long",
      `onStart of src/lifecycle.server.ts did not end within ${seconds} s.`,
      "See what it waits for, or set limits.startSeconds of holdfast.config.ts.",
    ),
  gateStopped: (why: string): HoldfastError =>
    new HoldfastError(
      "gate-stopped",
      why,
      "The build before it goes on taking traffic. Correct the error, or open the issue again, and deploy.",
    ),
  noRelease: (folder: string): HoldfastError =>
    new HoldfastError(
      "no-release",
      `No release has answered requests in ${folder}.`,
      "Name the data folder of the server by --data, and see that releases.healing is not off.",
    ),
  unknownRoute: (route: string, release: string): HoldfastError =>
    new HoldfastError(
      "unknown-route",
      `No visitor has asked release ${release} for the route ${JSON.stringify(route)}.`,
      "`holdfast releases` lists the routes.",
    ),
  noBuildBefore: (release: string): HoldfastError =>
    new HoldfastError(
      "no-build-before",
      `There is no build before release ${release}.`,
      "It is kept with the first start of a release in the same data folder.",
    ),
  cannotHeal: (route: string, why: string): HoldfastError =>
    new HoldfastError(
      "cannot-heal",
      `The build before cannot answer ${route}: ${why}.`,
      "Deploy a release that corrects the route, or the release before.",
    ),
  wrongPort: (value: string): HoldfastError =>
    new HoldfastError(
      "wrong-port",
      `The port ${JSON.stringify(value)} is not a number from 0 to 65535.`,
      "Set PORT or --port to such a number.",
    ),
  wrongWorkers: (value: string): HoldfastError =>
    new HoldfastError(
      "wrong-workers",
      `The number of workers ${JSON.stringify(value)} is neither "auto" nor a number from 1 to 256.`,
      "Set HOLDFAST_WORKERS or --workers to one of them.",
    ),
  wrongMemory: (value: string): HoldfastError =>
    new HoldfastError(
      "wrong-memory",
      `The memory ${JSON.stringify(value)} is not a number above 0.`,
      "Set HOLDFAST_MEMORY_MIB to the number of MiB that one process may use, or leave it out.",
    ),
  wrongDrain: (value: string, mostSeconds: number): HoldfastError =>
    new HoldfastError(
      "wrong-drain",
      `The time ${JSON.stringify(value)} between SIGTERM and the closing of the port is not a number from 0 to ${mostSeconds}.`,
      "Set HOLDFAST_DRAIN_SECONDS to the number of seconds, or leave it out.",
    ),
  foreignSocket: (folder: string): HoldfastError =>
    new HoldfastError(
      "foreign-socket",
      `${folder}, by which the processes of this application reach each other, belongs to another user or is open to others.`,
      "Remove it and start again. Until then reports of processes without the error service wait on disk.",
    ),
  otherServerFailed: (origin: string, from: string, cause: unknown): HoldfastError =>
    new HoldfastError(
      "other-server-failed",
      `${origin}, which answers ${from}, failed: ${messageOf(cause)}.`,
      "See whether it runs, and whether rewrites of holdfast.config.ts has its address.",
      { cause },
    ),
  otherServerTooSlow: (origin: string, seconds: number): HoldfastError =>
    new HoldfastError(
      "other-server-too-slow",
      `${origin} did not begin to answer within ${seconds} s.`,
      "See what it waits for. A rewrite of holdfast.config.ts hands requests to it.",
    ),
  mountedAtPath: (path: string): HoldfastError =>
    new HoldfastError(
      "mounted-at-path",
      `The application is mounted at ${path}, so it does not see the whole address of a request.`,
      "Mount it without a path, as in `app.use(holdfast.handler)`. It answers its own addresses (`at`, and /_holdfast) and leaves all others to `next`.",
    ),
  bodyAlreadyRead: (method: string, path: string): HoldfastError =>
    new HoldfastError(
      "body-already-read",
      `The body of ${method} ${path} was read before the application got it.`,
      "Mount Holdfast before express.json() and every other parser of bodies, or give the parsers the paths of the other pages only.",
    ),
  prerenderRefused: (problems: readonly string[]): HoldfastError =>
    new HoldfastError(
      "prerender-refused",
      `Pages that declare \`prerender\` cannot be made by the build:\n\n${blocksOf(problems)}\n\n`,
      "Correct them, or remove `prerender`: then they are rendered for each request.",
    ),
  staticRefused: (problems: readonly string[]): HoldfastError =>
    new HoldfastError(
      "static-refused",
      `A folder of files cannot have what these need:\n\n${problems.map((one) => `  ${one}`).join("\n")}\n\n`,
      "Declare `prerender` on every page and remove the rest, or build without --static.",
    ),
  prerenderFailed: (failures: readonly string[]): HoldfastError =>
    new HoldfastError(
      "prerender-failed",
      `The build could not make all pages that declare \`prerender\`:\n\n${blocksOf(failures)}\n\n`,
      "Correct them, and build again. The last build is unchanged.",
    ),
  alreadyOpen: (root: string): HoldfastError =>
    new HoldfastError(
      "already-open",
      `This process has already opened the application in ${root}.`,
      "Close that one first, or run the other one in a process of its own and name it in `rewrites`.",
    ),
  noFreePort: (first: number, last: number): HoldfastError =>
    new HoldfastError(
      "no-free-port",
      first === last ? `Port ${first} is taken.` : `The ports ${first} to ${last} are all taken.`,
      "Set PORT or --port to a free one.",
    ),
  cannotListen: (host: string, port: number, problem: string): HoldfastError =>
    new HoldfastError(
      "cannot-listen",
      `Port ${port} of ${JSON.stringify(host)} cannot be opened: ${listenProblems[problem] ?? problem}.`,
      "Set HOST or --host to an address of this machine (0.0.0.0 for all), and PORT or --port to a port this user may open.",
    ),
} as const;

/** More would hide the rest of a message. */
const listedNames = 20;

function blocksOf(texts: readonly string[]): string {
  const rest = texts.length - listedNames;
  return [...texts.slice(0, listedNames), ...(rest > 0 ? [`… and ${rest} more`] : [])].join("\n\n");
}

function listOf(names: readonly string[]): string {
  const rest = names.length - listedNames;
  return names.slice(0, listedNames).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
