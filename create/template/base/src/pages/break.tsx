/** Never shown: loading its data fails, and `_error.tsx` replaces it. */
export default function Break() {
  return <h1>All is well</h1>;
}
