/** Never shown: its load redirects to the event. */
export default function Digest() {
  return null;
}
