export default function Prices({ data: { prices } }: PageProps<"/try/gate/prices">) {
  return (
    <ul className="card">
      {prices.map(({ lamp, euros }) => (
        <li key={lamp}>
          {lamp}: € {euros}
        </li>
      ))}
    </ul>
  );
}
