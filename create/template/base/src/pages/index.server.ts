import { action, invalid, load, redirect } from "holdfast/server";
import { addNote, allNotes } from "../server/notes.ts";

export const data = load("/", () => ({ notes: allNotes() }));

export const actions = {
  add: action({}, ({ input }) => {
    const form = input instanceof FormData ? input : new FormData();
    const title = String(form.get("title") ?? "").trim();
    const text = String(form.get("text") ?? "").trim();
    if (title === "") invalid({ title: "Give the note a title." });
    if (title.length > 80) invalid({ title: "A title has at most 80 characters." });
    const { id } = addNote(title, text);
    redirect("/notes/[id]", { id });
  }),
};
