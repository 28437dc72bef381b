import { HoldfastError } from "#errors";

/** Every error of the command line itself. Codes are permanent. */
export const cliErrors = {
  commandMisused: (what: string, usage: string): HoldfastError =>
    new HoldfastError("command-misused", what, `Use it as: holdfast ${usage}.`),
  databaseAway: (what: string): HoldfastError =>
    new HoldfastError("database-away", `${what}.`, "Start the database, or correct the address in HOLDFAST_STORE."),
  chaosNeedsPlaywright: (cause: unknown): HoldfastError =>
    new HoldfastError(
      "chaos-needs-playwright",
      "`holdfast chaos` clicks through a real browser and found no playwright-core to do it with.",
      "Install it: npm install --save-dev playwright-core.",
      { cause },
    ),
  chaosNeedsChromium: (path: string): HoldfastError =>
    new HoldfastError(
      "chaos-needs-chromium",
      `\`holdfast chaos\` found no Chromium at ${path}.`,
      "Install Chromium, run `npx playwright-core install chromium`, or name the program in CHROMIUM_PATH.",
    ),
  testAppInBrowser: (): HoldfastError =>
    new HoldfastError(
      "test-app-in-browser",
      "openTestApp was called in a browser.",
      "Call it in Node, which runs the server of the application. renderPage shows a page without its server.",
    ),
  noDigest: (text: string): HoldfastError =>
    new HoldfastError(
      "no-digest",
      `"${text}" is neither a digest such as 7K2M-9QXD-4TBA nor the id of an event.`,
      "Copy it from the error page, or from the console.",
    ),
  noSuchEvent: (digest: string, location: string): HoldfastError =>
    new HoldfastError(
      "no-such-event",
      `There is no event ${digest} in ${location}.`,
      "Name the folder that has it with --data, or the service with --service.",
    ),
  serviceRefuses: (service: string, status: number): HoldfastError =>
    new HoldfastError(
      "service-refuses",
      `${service} does not show its events to you; it answered ${status}.`,
      'Sign in to its console and hand over your session: --header "cookie: …".',
    ),
  eventWithoutBody: (digest: string): HoldfastError =>
    new HoldfastError(
      "event-without-body",
      `Only the row of event ${digest} was kept, because very many of its kind arrived, or it is damaged.`,
      "Take another event of the same issue.",
    ),
  eventWithoutRequest: (digest: string): HoldfastError =>
    new HoldfastError(
      "event-without-request",
      `The event ${digest} belongs to no request, so that there is none to send again.`,
      "Read its stack with `holdfast event`.",
    ),
  gateWithoutStore: (dataFolder: string): HoldfastError =>
    new HoldfastError(
      "gate-without-store",
      `There are no issues to read: no service has stored anything in ${dataFolder}.`,
      "Name the data folder of the server in service with --data or HOLDFAST_DATA, or its database with HOLDFAST_STORE.",
    ),
  gateReportsElsewhere: (): HoldfastError =>
    new HoldfastError(
      "gate-reports-elsewhere",
      "The issues are in another service: `report.dsn` of the configuration sends the reports there.",
      "Run the gate where that service has its data, and name the folder with --data and the project with --project.",
    ),
  gateWithoutSandbox: (): HoldfastError =>
    new HoldfastError(
      "gate-without-sandbox",
      "`holdfast gate --writes` would send requests that change something.",
      "Give the command a database and accounts of a sandbox, and declare it with HOLDFAST_SANDBOX=1.",
    ),
  wrongProject: (text: string): HoldfastError =>
    new HoldfastError("wrong-project", `"${text}" is no number of a project.`, "Write a whole number from 1 up."),
  noReleasesCommand: (given: string): HoldfastError =>
    new HoldfastError(
      "no-releases-command",
      `\`holdfast releases\` does not know ${JSON.stringify(given)}.`,
      "Say `list`, `pin ROUTE new`, `pin ROUTE before` or `unpin ROUTE`.",
    ),
  noKeptCode: (word: string): HoldfastError =>
    new HoldfastError(
      "no-kept-code",
      `\`holdfast kept ${word}\` was called without the code of what is kept.`,
      `Call \`holdfast kept ${word} 7K2M-9QXD-4TBA\`${word === "run" ? ", or `holdfast kept run --all`" : ""}; \`holdfast kept list\` shows the codes.`,
    ),
  noKeptCommand: (word: string): HoldfastError =>
    new HoldfastError(
      "no-kept-command",
      `There is no "holdfast kept ${word}".`,
      "Use list, show, run or forget; `holdfast kept --help` shows their options.",
    ),
  prerenderEnded: (why: string): HoldfastError =>
    new HoldfastError(
      "prerender-ended",
      `The process that makes pages for the build ended: ${why}.`,
      "If the application's code ended it, correct that; otherwise please report this.",
    ),
  wrongField: (text: string): HoldfastError =>
    new HoldfastError("wrong-field", `"${text}" is no field of a form.`, "Write --field name=value."),
  wrongHeader: (text: string): HoldfastError =>
    new HoldfastError("wrong-header", `"${text}" is no header.`, 'Write --header "name: value".'),
} as const;
