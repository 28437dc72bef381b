export default function NeverShown() {
  return <p>This page has no data, so it is never shown.</p>;
}
