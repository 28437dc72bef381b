export default function Order({ data, params }: PageProps<"/try/orders/[id]">) {
  return (
    <article className="card stack">
      <h2>Order {params.id}</h2>
      <p>
        {data.customer}, {data.placed.toISOString().slice(0, 10)}, {Number(data.cents) / 100} €
      </p>
      <ul>
        {[...data.items].map(([name, count]) => (
          <li key={name}>
            {count} × {name}
          </li>
        ))}
      </ul>
      <p className="buttons">
        {["7", "8", "9", "10"].map((id) => (
          <a key={id} className="button" href={`/try/orders/${id}`}>
            Order {id}
          </a>
        ))}
      </p>
    </article>
  );
}
