import { load, notFound } from "holdfast/server";
import { findNote } from "../../server/notes.ts";

export const data = load("/notes/[id]", ({ params }) => findNote(params.id) ?? notFound());
