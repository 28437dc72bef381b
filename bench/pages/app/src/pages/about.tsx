export default function About() {
  return (
    <>
      <h1>About</h1>
      <p>This page has no data.</p>
    </>
  );
}
