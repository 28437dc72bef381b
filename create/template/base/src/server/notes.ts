export interface Note {
  id: string;
  title: string;
  text: string;
  written: Date;
}

/** In memory: gone when the server ends. Put a database here, and nothing else changes. */
const notes: Note[] = [
  { id: "1", title: "Read the tutorial", text: "It lies in node_modules/holdfast/docs/guides.", written: new Date() },
];

/** The latest first. */
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
