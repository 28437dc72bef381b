export default function Inside() {
  return <p>The page itself is well.</p>;
}
