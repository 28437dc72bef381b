import { existsSync, readFileSync } from "node:fs";
import { documentText, readDocument, replaceFile, type SharedDocument } from "../../../documents/document.ts";
import type { Rows } from "../../../rows/rows.ts";
import { withoutNull } from "../connect/connections.ts";

interface Copy {
  readonly name: string;
  readonly file: string;
  readonly onCopied: () => void;
  /** Of the value in the file. */
  version: number | undefined;
  text: string | undefined;
}

interface Row {
  value: unknown;
  version: number;
}

/**
 * Documents in the database, with a copy of each in the data folder. Writers compare the version that they have read
 * with the one that they replace, so that none overwrites what it has not seen.
 */
export class SharedDocuments {
  readonly #rows: Rows;
  readonly #copies: Copy[] = [];
  #last: Promise<unknown> = Promise.resolve();

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  document(name: string, file: string, onCopied: () => void = () => undefined): SharedDocument {
    const copy: Copy = { name, file, onCopied, version: undefined, text: undefined };
    this.#copies.push(copy);
    return { file, change: (change) => this.#inTurn(() => this.#change(copy, change)) };
  }

  /**
   * Copies what other processes have changed into the data folder. A document that the database does not have yet is
   * taken from there.
   */
  mirror(): Promise<void> {
    return this.#inTurn(async () => {
      const rows = await this.#rows.all<{ name: string; version: number }>(
        "SELECT name, version FROM holdfast.document",
      );
      const versions = new Map(rows.map(({ name, version }) => [name, version]));
      for (const copy of this.#copies)
        if (versions.get(copy.name) !== copy.version || textIn(copy.file) !== copy.text)
          await this.#change(copy, (before) => before);
    });
  }

  async #change(copy: Copy, change: (before: unknown) => unknown): Promise<void> {
    for (;;) {
      const row = await this.#rows.one<Row>("SELECT value, version FROM holdfast.document WHERE name = $1", copy.name);
      const before = row === undefined ? readDocument(copy.file) : row.value;
      const after = change(before);
      if (after === undefined) return;
      if (row !== undefined && after === before) return keepCopy(copy, row);
      const value: unknown = JSON.parse(storable(after));
      const version = (row?.version ?? 0) + 1;
      if (await this.#write(copy.name, value, version)) return keepCopy(copy, { value, version });
    }
  }

  async #write(name: string, value: unknown, version: number): Promise<boolean> {
    const text = JSON.stringify(value);
    const written =
      version === 1
        ? await this.#rows.run(
            "INSERT INTO holdfast.document (name, value, version) VALUES ($1, $2, 1) ON CONFLICT (name) DO NOTHING",
            name,
            text,
          )
        : await this.#rows.run(
            "UPDATE holdfast.document SET value = $2, version = $3 WHERE name = $1 AND version = $4",
            name,
            text,
            version,
            version - 1,
          );
    return written > 0;
  }

  /** One after another: a copy must not be replaced by one that was read before it. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

function keepCopy(copy: Copy, { value, version }: Row): void {
  const text = documentText(value);
  if (textIn(copy.file) !== text) {
    replaceFile(copy.file, text);
    copy.onCopied();
  }
  copy.text = text;
  copy.version = version;
}

function textIn(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** PostgreSQL refuses JSON with the character U+0000 in it. */
function storable(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === "string" ? withoutNull(one) : one));
}
