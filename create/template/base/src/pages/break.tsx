/** Never shown: its data cannot be loaded, and `_error.tsx` takes its place. */
export default function Break() {
  return <h1>All is well</h1>;
}
