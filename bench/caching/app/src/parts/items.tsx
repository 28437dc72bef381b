/** 100 links, as in the benchmark of pages. */
export function Items({ items }: { items: readonly { id: number; title: string }[] }) {
  return (
    <main>
      <h1>Items</h1>
      <ul>
        {items.map((item) => (
          <li key={item.id}>
            <a href={`/items?item=${item.id}`}>{item.title}</a>
          </li>
        ))}
      </ul>
    </main>
  );
}
