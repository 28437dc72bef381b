export default function Order({ data, params }: PageProps<"/try/orders/[id]">) {
  return (
    <article>
      <h2>Order {params.id}</h2>
      <p>
        {data.customer}, {data.placed.toLocaleDateString("en", { dateStyle: "medium", timeZone: "UTC" })}
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
