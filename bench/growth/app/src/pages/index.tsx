export default function Home() {
  return <h1>Growth</h1>;
}
