/** Never shown: its load redirects to a project. */
export default function Entrance() {
  return null;
}
