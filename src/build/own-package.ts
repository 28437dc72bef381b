import { fileURLToPath } from "node:url";

/**
 * Where this very package lies. Applications are built against the copy that builds them, never against a second one
 * that a resolver might find elsewhere: page, server and reporter must be one instance.
 */
const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";

/** True while the package is run from its TypeScript source, as in its own repository. */
export const runsFromSource: boolean = extension === ".ts";

/** Our own parts import each other as `#part`; from source that needs this condition. */
export const sourceCondition = "holdfast-source";

export const serverRuntime: string = ownModule("pages/server/index");
export const browserRuntime: string = ownModule("pages/browser/index");
/** What a page needs once it is alive. */
export const browserRuntimeLater: string = ownModule("pages/browser/later");
export const browserReportingLater: string = ownModule("reporting/browser/later");
export const browserOverlay: string = ownModule("pages/browser/dev/overlay");
export const browserReporting: string = ownModule("reporting/browser/index");
/** What takes the place of reporting where browsers report nothing. */
export const browserSilence: string = ownModule("signals/index");
/** What `holdfast/report` is in a browser. */
export const browserReportDoor: string = ownModule("reporting/browser/browser-report-api");

/** The public doors and the modules behind them. */
export const doors: ReadonlyMap<string, string> = new Map(
  ["index", "server", "vite", "report", "service", "protocol", "testing"].map((door) => [
    door === "index" ? "holdfast" : `holdfast/${door}`,
    ownModule(`exports/${door}`),
  ]),
);

/**
 * Doors that the running host shares with the application: bundled, they would be a second instance beside the host's.
 */
export const doorsOfTheHost: ReadonlySet<string> = new Set([
  "holdfast/report",
  "holdfast/service",
  "holdfast/vite",
  "holdfast/testing",
]);

const ownFolder = fileURLToPath(new URL("..", import.meta.url)).replaceAll("\\", "/");

/** Whether a file is the framework's own, which the rules for applications do not concern. */
export function isOwnFile(file: string): boolean {
  return file.replaceAll("\\", "/").startsWith(ownFolder);
}

function ownModule(path: string): string {
  return fileURLToPath(new URL(`../${path}${extension}`, import.meta.url));
}

/**
 * How source maps call a file of the framework: as if it were installed, also where it is not. Its frames are not the
 * application's.
 */
export function ownSourceName(file: string): string | undefined {
  if (!isOwnFile(file)) return undefined;
  const folder = runsFromSource ? "src" : "dist";
  return `node_modules/holdfast/${folder}/${file.replaceAll("\\", "/").slice(ownFolder.length)}`;
}
