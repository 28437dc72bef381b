export default function Items({ data }: PageProps<"/items">) {
  return (
    <>
      <h1>Items</h1>
      <ul>
        {data.items.map((item) => (
          <li key={item.id}>
            <a href={`/items/${item.id}`}>{item.title}</a>
          </li>
        ))}
      </ul>
    </>
  );
}
