import { Form } from "holdfast";
import { Day } from "../day.tsx";

export default function Home({ data, actions }: PageProps<"/">) {
  return (
    <main>
      <title>Notes</title>
      <h1>Notes</h1>
      {data.notes.length === 0 ? (
        <p className="muted">There are none yet.</p>
      ) : (
        <ul className="notes">
          {data.notes.map((note) => (
            <li key={note.id}>
              <a href={`/notes/${note.id}`}>{note.title}</a>
              <Day date={note.written} />
            </li>
          ))}
        </ul>
      )}
      <h2>A new note</h2>
      <Form action={actions.add}>
        {(form) => (
          <>
            <label>
              Title
              <input {...form.field("title")} />
            </label>
            {form.error("title") && <p className="wrong" role="alert" {...form.error("title")} />}
            <label>
              Text
              <textarea rows={3} {...form.field("text")} />
            </label>
            <div>
              <button className="button first" type="submit" disabled={form.pending}>
                {form.pending ? "Keeping it" : "Keep it"}
              </button>
            </div>
          </>
        )}
      </Form>
    </main>
  );
}
