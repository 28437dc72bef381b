export interface Note {
  id: string;
  title: string;
  text: string;
  written: Date;
}

/** In memory: lost when the server ends. To use a database, only this file has to change. */
const notes: Note[] = [
  { id: "1", title: "Read the tutorial", text: "It lies in node_modules/holdfast/docs/guides.", written: new Date() },
];

/** Newest first. */
export function allNotes(): Note[] {
  return notes.toReversed();
}

export function findNote(id: string): Note | undefined {
  return notes.find((note) => note.id === id);
}

export function addNote(title: string, text: string): Note {
  const note = { id: String(notes.length + 1), title, text, written: new Date() };
  notes.push(note);
  return note;
}
