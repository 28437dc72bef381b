export default function Data({ data }: PageProps<"/data/[bytes]">) {
  return <p>{data.rows.length} rows</p>;
}
