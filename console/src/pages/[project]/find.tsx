/** Never shown: its load redirects to the match. */
export default function Find() {
  return null;
}
