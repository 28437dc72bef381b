export default function Order({ data, params }: PageProps<"/try/orders/[id]">) {
  return (
    <article className="card">
      <h2>Order {params.id}</h2>
      <p>
        {data.customer}, {data.placed.toISOString().slice(0, 10)}, {(Number(data.cents) / 100).toFixed(2)} €
      </p>
      <ul>
        {[...data.items].map(([name, count]) => (
          <li key={name}>
            {count} × {name}
          </li>
        ))}
      </ul>
    </article>
  );
}
