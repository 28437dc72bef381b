import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { env } from "../env.server.ts";

export interface Note {
  id: string;
  title: string;
  text: string;
  written: Date;
}

/** Beside Holdfast's own data, so that one folder is all that needs a backup. */
const file = env.NOTES_FILE ?? `${env.HOLDFAST_DATA ?? ".holdfast"}/notes.db`;
if (file !== ":memory:") mkdirSync(dirname(file), { recursive: true });

const database = new DatabaseSync(file);
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS notes (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    written TEXT NOT NULL
  ) STRICT;
`);

const insert = database.prepare("INSERT INTO notes (title, text, written) VALUES (?, ?, ?) RETURNING *");
const selectOne = database.prepare("SELECT * FROM notes WHERE id = ?");
const selectAll = database.prepare("SELECT * FROM notes ORDER BY id DESC LIMIT 100");

/** Newest first. */
export function allNotes(): Note[] {
  return selectAll.all().map(readNote);
}

export function findNote(id: string): Note | undefined {
  const row = selectOne.get(id);
  return row && readNote(row);
}

export function addNote(title: string, text: string): Note {
  return readNote(insert.get(title, text, new Date().toISOString()) ?? {});
}

function readNote(row: Record<string, unknown>): Note {
  return {
    id: String(row.id),
    title: String(row.title),
    text: String(row.text),
    written: new Date(String(row.written)),
  };
}
