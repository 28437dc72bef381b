import { Stars } from "../../try/stars.tsx";

export default function RatedBooks({ data }: PageProps<"/try/stars">) {
  return (
    <div className="card stack">
      {data.books.map((book) => (
        <section key={book.id} className="stack">
          <h2>{book.title}</h2>
          <Stars book={book} />
        </section>
      ))}
    </div>
  );
}
