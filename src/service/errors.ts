import { HoldfastError } from "#errors";

/** Errors that this part raises. */
export const serviceErrors = {
  folderInUse: (folder: string, owner: string): HoldfastError =>
    new HoldfastError(
      "service-folder-in-use",
      `The data folder ${folder} is in use by ${owner}.`,
      "Stop that service first, or give this one a data folder of its own. Commands ask a running one with --service URL.",
    ),
  folderUnusable: (folder: string, why: string): HoldfastError =>
    new HoldfastError(
      "service-folder-unusable",
      `The data folder ${folder} cannot be written: ${why}.`,
      "Give the service a folder that its user may write to, on a disk that has room, with --data.",
    ),
  unknownStore: (address: string): HoldfastError =>
    new HoldfastError(
      "service-unknown-store",
      `The store ${JSON.stringify(address)} is not an address that begins with postgres://.`,
      "Set HOLDFAST_STORE to postgres://user:password@host/database, or leave it out to store in the data folder.",
    ),
  wrongSettings: (problems: readonly string[]): HoldfastError =>
    new HoldfastError(
      "wrong-settings",
      `The environment has wrong settings:\n\n${problems.map((one) => `  ${one}`).join("\n")}\n\n`,
      "Correct them and start again.",
    ),
  secretTooShort: (length: number, fewest: number): HoldfastError =>
    new HoldfastError(
      "secret-too-short",
      `HOLDFAST_SECRET has ${length} characters; it needs at least ${fewest}.`,
      "Make one with `openssl rand -base64 32`, or leave it out where a single machine answers.",
    ),
  earlierSecretTooShort: (length: number, fewest: number): HoldfastError =>
    new HoldfastError(
      "earlier-secret-too-short",
      `HOLDFAST_SECRET_BEFORE has a secret of ${length} characters; each needs at least ${fewest}.`,
      "Set it to what HOLDFAST_SECRET was before, with a space between two secrets, or leave it out.",
    ),
  unreadableWriter: (file: string): HoldfastError =>
    new HoldfastError(
      "service-writer-unreadable",
      `${file} does not contain the name under which this data folder files into the database.`,
      "Restore it from a backup of the folder. Without it, what the journal holds would be filed a second time.",
    ),
  wrongMailServer: (): HoldfastError =>
    new HoldfastError(
      "service-wrong-mail-server",
      "HOLDFAST_SMTP is not the address of a mail server.",
      "Set it to smtp://user:password@host:587 or smtps://user:password@host:465, or remove HOLDFAST_MAIL_FROM too.",
    ),
  wrongMailFrom: (): HoldfastError =>
    new HoldfastError(
      "service-wrong-mail-from",
      "HOLDFAST_MAIL_FROM is not a sender, but HOLDFAST_SMTP is set.",
      "Set it to an address such as Holdfast <errors@example.org>.",
    ),
  wrongSignIn: (what: string, advice: string): HoldfastError =>
    new HoldfastError("service-wrong-sign-in", what, advice),
  openIdClientMissing: (): HoldfastError =>
    new HoldfastError(
      "service-openid-client-missing",
      "HOLDFAST_OIDC_ISSUER is set, but the package openid-client is not installed.",
      "Install it beside holdfast, with npm install openid-client.",
    ),
  wrongNewIssues: (value: string): HoldfastError =>
    new HoldfastError(
      "service-wrong-new-issues",
      `The number of new issues in an hour ${JSON.stringify(value)} is not a whole number above 0.`,
      "Set HOLDFAST_NEW_ISSUES_PER_HOUR to how many a project may make, or leave it out.",
    ),
  wrongScheduledTasks: (value: string): HoldfastError =>
    new HoldfastError(
      "service-wrong-scheduled-tasks",
      `The number of scheduled tasks ${JSON.stringify(value)} is not a whole number above 0.`,
      "Set HOLDFAST_SCHEDULED_TASKS to how many a project may have, or leave it out.",
    ),
  wrongSearchLimit: (value: string, variable: string): HoldfastError =>
    new HoldfastError(
      "service-wrong-search-limit",
      `${variable} is ${JSON.stringify(value)}, which is not a whole number above 0.`,
      "Set it to such a number, or leave it out.",
    ),
  wrongOwnershipRules: (value: string): HoldfastError =>
    new HoldfastError(
      "service-wrong-ownership-rules",
      `The number of ownership rules ${JSON.stringify(value)} is not a whole number above 0.`,
      "Set HOLDFAST_OWNERSHIP_RULES to how many a project may have, or leave it out.",
    ),
  wrongOwnershipLine: (value: string): HoldfastError =>
    new HoldfastError(
      "service-wrong-ownership-line",
      `The length of a line of ownership rules ${JSON.stringify(value)} is not a whole number above 0.`,
      "Set HOLDFAST_OWNERSHIP_LINE to how many characters a line may have, or leave it out.",
    ),
  wrongBalanceGrace: (value: string): HoldfastError =>
    new HoldfastError(
      "service-wrong-balance-grace",
      `The time after which an hour is closed ${JSON.stringify(value)} is not a whole number above 0.`,
      "Set HOLDFAST_BALANCE_GRACE_MINUTES to the minutes that late reports get, or leave it out.",
    ),
  wrongGaveUp: (value: string): HoldfastError =>
    new HoldfastError(
      "service-wrong-gave-up",
      `The time after which a visitor gave up ${JSON.stringify(value)} is not a whole number above 0.`,
      "Set HOLDFAST_GAVE_UP_MINUTES to the minutes without a page after an error, or leave it out.",
    ),
  wrongAlertMessages: (value: string): HoldfastError =>
    new HoldfastError(
      "service-wrong-alert-messages",
      `The number of alert messages ${JSON.stringify(value)} is not a whole number above 0.`,
      "Set HOLDFAST_ALERT_MESSAGES to how many a channel gets in ten minutes, or leave it out.",
    ),
  wrongApiRate: (value: string): HoldfastError =>
    new HoldfastError(
      "service-wrong-api-rate",
      `The number of requests to the API in a minute ${JSON.stringify(value)} is not a whole number above 0.`,
      "Set HOLDFAST_API_PER_MINUTE to how many a token or session may send, or leave it out.",
    ),
  wrongApiBody: (value: string): HoldfastError =>
    new HoldfastError(
      "service-wrong-api-body",
      `The size of a request to the API ${JSON.stringify(value)} is not a whole number above 0.`,
      "Set HOLDFAST_API_BODY_BYTES to how many bytes its body may have, or leave it out.",
    ),
  wrongImportBytes: (value: string): HoldfastError =>
    new HoldfastError(
      "service-wrong-import-bytes",
      `The size of a request of an import ${JSON.stringify(value)} is not a whole number above 0.`,
      "Set HOLDFAST_IMPORT_BYTES to how many bytes it may have, or leave it out.",
    ),
  exportFileThere: (file: string): HoldfastError =>
    new HoldfastError(
      "service-export-file-there",
      `${file} is there already.`,
      "Name another file, or delete it. An export that was interrupted goes on if its .progress file is beside it.",
    ),
  exportCut: (): HoldfastError =>
    new HoldfastError(
      "service-export-cut",
      "The connection ended before the last line of the export.",
      "Run the same command again: it goes on where it was.",
    ),
  importNoHeader: (file: string): HoldfastError =>
    new HoldfastError(
      "service-import-no-header",
      `The first line of ${file} is not the header of an export.`,
      "Name a file that holdfast export has written.",
    ),
  importOtherFormat: (file: string, format: string): HoldfastError =>
    new HoldfastError(
      "service-import-other-format",
      `${file} has the format ${JSON.stringify(format.slice(0, 20))}, which this version does not read.`,
      "Import it with the version that has exported it, or a later one.",
    ),
  importWrongLine: (file: string, line: number, why: string): HoldfastError =>
    new HoldfastError(
      "service-import-wrong-line",
      `Line ${line} of ${file} cannot be imported: ${why.replace(/\.$/, "")}.`,
      "Everything before it is imported. Correct the line and run the command again, or add --skip-wrong.",
    ),
  importTruncated: (file: string, line: number): HoldfastError =>
    new HoldfastError(
      "service-import-truncated",
      `${file} ends after line ${line}, before the end of the export.`,
      "What it has is imported. Finish the export, and import the whole file: nothing is imported twice.",
    ),
  importNoProject: (project: number): HoldfastError =>
    new HoldfastError(
      "service-import-no-project",
      `There is no project ${project}.`,
      "Create it in the console, or name another one with --project.",
    ),
  sentryNoToken: (variable: string): HoldfastError =>
    new HoldfastError(
      "service-sentry-no-token",
      `The environment variable ${variable} has no token.`,
      "Make a token in Sentry that may read projects and events, and set the variable to it.",
    ),
  sentryRefused: (address: string, status: number): HoldfastError =>
    new HoldfastError(
      "service-sentry-refused",
      `${address} answered ${status}.`,
      "Check --org and --source-project, and that the token may read projects and events.",
    ),
  sentryFailed: (origin: string, why: string): HoldfastError =>
    new HoldfastError(
      "service-sentry-failed",
      `${origin} cannot be read: ${why.replace(/\.$/, "")}.`,
      "Run the same command again later: it goes on where it was.",
    ),
  importRefused: (why: string): HoldfastError =>
    new HoldfastError(
      "service-import-refused",
      `The lines were not taken: ${why}`,
      "Send the same lines again in some seconds. Nothing of them is lost or counted twice.",
    ),
  wrongFigures: (of: string, why: string): HoldfastError =>
    new HoldfastError(
      "service-import-wrong-figures",
      `The figures of ${JSON.stringify(of.slice(0, 100))} cannot be imported: ${why}.`,
      "Export the project again with the same version as the importing service, or leave the line out.",
    ),
  wrongExportCursor: (cursor: string): HoldfastError =>
    new HoldfastError(
      "service-wrong-export-cursor",
      `${JSON.stringify(cursor.slice(0, 100))} is not a place in an export.`,
      "Use the value of the last line of kind cursor, or leave it out to begin again.",
    ),
  wrongUploadBytes: (value: string): HoldfastError =>
    new HoldfastError(
      "service-wrong-upload-bytes",
      `The size of an upload ${JSON.stringify(value)} is not a whole number above 0.`,
      "Set HOLDFAST_UPLOAD_BYTES to how many bytes a bundle of source maps may have, or leave it out.",
    ),
  noServiceAddress: (text: string): HoldfastError =>
    new HoldfastError(
      "service-no-address",
      `${JSON.stringify(text)} is no address of a service.`,
      "Write it as https://errors.example.org, without a path.",
    ),
  unencryptedService: (origin: string): HoldfastError =>
    new HoldfastError(
      "service-unencrypted",
      `${origin} is not encrypted, and everyone on the way could read the token.`,
      "Use https. Only addresses of this machine and of private networks are asked without it.",
    ),
  notLoggedIn: (origin: string): HoldfastError =>
    new HoldfastError(
      "service-not-logged-in",
      `There is no token for ${origin}.`,
      `Run holdfast login --service ${origin}, or set HOLDFAST_TOKEN to a token of the service.`,
    ),
  serviceAway: (origin: string, why: string): HoldfastError =>
    new HoldfastError(
      "service-away",
      `${origin} cannot be reached: ${why}.`,
      "Check the address, and whether the service runs.",
    ),
  loginTooLate: (minutes: number): HoldfastError =>
    new HoldfastError(
      "service-login-too-late",
      `The login was not permitted within ${minutes} minutes.`,
      "Run holdfast login again, and open the address in the browser of this machine.",
    ),
  loginRefused: (origin: string, status: number): HoldfastError =>
    new HoldfastError(
      "service-login-refused",
      `${origin} has answered ${status} to the login.`,
      "Run holdfast login again. A code works once, for two minutes.",
    ),
  wrongTokensEach: (value: string): HoldfastError =>
    new HoldfastError(
      "service-wrong-tokens-each",
      `The number of tokens ${JSON.stringify(value)} is not a whole number above 0.`,
      "Set HOLDFAST_TOKENS_EACH to how many tokens a person or a project may have, or leave it out.",
    ),
  noMcpPackage: (): HoldfastError =>
    new HoldfastError(
      "service-no-mcp-package",
      "The Model Context Protocol needs the package @modelcontextprotocol/sdk, which is not installed.",
      "Run `npm install @modelcontextprotocol/sdk` beside holdfast, and start again.",
    ),
  wrongMcpCharacters: (value: string): HoldfastError =>
    new HoldfastError(
      "service-wrong-mcp-characters",
      `The length of an MCP answer ${JSON.stringify(value)} is not a whole number above 0.`,
      "Set HOLDFAST_MCP_CHARACTERS to how many characters an answer may have, or leave it out.",
    ),
  wrongMcpCalls: (value: string): HoldfastError =>
    new HoldfastError(
      "service-wrong-mcp-calls",
      `The number of MCP calls ${JSON.stringify(value)} is not a whole number above 0.`,
      "Set HOLDFAST_MCP_CALLS to how many calls a token may make at once, or leave it out.",
    ),
  addressTaken: (address: string): HoldfastError =>
    new HoldfastError(
      "service-address-taken",
      `Another program listens at ${address} already.`,
      "Stop it, or name another port with --port.",
    ),
  addressUnusable: (address: string, why: string): HoldfastError =>
    new HoldfastError(
      "service-address-unusable",
      `The service cannot listen at ${address}: ${why}.`,
      "Name an address of this machine with --host and a port that its user may open with --port.",
    ),
  unreadableProjects: (file: string): HoldfastError =>
    new HoldfastError(
      "service-projects-unreadable",
      `${file} is not a list of projects with id, name and publicKey.`,
      "Restore it from a backup, or move it away to begin with a new project 1; clients with the old keys are refused then.",
    ),
  unreadableAccounts: (file: string, why: string): HoldfastError =>
    new HoldfastError(
      "service-accounts-unreadable",
      `The accounts in ${file} cannot be opened: ${why}.`,
      "Restore it from a backup, or move it away to begin with a new first owner.",
    ),
  backupNotWritable: (file: string, why: string): HoldfastError =>
    new HoldfastError(
      "backup-not-writable",
      `The backup ${file} cannot be written: ${why}.`,
      "Name a file in a folder that exists and may be written to.",
    ),
  backupExists: (file: string): HoldfastError =>
    new HoldfastError("backup-exists", `${file} exists already.`, "Name a file that does not exist yet."),
  noBackup: (file: string, why: string): HoldfastError =>
    new HoldfastError(
      "service-backup-unusable",
      `${file} cannot be restored: ${why}.`,
      "Take another backup; nothing has been changed.",
    ),
  folderNotEmpty: (folder: string): HoldfastError =>
    new HoldfastError(
      "service-folder-not-empty",
      `The data folder ${folder} is not empty.`,
      "Name a folder that does not exist yet, or move this one away first.",
    ),
  moveNeedsBoth: (): HoldfastError =>
    new HoldfastError(
      "move-needs-both",
      "A move is between a data folder and PostgreSQL.",
      "Name a folder and an address postgres://…; a database is copied into another with `pg_dump`, a folder with `holdfast backup`.",
    ),
  moveUnfiled: (folder: string): HoldfastError =>
    new HoldfastError(
      "move-journal-not-filed",
      `The journal in ${folder} has reports that are not in the database yet.`,
      "Start the service with that folder and stop it again; it files them. Then run the same command once more.",
    ),
  moveDiffers: (findings: readonly string[]): HoldfastError =>
    new HoldfastError(
      "move-differs",
      `The copy differs from its source: ${findings.join(" ")}`,
      "Run the same command again. If it stays so, the source may be damaged: run `holdfast doctor`.",
    ),
  moveSourceRuns: (): HoldfastError =>
    new HoldfastError(
      "move-source-runs",
      "Something was filed into the source while its last part was copied.",
      "Stop every service and application that uses it, then run the same command again; it continues.",
    ),
  moveDatabase: (address: string, why: string): HoldfastError =>
    new HoldfastError(
      "move-database-unusable",
      `The database ${address} cannot be used: ${why}.`,
      "Check address, password and the rights of its user, who must own the database; then run the same command again.",
    ),
  noDesk: (): HoldfastError =>
    new HoldfastError(
      "service-not-opened",
      "No service has been opened in this process.",
      "Ask for it while the application is served, not while its modules are loaded.",
    ),
  limitTooSmall: (bytes: number, least: number): HoldfastError =>
    new HoldfastError(
      "service-limit-too-small",
      `The service may not be limited to ${bytes} bytes on its disk: for itself it needs at least ${least}.`,
      `Set limits.retention.keepBytes to ${least} or more.`,
    ),
  buildTooLarge: (most: number): HoldfastError =>
    new HoldfastError(
      "service-build-too-large",
      `The build's source maps take more than ${most} bytes, a fifth of what the service may keep; the rest is left out.`,
      "Let the service keep more, in the settings of the console.",
    ),
  filingFailed: (what: string, why: string): HoldfastError =>
    new HoldfastError(
      "service-filing-failed",
      `The service could not do "${what}": ${why}`,
      "Try again; if it stays so, run `holdfast doctor`.",
    ),
} as const;
