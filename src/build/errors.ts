import { HoldfastError } from "#errors";

/** A secret found in a browser file. Never contains the value, because many people read build logs. */
export interface Leak {
  file: string;
  what: string;
  /** Chain of imports that led to it; absent for files from `public`. */
  chain: string | undefined;
}

/** Every error that stops a build. Each names the file and the change to make. */
export const buildErrors = {
  noPages: (folder: string): HoldfastError =>
    new HoldfastError(
      "no-pages",
      `There are no page files in ${folder}.`,
      "Write the first page as src/pages/index.tsx.",
    ),

  pageOutsideOutput: (file: string): HoldfastError =>
    new HoldfastError(
      "page-without-chunk",
      `The browser build has no module for ${file}.`,
      "If a plugin of your vite.config changes how files are split, take it out; otherwise please report this.",
    ),

  cannotBuild: (problems: readonly string[]): HoldfastError =>
    new HoldfastError(
      "build-failed",
      `The application cannot be built:\n\n${problems.join("\n\n")}\n\n`,
      "Correct what is named here, and build again.",
    ),

  configFails: (problem: string): HoldfastError =>
    new HoldfastError(
      "vite-config-fails",
      `The application's vite.config cannot be loaded: ${problem}.`,
      "Correct it, or remove it: an application needs none.",
    ),

  noManifest: (folder: string): HoldfastError =>
    new HoldfastError(
      "build-went-elsewhere",
      `The build has finished, but there is no manifest in ${folder}.`,
      "If your vite.config gives holdfast() another outDir, give the same one to the command.",
    ),

  wrongSetting: (name: string, problem: string): HoldfastError =>
    new HoldfastError("wrong-build-setting", `${name} ${problem}.`, "Correct it in holdfast.config, and build again."),

  unknownCompression: (value: string): HoldfastError =>
    new HoldfastError(
      "unknown-compression",
      `HOLDFAST_COMPRESSION is "${value}", which is neither best nor fast.`,
      "Set one of the two, or remove it: best is the default.",
    ),

  addressLikeFile: (address: string): HoldfastError =>
    new HoldfastError(
      "address-like-file",
      `A plain file server cannot serve the page ${address}: a dot in its last part makes it look like a file.`,
      "Give the page another address, or one that ends in .html.",
    ),

  wrongMountPath: (at: string): HoldfastError =>
    new HoldfastError(
      "wrong-place",
      `"${at}" is no path below which an application can live.`,
      "Give plain segments with a slash before each and none at the end, such as /admin.",
    ),

  repeatedPlace: (at: string, route: string, file: string): HoldfastError =>
    new HoldfastError(
      "repeated-place",
      `src/pages/${file} is the route ${route} of an application below ${at}: a link to it could also mean an address of another route.`,
      "Rename its folder, or let the application live below another path.",
    ),

  unknownMatcher: (name: string, file: string, known: readonly string[] | undefined): HoldfastError =>
    new HoldfastError(
      "unknown-matcher",
      `src/pages/${file} has the matcher "${name}", ${
        known === undefined
          ? "but there is no src/matchers.ts"
          : known.length === 0
            ? "but src/matchers.ts exports none"
            : `but src/matchers.ts exports ${known.join(", ")}`
      }.`,
      `Use one that exists, or export a function ${name} there that gets the value and returns true or false.`,
    ),

  outputNotOurs: (folder: string): HoldfastError =>
    new HoldfastError(
      "output-folder-in-use",
      `${folder} is to be replaced by the build, but holds something that no build of Holdfast has written.`,
      "Empty the folder, or choose another outDir.",
    ),

  publicFileHidesRoute: (path: string, file: string, source: string): HoldfastError =>
    new HoldfastError(
      "public-file-hides-route",
      `${file} has the same address, ${path}, as the route src/pages/${source}.`,
      "Rename or remove one of them.",
    ),
  misnamedActionFile: (file: string): HoldfastError =>
    new HoldfastError(
      "misnamed-action-file",
      `src/${file} has a name that no address can have: it is part of the address of its actions.`,
      "Rename it: no ?, #, % or backslash, and no folder _action.",
    ),
  twoActionFiles: (one: string, other: string): HoldfastError =>
    new HoldfastError(
      "two-action-files",
      `src/${one} and src/${other} have the same name, so their actions would have the same addresses.`,
      "Rename or remove one of them.",
    ),
  serverFileInBrowser: (file: string, chain: string): HoldfastError =>
    new HoldfastError(
      "server-file-in-browser",
      `${file} is for the server alone, but the browser's code imports it: ${chain}.`,
      "Move what both sides need into a file that is neither *.server.* nor under src/server, or import only types, with `import type`. Actions of a component go into a file *.actions.server.ts, whose `actions` it may import.",
    ),

  serverPackageInBrowser: (name: string, chain: string): HoldfastError =>
    new HoldfastError(
      "server-package-in-browser",
      `${name} works on the server alone, but the browser's code imports it: ${chain}.`,
      "Import it in a *.server.ts file or under src/server, and hand the page what it needs as data.",
    ),

  privateVariableInBrowser: (name: string, location: string, chain: string): HoldfastError =>
    new HoldfastError(
      "private-variable-in-browser",
      `${location} uses ${name}, and the browser's code includes that file: ${chain}.`,
      "Read it in a *.server.ts file and hand the page what it needs as data. A variable meant for everyone has a name that begins with PUBLIC_ and is read as import.meta.env.PUBLIC_….",
    ),

  secretInBrowser: (leaks: readonly Leak[]): HoldfastError =>
    new HoldfastError(
      "secret-in-browser",
      `The browser's files would give away secrets: ${leaks.map(describeLeak).join("; ")}.`,
      "Keep it in a *.server.ts file or under src/server. If it is no secret, give its variable a name that begins with PUBLIC_. If it was ever published, change it.",
    ),

  wrongImage: (file: string, why: string): HoldfastError =>
    new HoldfastError(
      "wrong-image",
      `The image ${file} ${why}.`,
      "Correct the file, or import it without ?image: the build then serves it as it is.",
    ),

  unsafeImage: (file: string, found: string): HoldfastError =>
    new HoldfastError(
      "unsafe-image",
      `The image ${file} contains ${found}, which an image must not have.`,
      "Remove it from the file. An import without ?image serves it as it is, and opened by its address it runs as a part of the application.",
    ),

  wrongFont: (file: string, why: string): HoldfastError =>
    new HoldfastError(
      "wrong-font",
      `The font ${file} ${why}.`,
      "Give a whole WOFF2 file with Latin letters, or write its @font-face yourself and import no ?font.",
    ),

  wrongBudget: (file: string, why: string): HoldfastError =>
    new HoldfastError(
      "wrong-budget",
      `The budget of src/pages/${file} ${why}.`,
      "Write it into the page's server half, with numbers: export const budget = { firstLoadBytes: 100_000, lcpMs: 2_500 } satisfies PageBudget.",
    ),

  budgetExceeded: (pages: readonly { route: string; bytes: number; budget: number }[]): HoldfastError =>
    new HoldfastError(
      "budget-exceeded",
      `${pages.length === 1 ? "A page is" : `${pages.length} pages are`} over budget: ${pages.map(({ route, bytes, budget }) => `a first load of ${route} is ${bytes} bytes, ${bytes - budget} more than its ${budget}`).join("; ")}.`,
      "Load what is not needed at once by import() when it is, or raise the budget in the page's server half.",
    ),

  wrongRules: (problems: readonly string[]): HoldfastError =>
    new HoldfastError(
      "wrong-redirects",
      `redirects or rewrites of holdfast.config.ts cannot be used: ${problems.join(" ")}`,
      "Correct what is named here, and build again.",
    ),

  wrongLanguages: (problems: readonly string[]): HoldfastError =>
    new HoldfastError(
      "wrong-languages",
      `languages of holdfast.config.ts cannot be used: ${problems.join("; ")}.`,
      "Correct what is named here, and build again.",
    ),

  pageLikeLanguage: (lang: string, route: string, file: string): HoldfastError =>
    new HoldfastError(
      "page-like-language",
      `src/pages/${file} is the route ${route}, but addresses that begin with /${lang} are those of the language ${lang}.`,
      "Rename its folder. One tree of pages answers in all languages, so a page needs no folder for each.",
    ),

  brokenLinks: (links: readonly { location: string; why: string }[]): HoldfastError =>
    new HoldfastError(
      "broken-link",
      `${links.length === 1 ? "A link leads" : `${links.length} links lead`} nowhere: ${links.map(({ location, why }) => `${location} ${why}`).join("; ")}.`,
      "Correct the address, add the page, or mark a plain <a> that another server answers with data-hard.",
    ),
  notRunnable: (root: string): HoldfastError =>
    new HoldfastError(
      "sources-not-runnable",
      `The server environment of ${root} cannot run modules.`,
      "Take out of vite.config what replaces Vite's own `ssr` environment.",
    ),
} as const;

function describeLeak({ file, what, chain }: Leak): string {
  return `${file} contains ${what}${chain === undefined ? "" : `, by way of ${chain}`}`;
}
