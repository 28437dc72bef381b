import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { listFiles } from "../application-files.ts";
import { environmentFiles } from "../environment-files.ts";
import { buildErrors, type Leak } from "../errors.ts";
import type { Output } from "../output/finish-chunks.ts";
import type { ImportChains } from "./import-chain.ts";
import { publicPrefix } from "./private-environment.ts";

/**
 * The fourth guard searches the actual output: every browser file is scanned for the values of private variables and
 * for patterns of secrets. It finds what no import rule can, such as a helper that a loader and a page share.
 */
export async function scanForSecrets(
  folder: string,
  environment: EnvironmentValues,
  output: Output,
  chains: ImportChains,
): Promise<void> {
  const secrets = secretsOf(environment);
  const leaks: Leak[] = [];
  for (const file of await listFiles(folder)) {
    const text = await readFile(join(folder, file), "latin1");
    leaks.push(
      ...findLeaks(text, secrets).map((what) => ({
        file,
        what,
        chain: findOrigin(output, { file, what, secrets }, chains),
      })),
    );
  }
  if (leaks.length > 0) throw buildErrors.secretInBrowser(leaks);
}

/** Finds the imports that led a secret into a file. */
function findOrigin(
  output: Output,
  { file, what, secrets }: { file: string; what: string; secrets: readonly Secret[] },
  chains: ImportChains,
): string | undefined {
  const chunk = output.find((one) => one.fileName === file);
  if (chunk?.type !== "chunk") return undefined;
  const [module] =
    Object.entries(chunk.modules).find(([, { code }]) => code && findLeaks(code, secrets).includes(what)) ?? [];
  return module && chains.describe(module);
}

export interface EnvironmentValues {
  /** Variables from the application's `.env` files: written for this application, so each one counts. */
  files: Readonly<Record<string, string>>;
  /** Variables of the build process: most describe the machine, and only possible secrets count. */
  machine: Readonly<Record<string, string | undefined>>;
}

interface Secret {
  name: string;
  spellings: string[];
}

export function findLeaks(text: string, secrets: readonly Secret[]): string[] {
  const values = secrets
    .filter(({ spellings }) => spellings.some((spelling) => text.includes(spelling)))
    .map(({ name }) => `the value of ${name}`);
  const shapes = secretShapes.filter(({ shape, isExample }) => {
    for (const [match, ...groups] of text.matchAll(shape)) if (!isExample?.(match, groups)) return true;
    return false;
  });
  return [...values, ...shapes.map(({ what }) => what)];
}

/** Reads the variables of the build: the files of production, and the process environment. */
export async function readEnvironment(folder: string): Promise<EnvironmentValues> {
  const files: Record<string, string> = {};
  for (const name of environmentFiles("production").toReversed()) {
    const file = join(folder, name);
    if (existsSync(file)) Object.assign(files, parseEnv(await readFile(file, "utf8")));
  }
  return { files, machine: process.env };
}

/** Shorter values occur by chance. */
const shortestSecret = 8;

export function secretsOf({ files, machine }: EnvironmentValues): Secret[] {
  const secrets = new Map<string, string>();
  for (const [name, value = ""] of Object.entries(machine))
    if (!isAboutTheMachine(name) && !isOrdinary(value)) secrets.set(name, value);
  for (const [name, value] of Object.entries(files)) secrets.set(name, value);
  return [...secrets]
    .filter(
      ([name, value]) =>
        !name.startsWith(publicPrefix) && value.length >= shortestSecret && !everydayWords.has(value.toLowerCase()),
    )
    .map(([name, value]) => ({ name, spellings: spellingsOf(value) }));
}

/**
 * Spellings of a value: raw, as a JavaScript or JSON string, URL-encoded, and base64, which people mistake for
 * encryption. Files are searched as bytes.
 */
function spellingsOf(value: string): string[] {
  const bytes = Buffer.from(value, "utf8");
  const base64 = bytes.toString("base64").replace(/=+$/, "");
  return [
    ...new Set([bytes.toString("latin1"), JSON.stringify(value).slice(1, -1), encodeURIComponent(value), base64]),
  ];
}

const everydayWords = new Set(["development", "production", "localhost", "disabled", "undefined", "127.0.0.1"]);

/**
 * Variables by which shells, package managers and build services describe themselves. Names that look like a token do
 * not count, because these tools pass tokens too.
 */
function isAboutTheMachine(name: string): boolean {
  if (/TOKEN|SECRET|PASS|CREDENTIAL|AUTH|PRIVATE|_KEY\b/i.test(name)) return false;
  return machineNames.test(name);
}

const machineNames =
  /^(?:npm_|NODE|VITE|LC_|XDG_|GIT_|PYTHON|PIP_|JAVA|RUST|TERM|SSH_|DISPLAY$|LANG|PATH$|HOME$|PWD$|OLDPWD$|SHELL|USER|LOGNAME$|HOST|EDITOR$|PAGER$|TMP|TEMP|INIT_CWD$|COLOR|_$|CI$|CI_|GITHUB_|GITLAB_|RUNNER_|BUILD|VERCEL|NETLIFY|RENDER_|FLY_|HEROKU_|DEBIAN_)/;

/** Words, numbers, versions, lists of them, paths, and addresses without a password. */
function isOrdinary(value: string): boolean {
  if (/^[a-z]+(?:[-_. ][a-z]+)*$/i.test(value) || /^[\d.:,v-]+$/.test(value) || /^(?:[a-z]:)?[\\/.~]/i.test(value))
    return true;
  return /^[a-z+]+:\/\/[^@?]*$/i.test(value);
}

interface SecretShape {
  what: string;
  shape: RegExp;
  /** Whether a match is an example from documentation. */
  isExample?: (match: string, groups: readonly (string | undefined)[]) => boolean;
}

const secretShapes: readonly SecretShape[] = [
  {
    what: "an address with a password in it",
    shape: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'`<>${}]+:([^\s/:@"'`<>${}]+)@[\w.-]+/gi,
    isExample: (_, [password = ""]) => /^(?:pass(?:word)?|secret|pwd|xxx+|\*+|\.+|…|example|changeme)$/i.test(password),
  },
  { what: "a private key", shape: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----(?:\\n|\s)*[A-Za-z0-9+/]{16}/g },
  {
    what: "an AWS access key",
    shape: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
    isExample: (match) => match.endsWith("EXAMPLE"),
  },
  { what: "a GitHub token", shape: /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{60,})/g },
  { what: "a Stripe key", shape: /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/g },
  {
    what: "a Slack token",
    shape: /\bxox[abeoprs]-[A-Za-z0-9-]{20,}|hooks\.slack\.com\/services\/T\w{6,}\/B\w{6,}\/\w{16,}/g,
  },
  { what: "an npm token", shape: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { what: "a SendGrid key", shape: /\bSG\.[\w-]{22}\.[\w-]{43}\b/g },
  { what: "a key for a language model", shape: /\bsk-(?:ant|proj)-[\w-]{24,}/g },
];
