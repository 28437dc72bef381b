export default function TooNear() {
  return <p>This error page lies inside the layout that throws, so it is never shown.</p>;
}
