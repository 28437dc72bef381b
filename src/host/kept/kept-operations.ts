import type {
  KeptCheck,
  KeptContent,
  KeptOf,
  KeptRow,
  KeptRun,
  KeptRunner,
  KeptState,
  KeptSubmissions,
  RunBy,
} from "#pages";
import { digestOf, readDigest } from "#protocol";

/** What is known of a kept submission without its content. */
export interface KeptHead {
  id: string;
  /** The code that its visitor knows. */
  digest: string;
  /** Of its last failure, if it has been run again. */
  lastDigest: string | undefined;
  state: KeptState;
  keptAt: Date;
  changedAt: Date;
  /** Who ran or forgot it last. */
  by: string | undefined;
  /** How often an operator has run it. */
  runs: number;
  bytes: number;
}

/** A kept submission as an operator sees it in a list. */
export interface KeptSummary extends KeptHead {
  /** Undefined for one without content whose row does not say it, or if no key opens it. */
  of: KeptOf | undefined;
  /** Undefined without content. */
  sent: { path: string; build: string } | undefined;
  /** Why nothing of its content can be read. */
  unreadable: "other-key" | "damaged" | undefined;
}

/** With what was sent; secrets are hidden by the rules for reports. */
export interface KeptDetails extends KeptSummary {
  fields: readonly (readonly [name: string, value: string])[];
  files: readonly { field: string; name: string; type: string; size: number }[];
}

/** What operators do with kept submissions. Names are digests or ids. */
export interface KeptOperations {
  /** Opens none of them: a thousand with files would be read whole. */
  heads(): Promise<readonly KeptHead[]>;
  list(): Promise<readonly KeptSummary[]>;
  show(name: string): Promise<KeptDetails | undefined>;
  /** Checks what a run needs, and runs nothing. */
  check(name: string): Promise<KeptCheck>;
  run(name: string, by: RunBy): Promise<KeptRun>;
  forget(name: string, by: string): Promise<boolean>;
}

export interface OperationDeps {
  kept: KeptSubmissions;
  runner: KeptRunner | undefined;
  /** Hides secrets. */
  hide: (value: unknown) => unknown;
}

export function createKeptOperations({ kept, runner, hide }: OperationDeps): KeptOperations {
  const find = async (name: string): Promise<KeptRow | undefined> => {
    const byId = wholeId.test(name) ? await kept.find(name.toLowerCase()) : undefined;
    const wanted = byId ? undefined : readDigest(name);
    if (wanted === undefined) return byId;
    const rows = await kept.list();
    return rows.find(({ id, digest, lastDigest }) =>
      [digest, lastDigest, digestOf(id)].some((one) => one !== undefined && readDigest(one) === wanted),
    );
  };
  return {
    heads: async () => (await kept.list()).map((row) => headOf(kept, row)),
    list: async () => {
      const rows = await kept.list();
      return Promise.all(rows.map(async (row) => (await describe(kept, row)).summary));
    },
    show: async (name) => {
      const found = await find(name);
      const row = found && (await kept.settle(found));
      if (!row) return undefined;
      const { summary, content } = await describe(kept, row);
      return { ...summary, ...bodyOf(content, hide) };
    },
    check: async (name) => {
      const row = await find(name);
      return (row && (await runner?.check(row.id))) ?? { kind: "unknown" };
    },
    run: async (name, by) => {
      const row = await find(name);
      const run = (row && (await runner?.run(row.id, by))) ?? { kind: "unknown" };
      return run.kind === "failed" ? { ...run, message: String(hide(run.message)) } : run;
    },
    forget: async (name, by) => {
      const row = await find(name);
      return (row && (await runner?.forget(row.id, by))) ?? false;
    },
  };
}

/** An id has 32 hexadecimal digits, which no digest has. */
const wholeId = /^[0-9a-f]{32}$/i;

function headOf(kept: KeptSubmissions, row: KeptRow): KeptHead {
  const { id, lastDigest, state, keptAt, changedAt, by, runs, bytes } = row;
  const digest = kept.nameOf(row);
  return {
    id,
    digest,
    lastDigest: lastDigest === digest ? undefined : lastDigest,
    state,
    keptAt: new Date(keptAt),
    changedAt: new Date(changedAt),
    by,
    runs,
    bytes,
  };
}

async function describe(
  kept: KeptSubmissions,
  row: KeptRow,
): Promise<{ summary: KeptSummary; content: KeptContent | undefined }> {
  const opened = await kept.open(row.id);
  const content = opened?.kind === "open" ? opened.content : undefined;
  const head = headOf(kept, row);
  const summary: KeptSummary = {
    ...head,
    keptAt: content ? new Date(content.at) : head.keptAt,
    of: content ? { route: content.route, action: content.action } : row.of,
    sent: content && { path: content.path, build: content.build },
    unreadable: opened && opened.kind !== "open" ? opened.kind : undefined,
  };
  return { summary, content };
}

/** An operator needs to recognize a form, not to read a novel. */
const shownCharacters = 2_000;

function bodyOf(content: KeptContent | undefined, hide: OperationDeps["hide"]): Pick<KeptDetails, "fields" | "files"> {
  const { body } = content ?? {};
  if (!body) return { fields: [], files: [] };
  if (body.kind === "json") return { fields: [["JSON", shown(hide(body.value))]], files: [] };
  const fields: [string, string][] = [];
  const files: KeptDetails["files"][number][] = [];
  for (const [name, value] of body.fields) {
    if (typeof value !== "string") files.push({ field: name, ...value });
    // By name and value together, because both can tell a secret.
    else fields.push([name, shown((hide({ [name]: value }) as Record<string, unknown>)[name])]);
  }
  return { fields, files };
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "");
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)} …` : text;
}
