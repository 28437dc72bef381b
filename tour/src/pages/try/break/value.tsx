export default function NeverShown() {
  return <p>One value of this page’s data cannot travel, so it is never shown.</p>;
}
