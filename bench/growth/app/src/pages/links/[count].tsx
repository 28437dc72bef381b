import { Link } from "holdfast";

export default function Links({ data }: PageProps<"/links/[count]">) {
  return (
    <ul>
      {data.links.map(({ id, title }) => (
        <li key={id}>
          <Link to="/data/[bytes]" params={{ bytes: id }}>
            {title}
          </Link>
        </li>
      ))}
    </ul>
  );
}
