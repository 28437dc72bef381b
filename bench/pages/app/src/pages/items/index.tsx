import { Link } from "holdfast";

export default function Items({ data }: PageProps<"/items">) {
  return (
    <>
      <h1>Items</h1>
      <ul>
        {data.items.map((item) => (
          <li key={item.id}>
            <Link to="/items/[id]" params={{ id: item.id }}>
              {item.title}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
